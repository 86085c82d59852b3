// Package shim is the dialect of agents that have no files of hooks and are steered by modules
// of JavaScript: OpenCode, pi and oh-my-pi. A module of ours puts each event to the engine, in
// a form that only the two know.
package shim

import (
	_ "embed"
	"slices"
	"time"

	"github.com/hookline-dev/hookline/dialect"
	"github.com/hookline-dev/hookline/dialect/internal/foreign"
	"github.com/hookline-dev/hookline/dialect/vocab"
	"github.com/hookline-dev/hookline/hook"
	"github.com/hookline-dev/hookline/plugin"
)

// name is the dialect's name.
const name = "shim"

// Dialect returns the dialect.
func Dialect() dialect.Dialect { return foreign.New(spec) }

//go:embed opencode.js
var opencodeModule string

// What is written once, here, and never changed.
var (
	spec = &foreign.Spec{
		Title: "our modules", Summary: "what our modules of OpenCode, pi and oh-my-pi send", Rank: 540,
		Tables: []*foreign.Table{opencodeTable, piTable}, Vocabulary: opencodeNames, Patch: "patchText",
		Hosts: []foreign.Host{
			{Row: opencodeRow, Tables: []*foreign.Table{opencodeTable}},
			{Row: piRow, Tables: []*foreign.Table{piTable}},
			{Row: ompRow, Tables: []*foreign.Table{piTable}},
		},
		Places: dialect.Places{Layouts: []plugin.Layout{{Name: "opencode", Dir: ".opencode", Kinds: []string{}}}, Protected: []string{"opencode.json", "opencode.jsonc", ".config/opencode"}},
	}

	opencodeRow = &dialect.Host{
		Name: "opencode", Title: "OpenCode", Program: "opencode",
		Files: []dialect.HostFile{
			{Level: "user", Base: dialect.HomeBase, Dir: ".config/opencode/plugin", Name: "hookline.js", Format: dialect.FormatModule, Module: opencodeModule, Write: true},
			{Level: "project", Base: dialect.ProjectBase, Dir: ".opencode/plugin", Name: "hookline.js", Format: dialect.FormatModule, Module: opencodeModule, Write: true},
		},
		Unit: time.Second, Default: 10 * time.Minute,
		Exits:   []dialect.HostExit{{Code: "any", Means: "our plugin alone sees it: a code other than 0 is thrown, which refuses a tool call and a prompt"}},
		Late:    "it waits for ever; our plugin is answered before",
		Unknown: dialect.UnknownIgnored, Matcher: "none: a plugin is asked about everything",
		Traps: []string{
			"a plugin cannot have a person asked: its permission.ask never fires, so that a question is a deny",
			"the reason of a refused prompt stands in its log only",
			"'opencode run' ends when the session rests: a hook can keep it going in the terminal, the server and editors only",
			"what a hook adds after a tool stands behind the tool's own output",
			"a tool that fails fires no event afterwards",
			"sessions of subagents fire the events of tools only",
			"before its first plugin it fetches a package, and waits without a word where there is no network",
		},
		Twice: []string{"over ACP it loads plugins twice"},
		ACP: &dialect.HostACP{
			Agent: "opencode",
			Seen:  "all that its own configuration does not have it ask about, which is everything unless \"permission\" says ask",
		},
		Facts: dialect.HostFacts{Version: "1.18.33", Date: "2026-11-29", Source: "https://opencode.ai/docs/plugins", Proof: "run"},
	}

	opencodeTable = table(opencodeNames, opencodeEvents)

	opencodeNames = vocab.Vocabulary{
		{Canonical: "Bash", Dialect: "bash"},
		{Canonical: "Read", Dialect: "read", Fields: []vocab.Field{file}},
		{Canonical: "Write", Dialect: "write", Fields: []vocab.Field{file}},
		{Canonical: "Edit", Dialect: "edit", Fields: []vocab.Field{file, {Canonical: "old_string", Dialect: "oldString"}, {Canonical: "new_string", Dialect: "newString"}, {Canonical: "replace_all", Dialect: "replaceAll"}}},
		{Canonical: "Glob", Dialect: "glob"},
		{Canonical: "Grep", Dialect: "grep", Fields: []vocab.Field{{Canonical: "glob", Dialect: "include"}}},
		{Canonical: "LS", Dialect: "list"},
		{Canonical: "WebFetch", Dialect: "webfetch"},
		{Canonical: "WebSearch", Dialect: "websearch"},
		{Canonical: "Agent", Dialect: "task"},
		{Canonical: "TodoWrite", Dialect: "todowrite"},
		{Canonical: "Skill", Dialect: "skill", Fields: []vocab.Field{{Canonical: "skill", Dialect: "name"}}},
		{Canonical: "AskUserQuestion", Dialect: "question"},
	}

	file = vocab.Field{Canonical: "file_path", Dialect: "filePath"}
)

// table is the form of a module's payloads and answers.
func table(names vocab.Vocabulary, events func() []foreign.Event) *foreign.Table {
	return &foreign.Table{
		Name: name, EventKey: "event", Own: func(p hook.JSON) bool { return p.Has("sessionID") && p.Has("directory") },
		Common: foreign.Fields("session_id>sessionID", "transcript_path>file", "cwd>directory"),
		Tools:  names, Result: foreign.Results{Out: foreign.Text, In: foreign.Printed}, Exit: foreign.ClaudeExits, Events: events,
	}
}

var (
	deny      = foreign.Member{Path: "deny", Means: foreign.Refuses}
	context   = foreign.Member{Path: "context", Means: foreign.AddsContext}
	call      = foreign.Fields("tool_use_id>callID", "tool_name>tool", "tool_input>args")
	before    = []foreign.Member{deny, {Path: "args", Means: foreign.NewInput}}
	after     = []foreign.Member{{Path: "output", Means: foreign.NewOutput}, context}
	goesOn    = []foreign.Member{{Path: "continue", Means: foreign.FollowUp}}
	whetherOn = foreign.Fields("stop_hook_active>active")
)

func opencodeEvents() []foreign.Event {
	return []foreign.Event{
		{Name: "session.created", Event: hook.EventSessionStart},
		{Name: "chat.message", Event: hook.EventUserPromptSubmit, Fields: foreign.Fields("prompt"), Answer: []foreign.Member{deny, context}},
		{Name: "tool.execute.before", Event: hook.EventPreToolUse, Fields: call, Answer: before},
		{Name: "tool.execute.after", Event: hook.EventPostToolUse, Fields: append(slices.Clone(call), foreign.Fields("tool_response>output")...), Answer: after},
		{Name: "session.idle", Event: hook.EventStop, Fields: whetherOn, Answer: goesOn},
		{Name: "session.error", Event: hook.EventStopFailure, Fields: []vocab.Field{{Canonical: "error", Dialect: "error", In: message}}},
		{Name: "session.compacted", Event: hook.EventPostCompact},
		{Name: "session.deleted", Event: hook.EventSessionEnd},
	}
}

// message is the text of an error, which is an object with a name and data.
func message(v hook.JSON) hook.JSON {
	if _, ok := v.AsString(); ok {
		return v
	}
	data, _ := v.Get("data")
	if m := data.String("message"); m != "" {
		return hook.MustJSON(m)
	}
	return hook.MustJSON(v.String("name"))
}
