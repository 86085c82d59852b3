package copilot

import "github.com/hookline-dev/hookline/dialect/vocab"

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
