package pi

import (
	"strconv"

	"github.com/hookline-dev/hookline/dialect/vocab"
	"github.com/hookline-dev/hookline/hook"
)

// Tools returns the dialect's tool vocabulary.
func Tools() vocab.Vocabulary { return tools }

var tools = vocab.Vocabulary{
	{Canonical: "Bash", Dialect: "bash", Fields: []vocab.Field{
		{Canonical: "timeout", Dialect: "timeout", Out: toSeconds, In: toMillis},
	}},
	{Canonical: "Read", Dialect: "read", Fields: []vocab.Field{{Canonical: "file_path", Dialect: "path"}}},
	{Canonical: "Write", Dialect: "write", Fields: []vocab.Field{{Canonical: "file_path", Dialect: "path"}}},
	{Canonical: "Edit", Dialect: "edit", Fields: []vocab.Field{
		{Canonical: "file_path", Dialect: "path"}, {Canonical: "old_string", Dialect: "oldText"}, {Canonical: "new_string", Dialect: "newText"},
	}},
	{Canonical: "Grep", Dialect: "grep", Fields: []vocab.Field{
		{Canonical: "-i", Dialect: "ignoreCase"}, {Canonical: "-C", Dialect: "context"}, {Canonical: "head_limit", Dialect: "limit"},
	}},
	{Canonical: "Glob", Dialect: "find"},
	{Canonical: "LS", Dialect: "ls"},
}

// toSeconds turns milliseconds into the dialect's seconds, rounded up; what is
// no whole number stays.
func toSeconds(v hook.JSON) hook.JSON {
	n, err := strconv.ParseInt(v.Raw(), 10, 64)
	if err != nil || n < 0 {
		return v
	}
	return hook.MustJSON((n + 999) / 1000)
}

// toMillis turns the dialect's seconds into milliseconds.
func toMillis(v hook.JSON) hook.JSON {
	s, err := strconv.ParseFloat(v.Raw(), 64)
	if err != nil || s < 0 || s > 1e12 {
		return v
	}
	return hook.MustJSON(int64(s * 1000))
}
