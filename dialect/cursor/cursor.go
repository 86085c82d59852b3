package cursor

import (
	"time"

	"github.com/hookline-dev/hookline/dialect"
	"github.com/hookline-dev/hookline/dialect/internal/foreign"
	"github.com/hookline-dev/hookline/dialect/internal/jspattern"
	"github.com/hookline-dev/hookline/dialect/vocab"
	"github.com/hookline-dev/hookline/hook"
	"github.com/hookline-dev/hookline/plugin"
)

// name is the dialect's name.
const name = "cursor"

// Dialect returns the dialect.
func Dialect() dialect.Dialect { return foreign.New(spec) }

// What is written once, here, and never changed.
var (
	spec = &foreign.Spec{
		Title: "Cursor", Summary: "Cursor's own entries in .cursor/hooks.json, when asked for", Rank: 550,
		Tables: []*foreign.Table{table}, Files: files, Vocabulary: names,
		Hosts:  []foreign.Host{{Row: row, Tables: []*foreign.Table{table}}},
		Places: dialect.Places{Layouts: []plugin.Layout{{Name: name, Dir: ".cursor", Kinds: []string{}}}},
	}

	row = &dialect.Host{
		Name: name, Title: "Cursor", Program: "cursor-agent",
		Files: []dialect.HostFile{
			{Level: "user", Base: dialect.HomeBase, Dir: ".cursor", Name: "hooks.json", Shape: dialect.ShapeFlat, Write: true},
			{Level: "project", Base: dialect.ProjectBase, Dir: ".cursor", Name: "hooks.json", Shape: dialect.ShapeFlat, Write: true},
			{Level: "managed", Base: dialect.SystemBase, Dir: "etc/cursor", Name: "hooks.json", Shape: dialect.ShapeFlat},
		},
		Unit: time.Second, Default: time.Minute,
		Exits: []dialect.HostExit{
			{Code: "0", Means: "the JSON on stdout counts"},
			{Code: "2", Means: "a deny; JSON beside it is shown as it stands"},
			{Code: "other", Means: "the call goes on, unless the entry says failClosed"},
		},
		Late: "the call goes on, unless the entry says failClosed", Unknown: dialect.UnknownIgnored,
		Tools:   []string{"Read", "Grep"},
		Matcher: "a tool's kind, the text of the command for shell events, the kind of a subagent",
		Twice:   []string{"preToolUse and the event of the single tool both fire for one call", "the IDE reads Claude Code's settings too, if the person ticks that"},
		Traps: []string{
			"a file without a version holds nothing, and one unknown event voids a whole file",
			"a question (ask) of preToolUse is taken and not put",
			"a deny tells the model user_message, not agent_message",
			"no event of a prompt or before a tool adds to the context",
			"the server of an MCP tool is not told: the tool is MCP:NAME",
			"-p has no beforeSubmitPrompt and no stop; cloud agents run the project's file only",
		},
		Facts: dialect.HostFacts{Version: "3.9.16", Date: "2026-06-30", Source: "https://cursor.com/docs/hooks", Proof: "documents"},
	}

	files = &foreign.Files{
		List: func(d dialect.Dirs) []foreign.Place {
			return []foreign.Place{
				{Path: dialect.Join(d.ManagedPrograms, "cursor", "hooks.json"), Level: dialect.ManagedLevel},
				{Path: dialect.Join(d.Home, ".cursor", "hooks.json"), Level: "user"},
				{Path: dialect.Join(d.Project, ".cursor", "hooks.json"), Level: "project"},
			}
		},
		Version: true, Timeouts: []string{"timeout"}, Unit: time.Second, Default: time.Minute, Commands: []string{"command"},
		Known:   []string{"loop_limit", "prompt", "model"},
		Others:  []string{"afterAgentResponse", "afterAgentThought", "beforeTabFileRead", "afterTabFileEdit", "workspaceOpen"},
		Pattern: func(_ *foreign.Event, text string) (hook.Matcher, error) { return jspattern.Parse(text) },
		WorkDir: func(d dialect.Dirs, p foreign.Place) string {
			if p.Level == "user" {
				return dialect.Join(d.Home, ".cursor")
			}
			return d.Project
		},
		Env: func(d dialect.Dirs, _ hook.Input) []string {
			return []string{"CURSOR_PROJECT_DIR=" + d.Project, "CLAUDE_PROJECT_DIR=" + d.Project}
		},
	}

	table = &foreign.Table{
		Name: name, EventKey: "hook_event_name", Own: func(p hook.JSON) bool { return p.Has("conversation_id") || p.Has("cursor_version") },
		Common: append(foreign.Fields("session_id>conversation_id", "prompt_id>generation_id", "transcript_path", "cwd", ">model", ">cursor_version", ">user_email", ">session_id"),
			vocab.Field{Canonical: "cwd", Dialect: "workspace_roots", In: foreign.First, Out: foreign.Only}),
		Tools: tools{names}, Result: foreign.Results{In: foreign.Printed}, Exit: foreign.ClaudeExits, Events: events,
	}

	names = vocab.Vocabulary{
		{Canonical: "Bash", Dialect: "Shell"},
		{Canonical: "Write", Dialect: "Write", Fields: []vocab.Field{{Canonical: "content", Dialect: "contents"}}},
		{Canonical: "Edit", Dialect: "Write"},
		{Canonical: "MultiEdit", Dialect: "Write"},
		{Canonical: "Agent", Dialect: "Task"},
	}
)
