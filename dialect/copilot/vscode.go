package copilot

import (
	"time"

	"github.com/hookline-dev/hookline/dialect"
	"github.com/hookline-dev/hookline/dialect/internal/foreign"
	"github.com/hookline-dev/hookline/dialect/vocab"
	"github.com/hookline-dev/hookline/hook"
)

// editorName is the name of VS Code's dialect.
const editorName = "vscode"

// Editor returns the dialect of VS Code's own agent. Its files are Copilot's, whose dialect
// reads them, so that it takes what Copilot's command line sends for the same entries too.
func Editor() dialect.Dialect {
	tables := []*foreign.Table{editorTable(editorName, "hook_event_name"), editorTable(editorName, "hookEventName"), sharedTable(editorName)}
	return foreign.New(&foreign.Spec{
		Title: "VS Code", Summary: "VS Code's agent, which takes Copilot's files", Rank: 516,
		Tables: tables, Vocabulary: editorNames, Hosts: []foreign.Host{{Row: editorRow, Tables: tables[:1]}},
	})
}

var editorRow = &dialect.Host{
	Name: editorName, Title: "VS Code", Program: "code",
	Files: []dialect.HostFile{
		{Level: "user", Base: dialect.HomeBase, Dir: ".copilot/hooks", Name: "hookline.json", Shape: dialect.ShapeFlat, Write: true},
		{Level: "project", Base: dialect.ProjectBase, Dir: ".github/hooks", Name: "hookline.json", Shape: dialect.ShapeFlat, Write: true},
		{Level: "user", Base: dialect.HomeBase, Dir: ".copilot/hooks", Shape: dialect.ShapeFlat},
		{Level: "project", Base: dialect.ProjectBase, Dir: ".github/hooks", Shape: dialect.ShapeFlat},
	},
	Reads: []dialect.HostRead{
		{Host: "claude", Levels: []string{"project", "local"}},
		{Host: "claude", Levels: []string{"user"}, When: "chat.useClaudeHooks is on"},
	},
	Unit: time.Second, Default: 30 * time.Second,
	Exits: []dialect.HostExit{
		{Code: "0", Means: "the JSON on stdout counts"},
		{Code: "2", Means: "a deny with stderr as the reason"},
		{Code: "other", Means: "a warning, and the call goes on"},
	},
	Late: "the call goes on", Unknown: dialect.UnknownIgnored,
	Matcher: "ignored: an entry is asked about every tool",
	Twice:   []string{"files of all levels add up, Claude Code's among them"},
	Traps: []string{
		"a changed input that the tool's schema does not take is dropped",
		"a prompt can only be stopped with the whole run, and a changed result is lost",
		"names of tools differ from build to build",
		"Copilot's command line runs the same files, by the names of events that are here",
	},
	Facts: dialect.HostFacts{Version: "documents of 2026-08, preview", Date: "2026-11-29", Source: "https://code.visualstudio.com/docs/copilot/customization/hooks", Proof: "documents"},
}

// editorTable is the form of VS Code's own agent: events as in sharedTable, tools by names of
// its own. Builds differ in the member that names the event.
func editorTable(name, key string) *foreign.Table {
	return &foreign.Table{
		Name: name, EventKey: key, Own: func(p hook.JSON) bool { return p.Has("hookEventName") },
		Common:   foreign.Fields("session_id", "session_id>sessionId", "cwd", "transcript_path"),
		StampKey: "timestamp", Stamp: iso, Tools: editorNames, Result: foreign.Results{Out: foreign.Text, In: foreign.Printed},
		Exit: foreign.ClaudeExits, Events: editorEvents,
	}
}

// editorEvents are those of VS Code.
func editorEvents() []foreign.Event {
	tool := foreign.Fields("tool_name", "tool_input", "tool_use_id")
	agent := foreign.Fields("agent_id", "agent_type")
	return when(func(p hook.JSON) bool { return !ofCommandLine(p) }, []foreign.Event{
		{Name: "SessionStart", Event: hook.EventSessionStart, Answer: with(said, within...), Fields: []vocab.Field{started}},
		{Name: "UserPromptSubmit", Event: hook.EventUserPromptSubmit, Fields: foreign.Fields("prompt"), Answer: said},
		{Name: "PreToolUse", Event: hook.EventPreToolUse, Fields: tool, Answer: with(said, nested...)},
		{Name: "PostToolUse", Event: hook.EventPostToolUse, Fields: append(tool, foreign.Fields("tool_response")...), Answer: with(said, append(with(blocks), within...)...)},
		{Name: "SubagentStart", Event: hook.EventSubagentStart, Answer: with(said, within...), Fields: agent},
		{Name: "SubagentStop", Event: hook.EventSubagentStop, Answer: with(said, blocks...), Fields: append(agent, foreign.Fields("stop_hook_active")...)},
		{Name: "Stop", Event: hook.EventStop, Answer: with(said, nestedBlock...), Fields: foreign.Fields("stop_hook_active")},
		{Name: "PreCompact", Event: hook.EventPreCompact, Answer: said, Fields: foreign.Fields("trigger")},
	})
}

// editorNames are the tools of VS Code.
var editorNames = vocab.Vocabulary{
	{Canonical: "Bash", Dialect: "run_in_terminal", Fields: []vocab.Field{{Canonical: "description", Dialect: "explanation"}, {Canonical: "run_in_background", Dialect: "isBackground"}}},
	{Canonical: "Bash", Dialect: "runTerminalCommand"},
	{Canonical: "Read", Dialect: "read_file", Fields: []vocab.Field{filePath}},
	{Canonical: "Read", Dialect: "readFile", Fields: []vocab.Field{filePath}},
	{Canonical: "Write", Dialect: "create_file", Fields: []vocab.Field{filePath}},
	{Canonical: "Write", Dialect: "createFile", Fields: []vocab.Field{filePath}},
	{Canonical: "Edit", Dialect: "replace_string_in_file", Fields: []vocab.Field{filePath, {Canonical: "old_string", Dialect: "oldString"}, {Canonical: "new_string", Dialect: "newString"}}},
	{Canonical: "Glob", Dialect: "file_search", Fields: []vocab.Field{{Canonical: "pattern", Dialect: "query"}}},
	{Canonical: "Grep", Dialect: "grep_search", Fields: []vocab.Field{{Canonical: "pattern", Dialect: "query"}, {Canonical: "glob", Dialect: "includePattern"}}},
	{Canonical: "LS", Dialect: "list_dir"},
	{Canonical: "WebFetch", Dialect: "fetch_webpage"},
	{Canonical: "Agent", Dialect: "runSubagent"},
	{Canonical: "TodoWrite", Dialect: "manage_todo_list"},
}

var filePath = vocab.Field{Canonical: "file_path", Dialect: "filePath"}

// ofEditor reports whether a payload can only be VS Code's, and ofCommandLine whether it can
// only be that of Copilot's command line: by the names of tools, and by what the other one does
// not send.
func ofEditor(p hook.JSON) bool {
	if name := p.String("tool_name"); name != "" {
		return editorNames.CanonicalName(name) != name || name == "editFiles" || p.Has("tool_use_id")
	}
	return p.Has("hookEventName") || p.String("transcript_path") != "" && !ofCommandLine(p)
}

func ofCommandLine(p hook.JSON) bool {
	if p.String("tool_name") != "" {
		return !ofEditor(p)
	}
	return p.Has("stop_reason") || p.Has("agent_name") || p.Has("custom_instructions")
}
