package pi

import (
	"github.com/hookline-dev/hookline/dialect/vocab"
	"github.com/hookline-dev/hookline/hook"
)

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

// toolOut translates a call to the dialect's names. An edit is a list of replacements
// there.
func toolOut(name string, input hook.JSON) (string, hook.JSON) {
	name, input = tools.Out(name, input)
	if from, ok := input.Get("oldText"); ok && name == "edit" {
		to, _ := input.Get("newText")
		input.Delete("oldText")
		input.Delete("newText")
		set(&input, "edits", []values{{"oldText": from, "newText": to}})
	}
	return name, input
}

// toolIn is the way back from toolOut. An edit of several places stays one, which
// the tool then refuses.
func toolIn(name string, input hook.JSON) (string, hook.JSON) {
	if edits := array(input, "edits"); name == "edit" && len(edits) == 1 {
		from, _ := edits[0].Get("oldText")
		to, _ := edits[0].Get("newText")
		input.Delete("edits")
		set(&input, "oldText", from)
		set(&input, "newText", to)
	}
	return tools.In(name, input)
}
