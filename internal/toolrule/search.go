package toolrule

import (
	"slices"
	"strings"

	"github.com/hookline-dev/hookline/internal/shell"
)

// searchers are the commands that read all files below the directories that they
// are given, with the option that makes them do so; "" is none.
var searchers = map[string]struct {
	letters string
	long    []string
	always  bool
}{
	"grep": {letters: "rR", long: []string{"--recursive", "--dereference-recursive"}}, "egrep": {letters: "rR", long: []string{"--recursive", "--dereference-recursive"}},
	"fgrep": {letters: "rR", long: []string{"--recursive", "--dereference-recursive"}}, "diff": {letters: "r", long: []string{"--recursive"}},
	"cp": {letters: "rRa", long: []string{"--recursive", "--archive"}}, "zip": {letters: "r"}, "scp": {letters: "r"},
	"rsync": {letters: "ra", long: []string{"--recursive", "--archive"}}, "tar": {always: true}, "rg": {always: true}, "ag": {always: true}, "ack": {always: true},
}

// searched lists the words of a command that may be directories of which it reads
// everything; ok is false for a command that does no such thing.
func searched(c *shell.Command) (dirs []shell.Word, ok bool) {
	if len(c.Args) == 0 {
		return nil, false
	}
	name, args := c.Name(), c.Args[1:]
	s, known := searchers[name]
	if !known || !s.always && !slices.ContainsFunc(args, func(w shell.Word) bool {
		text, isOption := strings.CutPrefix(w.Pieces()[0].Text, "-")
		if !isOption || text == "" {
			return false
		}
		if text[0] == '-' {
			return len(text) > 1 && slices.ContainsFunc(s.long, func(l string) bool { return strings.HasPrefix(l, "-"+text) })
		}
		return strings.ContainsAny(text, s.letters)
	}) {
		return nil, false
	}
	for _, w := range args {
		if !strings.HasPrefix(w.Pieces()[0].Text, "-") {
			dirs = append(dirs, w)
		}
	}
	if len(dirs) < 2 && (name == "rg" || name == "ag" || name == "ack" || strings.HasSuffix(name, "grep")) {
		dirs = append(dirs, shell.Word{Text: ".", Literal: true}) // where none is named
	}
	return dirs, true
}

// matchSearched looks for a file that the rule speaks about among those that a
// command comes upon.
func (r Rule) matchSearched(c *shell.Command, call Call) Match {
	dirs, ok := searched(c)
	if !ok {
		return Match{}
	}
	for _, w := range dirs {
		if !w.Literal || w.Text == "" {
			continue // patterns are looked at on their own
		}
		if m := r.matchFiles(w.Text, call.below, call); m.Answer != No {
			return doubt(c.Source, "it reads whatever it finds, and "+m.Why)
		}
	}
	return Match{}
}

// matchPattern matches what a word with a file pattern stands for.
func (r Rule) matchPattern(w shell.Word, call Call) Match {
	fixed, down := Fixed(w)
	if !down {
		return doubt(w.Text, "the pattern "+w.Text+" may lead upwards")
	}
	return r.matchFiles(fixed, func(string) ([]File, bool) { return call.Expand(w) }, call)
}

func (r Rule) matchFiles(dir string, list func(string) ([]File, bool), call Call) Match {
	files, ok := list(dir)
	bases := r.bases(call, toForbid)
	for _, f := range files {
		if m := matchesAny(bases, f.Path, call); m.Answer == Yes {
			return m
		}
	}
	if !ok && r.mayLieBelow(dir, call) {
		return doubt(dir, "there are too many files in "+dir+" to look at")
	}
	return Match{}
}

// mayLieBelow reports whether a file that the rule speaks about could lie below a
// directory.
func (r Rule) mayLieBelow(dir string, call Call) bool {
	at, err := call.Resolve(dir)
	return err != nil || slices.ContainsFunc(r.bases(call, toForbid), func(a anchored) bool {
		_, in := below(at, a.dir, strings.EqualFold)
		_, over := below(a.dir, at, strings.EqualFold)
		return in || over
	})
}
