package permission

import (
	"slices"
	"strings"

	"github.com/hookline-dev/hookline/internal/shell"
)

// gitReaders are git's subcommands that only read, with the options that make
// them do more.
var gitReaders = map[string]reader{
	"status": {}, "ls-files": {}, "ls-tree": {}, "rev-parse": {}, "rev-list": {}, "describe": {}, "merge-base": {},
	"check-ignore": {}, "check-attr": {}, "show-branch": {}, "name-rev": {}, "count-objects": {}, "for-each-ref": {}, "show-ref": {}, "cherry": {}, "version": {max: -1},
	"log": gitDiffs, "diff": gitDiffs, "show": gitDiffs, "whatchanged": gitDiffs, "diff-tree": gitDiffs,
	"diff-files": gitDiffs, "diff-index": gitDiffs, "range-diff": gitDiffs,
	"blame": {}, "annotate": {}, "shortlog": {},
	"cat-file": {badLong: []string{"filters"}},
	"grep":     {bad: "O", badLong: []string{"open-files-in-pager", "ext-grep"}, pattern: true, numbers: "ABCm"},
	"branch":   {only: "arv", badLong: gitBranchLong, max: -1},
	"tag":      {only: "ln", badLong: []string{"delete", "annotate", "sign", "force", "message", "file", "edit", "create-reflog", "local-user", "verify", "no-sign"}, max: -1},
	"remote":   {only: "v", noLong: true, max: -1},
}

var gitBranchLong = []string{
	"delete", "move", "copy", "force", "create-reflog", "set-upstream-to", "unset-upstream", "track", "edit-description", "recurse-submodules",
}

var gitDiffs = reader{bad: "O", badLong: []string{"output", "ext-diff", "textconv", "no-index", "output-directory"}}

// gitReads reads the arguments of git.
func gitReads(args []shell.Word) (paths []shell.Word, ok bool) {
	for len(args) > 0 {
		switch w := args[0]; {
		case w.Is("--no-pager"), w.Is("-P"), w.Is("--no-optional-locks"), w.Is("--literal-pathspecs"):
			args = args[1:]
			continue
		case w.Is("-c") && len(args) > 1 && gitSetsHarmless(args[1]):
			args = args[2:]
			continue
		case w.Is("-C") && len(args) > 1 && args[1].Literal:
			paths, args = append(paths, args[1]), args[2:]
			continue
		}
		break
	}
	if len(args) == 0 || !args[0].Literal {
		return nil, false
	}
	sub, rest := args[0].Text, args[1:]
	word := func(i int) string {
		if i < len(rest) && rest[i].Literal {
			return rest[i].Text
		}
		return ""
	}
	switch sub {
	case "config":
		get := []string{"--get", "--get-all", "--get-regexp", "--list", "-l", "get", "list"}
		scopes := []string{"--local", "--global", "--system", "--worktree"}
		i := 0
		for i < len(rest) && slices.Contains(scopes, word(i)) {
			i++
		}
		if i+1 == len(rest) && strings.Contains(word(i), ".") && !isOption(rest[i]) {
			return paths, true // the value of a setting
		}
		return paths, slices.Contains(get, word(i)) && !slices.ContainsFunc(rest[i+1:], isOption)
	case "stash", "worktree", "submodule", "notes":
		want := map[string][]string{"stash": {"list", "show"}, "worktree": {"list"}, "submodule": {"status"}, "notes": {"list", "show"}}[sub]
		if !slices.Contains(want, word(0)) {
			return nil, false
		}
		more, ok := gitDiffs.reads(rest[1:])
		return append(paths, more...), ok
	case "reflog":
		if w := word(0); len(rest) > 0 && w != "show" && !strings.HasPrefix(w, "-") {
			return nil, false
		}
		more, ok := gitDiffs.reads(rest)
		return append(paths, more...), ok
	case "remote":
		if word(0) == "get-url" {
			return paths, !slices.ContainsFunc(rest[1:], func(w shell.Word) bool { return !w.Literal })
		}
	case "tag", "branch":
		// A name makes one unless the listing is asked for.
		if slices.ContainsFunc(rest, func(w shell.Word) bool {
			return w.Is("--list") || w.Is("-l") || w.Is("--contains") || w.Is("--merged") || w.Is("--no-merged") || w.Is("--points-at")
		}) {
			r := gitReaders[sub]
			r.max, r.badLong = 0, slices.Concat(r.badLong, gitDiffs.badLong)
			_, ok := r.reads(rest)
			return paths, ok
		}
	}
	r, known := gitReaders[sub]
	if !known || slices.ContainsFunc(rest, func(w shell.Word) bool { return w.Is("--help") }) {
		return nil, false // the repository's settings name what shows help
	}
	// Whatever walks over commits takes the options of diffs, which can write:
	// git rev-list --output=FILE empties the file.
	r.badLong = slices.Concat(r.badLong, gitDiffs.badLong)
	more, ok := r.reads(rest)
	return append(paths, more...), ok
}

// gitSetsHarmless reports a setting, as git -c takes it, that only says how things are
// shown.
func gitSetsHarmless(w shell.Word) bool {
	name, value, _ := strings.Cut(strings.ToLower(w.Text), "=")
	switch {
	case !w.Literal:
		return false
	case name == "core.pager":
		return value == "cat" || value == ""
	}
	return strings.HasPrefix(name, "color.") || slices.Contains([]string{"core.quotepath", "diff.noprefix", "diff.renames", "log.decorate", "log.date", "advice.detachedhead"}, name)
}

func isOption(w shell.Word) bool {
	first := w.Pieces()[0]
	return first.Unknown || strings.HasPrefix(first.Text, "-")
}
