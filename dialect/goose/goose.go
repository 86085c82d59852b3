package goose

import (
	"strings"
	"time"

	"github.com/hookline-dev/hookline/dialect"
	"github.com/hookline-dev/hookline/dialect/internal/foreign"
	"github.com/hookline-dev/hookline/dialect/vocab"
	"github.com/hookline-dev/hookline/hook"
)

// name is the dialect's name.
const name = "goose"

// Dialect returns the dialect.
func Dialect() dialect.Dialect { return foreign.New(spec) }

// What is written once, here, and never changed.
var (
	spec = &foreign.Spec{
		Title: "goose", Summary: "goose's hooks, which it takes from plugins", Rank: 565,
		Tables: []*foreign.Table{table}, Vocabulary: names,
		Hosts:  []foreign.Host{{Row: row, Tables: []*foreign.Table{table}}},
		Places: dialect.Places{Protected: []string{".agents/plugins", ".config/goose"}},
	}

	row = &dialect.Host{
		Name: name, Title: "goose", Program: "goose",
		Files: []dialect.HostFile{
			{Level: "user", Base: dialect.HomeBase, Dir: ".agents/plugins/hookline/hooks", Name: "hooks.json", Write: true},
			{Level: "project", Base: dialect.ProjectBase, Dir: ".agents/plugins/hookline/hooks", Name: "hooks.json", Write: true},
		},
		Unit: time.Second, Default: 30 * time.Second,
		Exits: []dialect.HostExit{
			{Code: "0", Means: "nothing on stdout, or an allow, is not an objection; anything else is not a decision"},
			{Code: "2", Means: "a deny with stderr as the reason, before a tool and at the end"},
			{Code: "other", Means: "no decision: before a tool a deny where the entry says \"on_failure\": \"block\", as that of the bridge does"},
		},
		Late: "no decision, as with other exit codes", Unknown: dialect.UnknownIgnored,
		Matcher: "an unanchored regular expression on the tool's name; a rule whose matcher is * is dropped",
		Needs:   []string{"the plugin must not be switched off in its settings or in config.yaml"},
		Traps: []string{
			"it acts on nothing but a refusal before a tool and at the end: no prompt can be refused, no input changed, nothing added or taken out",
			"at the end it goes on even if the entry says otherwise when a hook fails, and after some refusals in a row",
			"of two plugins of one name the project's runs",
		},
		Facts: dialect.HostFacts{Version: "main of 2026-08", Date: "2026-11-29", Source: "https://github.com/block/goose/blob/main/documentation/docs/guides/context-engineering/hooks.md", Proof: "documents"},
	}

	table = &foreign.Table{
		Name: name, EventKey: "event", Own: func(p hook.JSON) bool { return p.Has("event") && p.Has("matcher_context") },
		Common: foreign.Fields("session_id", "cwd>working_dir", ">matcher_context"),
		Tools:  tools{names}, Result: foreign.Results{In: foreign.Printed}, Exit: foreign.ClaudeExits, Silent: true, Events: events,
	}

	names = vocab.Vocabulary{
		{Canonical: "Bash", Dialect: "developer__shell", Fields: []vocab.Field{{Canonical: "timeout", Dialect: "timeout_secs", Out: vocab.Seconds, In: vocab.Millis}}},
		{Canonical: "Write", Dialect: "developer__write", Fields: []vocab.Field{path}},
		{Canonical: "Edit", Dialect: "developer__edit", Fields: []vocab.Field{path, {Canonical: "old_string", Dialect: "before"}, {Canonical: "new_string", Dialect: "after"}}},
		{Canonical: "LS", Dialect: "developer__tree"},
		{Canonical: "Agent", Dialect: "subagent"},
	}

	path = vocab.Field{Canonical: "file_path", Dialect: "path"}
)

func events() []foreign.Event {
	tool := foreign.Fields("tool_use_id>tool_call_id", "tool_name", "tool_input")
	blocks := []foreign.Member{
		{Path: "decision", Means: foreign.Decides, Words: []foreign.Word{{Text: "block", Decision: hook.DecisionDeny}, {Text: "allow"}}},
		{Path: "reason", Means: foreign.Reason},
	}
	return []foreign.Event{
		{Name: "SessionStart", Event: hook.EventSessionStart},
		{Name: "SessionEnd", Event: hook.EventSessionEnd},
		{Name: "UserPromptSubmit", Event: hook.EventUserPromptSubmit, Fields: foreign.Fields("prompt>message")},
		{Name: "PreToolUse", Event: hook.EventPreToolUse, Fields: tool, Answer: blocks, OnFailure: "block"},
		{Name: "PostToolUse", Event: hook.EventPostToolUse, Fields: append(tool, foreign.Fields("tool_response>tool_output")...)},
		{Name: "PostToolUseFailure", Event: hook.EventPostToolUseFailure, Fields: append(tool, foreign.Fields("error>message", ">tool_output")...)},
		{Name: "Stop", Event: hook.EventStop, Fields: foreign.Fields("last_assistant_message"), Answer: blocks},
	}
}

// tools are a vocabulary, and the tools of extensions, which are MCP servers.
type tools struct{ vocab.Vocabulary }

// Out writes a tool's name and input as goose has them.
func (t tools) Out(name string, input hook.JSON) (string, hook.JSON) {
	if rest, ok := strings.CutPrefix(name, "mcp__"); ok {
		return rest, input
	}
	return t.Vocabulary.Out(name, input)
}

// In reads them.
func (t tools) In(name string, input hook.JSON) (string, hook.JSON) {
	if strings.Contains(name, "__") && !strings.HasPrefix(name, "developer__") {
		return "mcp__" + name, input
	}
	return t.Vocabulary.In(name, input)
}
