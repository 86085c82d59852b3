package antigravity

import (
	"github.com/hookline-dev/hookline/dialect/vocab"
	"github.com/hookline-dev/hookline/hook"
)

// names are the tools.
var names = vocab.Vocabulary{
	{Canonical: "Bash", Dialect: "run_command", Fields: []vocab.Field{{Canonical: "command", Dialect: "CommandLine"}}},
	{Canonical: "Read", Dialect: "view_file", Fields: []vocab.Field{{Canonical: "file_path", Dialect: "AbsolutePath"}}},
	{Canonical: "Write", Dialect: "write_to_file", Fields: []vocab.Field{target, {Canonical: "content", Dialect: "CodeContent"}}},
	{Canonical: "Edit", Dialect: "replace_file_content", Fields: []vocab.Field{target, was, is, all}},
	{Canonical: "MultiEdit", Dialect: "multi_replace_file_content", Fields: []vocab.Field{
		target, {Canonical: "edits", Dialect: "ReplacementChunks", Out: chunks(outward), In: chunks(inward)},
	}},
	{Canonical: "Glob", Dialect: "find_by_name", Fields: []vocab.Field{{Canonical: "pattern", Dialect: "Pattern"}, {Canonical: "path", Dialect: "SearchDirectory"}}},
	{Canonical: "Grep", Dialect: "grep_search", Fields: []vocab.Field{{Canonical: "pattern", Dialect: "Query"}, {Canonical: "path", Dialect: "SearchPath"}}},
	{Canonical: "LS", Dialect: "list_dir", Fields: []vocab.Field{{Canonical: "path", Dialect: "DirectoryPath"}}},
	{Canonical: "WebFetch", Dialect: "read_url_content", Fields: []vocab.Field{{Canonical: "url", Dialect: "Url"}}},
	{Canonical: "WebSearch", Dialect: "search_web"},
	{Canonical: "Agent", Dialect: "invoke_subagent"},
	{Canonical: "AskUserQuestion", Dialect: "ask_question"},
}

var (
	target = vocab.Field{Canonical: "file_path", Dialect: "TargetFile"}
	was    = vocab.Field{Canonical: "old_string", Dialect: "TargetContent"}
	is     = vocab.Field{Canonical: "new_string", Dialect: "ReplacementContent"}
	all    = vocab.Field{Canonical: "replace_all", Dialect: "AllowMultiple"}
)

func outward(one *hook.JSON, f vocab.Field) { one.Rename(f.Canonical, f.Dialect) }

func inward(one *hook.JSON, f vocab.Field) { one.Rename(f.Dialect, f.Canonical) }

// chunks renames the members of each change in a list.
func chunks(rename func(one *hook.JSON, f vocab.Field)) func(hook.JSON) hook.JSON {
	return func(v hook.JSON) hook.JSON {
		var list []hook.JSON
		if v.Decode(&list) != nil {
			return v
		}
		for i := range list {
			for _, f := range []vocab.Field{was, is, all} {
				rename(&list[i], f)
			}
		}
		return hook.MustJSON(list)
	}
}
