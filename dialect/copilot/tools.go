package copilot

import (
	"github.com/hookline-dev/hookline/dialect/vocab"
	"github.com/hookline-dev/hookline/hook"
)

// names are the tools of the CLI and the cloud agent.
var names = vocab.Vocabulary{
	{Canonical: "Bash", Dialect: "bash"},
	{Canonical: "Bash", Dialect: "powershell"},
	{Canonical: "Read", Dialect: "view", Fields: []vocab.Field{path}},
	{Canonical: "Write", Dialect: "create", Fields: []vocab.Field{path, {Canonical: "content", Dialect: "file_text"}}},
	{Canonical: "Edit", Dialect: "edit", Fields: edited},
	{Canonical: "Edit", Dialect: "str_replace_editor", Fields: edited},
	{Canonical: "Glob", Dialect: "glob"},
	{Canonical: "Grep", Dialect: "grep"},
	{Canonical: "Grep", Dialect: "rg"},
	{Canonical: "WebFetch", Dialect: "web_fetch"},
	{Canonical: "WebSearch", Dialect: "web_search"},
	{Canonical: "Agent", Dialect: "task", Fields: []vocab.Field{{Canonical: "subagent_type", Dialect: "agent_type"}}},
	{Canonical: "TodoWrite", Dialect: "update_todo"},
	{Canonical: "AskUserQuestion", Dialect: "ask_user"},
	{Canonical: "Skill", Dialect: "skill"},
}

var (
	path   = vocab.Field{Canonical: "file_path", Dialect: "path"}
	edited = []vocab.Field{path, {Canonical: "old_string", Dialect: "old_str"}, {Canonical: "new_string", Dialect: "new_str"}}
)

// claudeNames are the same tools by Claude Code's names.
func claudeNames() (out vocab.Vocabulary) {
	for _, t := range names {
		if len(t.Fields) > 0 && out.DialectName(t.Canonical) == t.Canonical {
			out = append(out, vocab.Tool{Canonical: t.Canonical, Dialect: t.Canonical, Fields: t.Fields})
		}
	}
	return out
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

// ofEditor reports whether a payload is about a tool by its name in VS Code.
func ofEditor(p hook.JSON) bool {
	name := p.String("tool_name")
	return editorNames.CanonicalName(name) != name || name == "editFiles" || p.Has("tool_use_id")
}
