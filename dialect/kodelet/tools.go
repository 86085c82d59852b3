package kodelet

import "github.com/hookline-dev/hookline/dialect/vocab"

// tools is kodelet's tool vocabulary, as its tool inputs declare it.
var tools = vocab.Vocabulary{
	{Canonical: "Bash", Dialect: "bash", Fields: []vocab.Field{
		{Canonical: "timeout", Dialect: "timeout", Out: vocab.Seconds, In: vocab.Millis},
	}},
	{Canonical: "Read", Dialect: "file_read", Fields: []vocab.Field{{Canonical: "limit", Dialect: "line_limit"}}},
	{Canonical: "Write", Dialect: "file_write", Fields: []vocab.Field{{Canonical: "content", Dialect: "text"}}},
	{Canonical: "Edit", Dialect: "file_edit", Fields: []vocab.Field{
		{Canonical: "old_string", Dialect: "old_text"}, {Canonical: "new_string", Dialect: "new_text"},
	}},
	{Canonical: "Grep", Dialect: "grep_tool", Fields: []vocab.Field{
		{Canonical: "glob", Dialect: "include"},
		{Canonical: "-i", Dialect: "ignore_case"},
		{Canonical: "-C", Dialect: "surround_lines"},
		{Canonical: "head_limit", Dialect: "max_results"},
	}},
	{Canonical: "Glob", Dialect: "glob_tool"},
	{Canonical: "WebFetch", Dialect: "web_fetch"},
	{Canonical: "Agent", Dialect: "subagent", Fields: []vocab.Field{{Canonical: "prompt", Dialect: "question"}}},
	{Canonical: "Task", Dialect: "subagent", Fields: []vocab.Field{{Canonical: "prompt", Dialect: "question"}}},
	{Canonical: "TodoWrite", Dialect: "todo_write"},
	{Canonical: "Skill", Dialect: "skill", Fields: []vocab.Field{{Canonical: "skill", Dialect: "skill_name"}}},
}
