package kodelet

import (
	"strconv"

	"github.com/hookline-dev/hookline/dialect/vocab"
	"github.com/hookline-dev/hookline/hook"
)

// Tools is kodelet's tool vocabulary, as its tool inputs declare it.
func Tools() vocab.Vocabulary { return tools }

var tools = vocab.Vocabulary{
	{Canonical: "Bash", Dialect: "bash", Fields: []vocab.Field{
		{Canonical: "timeout", Dialect: "timeout", Out: scale(1, 1000), In: scale(1000, 1)}, // milliseconds here, seconds there
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
	{Canonical: "Task", Dialect: "subagent", Fields: []vocab.Field{{Canonical: "prompt", Dialect: "question"}}},
	{Canonical: "Agent", Dialect: "subagent", Fields: []vocab.Field{{Canonical: "prompt", Dialect: "question"}}},
	{Canonical: "TodoWrite", Dialect: "todo_write"},
	{Canonical: "Skill", Dialect: "skill", Fields: []vocab.Field{{Canonical: "skill", Dialect: "skill_name"}}},
}

// scale multiplies a whole number by num/den, rounding up; other values stay.
func scale(num, den int64) func(hook.JSON) hook.JSON {
	return func(v hook.JSON) hook.JSON {
		n, err := strconv.ParseInt(v.Raw(), 10, 64)
		if err != nil || n < 0 || n > 1<<40 {
			return v
		}
		return hook.MustJSON((n*num + den - 1) / den)
	}
}
