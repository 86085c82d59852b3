package pi

import "github.com/hookline-dev/hookline/dialect/vocab"

var tools = vocab.Vocabulary{
	{Canonical: "Bash", Dialect: "bash", Fields: []vocab.Field{
		{Canonical: "timeout", Dialect: "timeout", Out: vocab.Seconds, In: vocab.Millis},
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
