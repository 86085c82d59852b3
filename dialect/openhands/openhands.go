package openhands

import (
	"time"

	"github.com/hookline-dev/hookline/dialect"
	"github.com/hookline-dev/hookline/dialect/internal/foreign"
	"github.com/hookline-dev/hookline/dialect/vocab"
	"github.com/hookline-dev/hookline/hook"
	"github.com/hookline-dev/hookline/plugin"
)

// name is the dialect's name.
const name = "openhands"

// Dialect returns the dialect.
func Dialect() dialect.Dialect { return foreign.New(spec) }

// What is written once, here, and never changed.
var (
	spec = &foreign.Spec{
		Title: "OpenHands", Summary: "OpenHands' hooks in .openhands/hooks.json", Rank: 570,
		Tables: []*foreign.Table{table}, Vocabulary: names,
		Hosts:  []foreign.Host{{Row: row, Tables: []*foreign.Table{table}}},
		Places: dialect.Places{Layouts: []plugin.Layout{{Name: name, Dir: ".openhands", Kinds: []string{}}}},
	}

	row = &dialect.Host{
		Name: name, Title: "OpenHands", Program: "openhands",
		Files: []dialect.HostFile{
			{Level: "user", Base: dialect.HomeBase, Dir: ".openhands", Name: "hooks.json", Shape: dialect.ShapeSole, Write: true},
			{Level: "project", Base: dialect.ProjectBase, Dir: ".openhands", Name: "hooks.json", Shape: dialect.ShapeSole, Write: true},
		},
		Unit: time.Second, Default: time.Minute,
		Exits: []dialect.HostExit{
			{Code: "0", Means: "the JSON on stdout counts"},
			{Code: "2", Means: "a deny of a tool, of a prompt and of the end; without JSON stderr is the reason"},
			{Code: "other", Means: "the call goes on"},
		},
		Late: "the call goes on", Unknown: dialect.UnknownIgnored,
		Matcher: "a tool's name, or a regular expression for the whole of it; empty or * for all",
		Traps: []string{
			"of the project's file and the person's only the first one is read: a project with a file of its own has no hooks of the person's",
			"a question (ask) is not a word of it, and is sent as a deny; input cannot be changed",
			"what hooks say after a tool, and at the beginning, has no effect",
			"a guard that takes longer than its time lets the call go on",
		},
		Facts: dialect.HostFacts{Version: "main of 2026-08-22", Date: "2026-11-29", Source: "https://github.com/OpenHands/software-agent-sdk/tree/main/openhands-sdk/openhands/sdk/hooks", Proof: "documents"},
	}

	table = &foreign.Table{
		Name: name, EventKey: "event_type", Own: func(p hook.JSON) bool { return p.Has("event_type") && p.Has("working_dir") },
		// every payload has all members
		Common: foreign.Fields("session_id", "cwd>working_dir", ">tool_name", ">tool_input", ">tool_response", ">message", ">metadata"),
		Tools:  tools{names}, Result: foreign.Results{In: resultIn, Out: resultOut}, Exit: foreign.ClaudeExits, Events: events,
	}

	names = vocab.Vocabulary{
		{Canonical: "Bash", Dialect: "terminal"},
		{Canonical: "Read", Dialect: editor, Fields: []vocab.Field{path}},
		{Canonical: "Write", Dialect: editor, Fields: []vocab.Field{path, {Canonical: "content", Dialect: "file_text"}}},
		{Canonical: "Edit", Dialect: editor, Fields: []vocab.Field{path, {Canonical: "old_string", Dialect: "old_str"}, {Canonical: "new_string", Dialect: "new_str"}}},
		{Canonical: "Glob", Dialect: "glob"},
		{Canonical: "Grep", Dialect: "grep"},
		{Canonical: "TodoWrite", Dialect: "task_tracker"},
		{Canonical: "Agent", Dialect: "delegate"},
	}

	path = vocab.Field{Canonical: "file_path", Dialect: "path"}
)

func events() []foreign.Event {
	tool := foreign.Fields("tool_name", "tool_input")
	blocks := []foreign.Member{
		{Path: "decision", Means: foreign.Decides, Words: []foreign.Word{{Text: "deny", Decision: hook.DecisionDeny}, {Text: "allow"}}},
		{Path: "reason", Means: foreign.Reason},
		{Path: "continue", Means: foreign.GoesOn, ReadOnly: true},
	}
	context := foreign.Member{Path: "additionalContext", Means: foreign.AddsContext}
	failed := func(p hook.JSON) bool { v, _ := p.Get("tool_response"); return v.Bool("is_error") }
	return []foreign.Event{
		{Name: "PreToolUse", Event: hook.EventPreToolUse, Fields: tool, Answer: blocks},
		{
			Name: "PostToolUse", Event: hook.EventPostToolUseFailure, When: failed,
			Fields: append(tool, vocab.Field{Canonical: "error", Dialect: "tool_response", In: textOf, Out: errorOut}),
		},
		{Name: "PostToolUse", Event: hook.EventPostToolUse, Fields: append(tool, foreign.Fields("tool_response")...)},
		{Name: "UserPromptSubmit", Event: hook.EventUserPromptSubmit, Fields: foreign.Fields("prompt>message"), Answer: append(blocks, context)},
		{Name: "SessionStart", Event: hook.EventSessionStart},
		{Name: "SessionEnd", Event: hook.EventSessionEnd},
		{Name: "Stop", Event: hook.EventStop, Answer: blocks},
	}
}
