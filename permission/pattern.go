package permission

import (
	"slices"
	"strings"

	"github.com/hookline-dev/hookline/internal/shell"
	"github.com/hookline-dev/hookline/permission/rule"
)

// patternInside reports whether everything that a file pattern can stand for lies
// in the working directories, also where symbolic links lead.
func (e *evaluation) patternInside(w shell.Word) bool {
	fixed, down := rule.Fixed(w)
	if !e.dirsKnown || !down {
		return false
	}
	for _, dir := range e.dirs {
		call := e.call
		call.Cwd = dir
		if !e.insideAt(call, fixed) {
			return false
		}
		if w.Found == shell.FoundFile && !w.Split {
			continue // find goes through no link, and gives none
		}
		if files, ok := call.Expand(w); !ok || !e.allInside(call, files, w.Found == shell.FoundAny) {
			return false
		}
	}
	return true
}

// allInside reports whether files lie in the working directories; with links set,
// only the symbolic links among them are looked at.
func (e *evaluation) allInside(call rule.Call, files []rule.File, links bool) bool {
	return !slices.ContainsFunc(files, func(f rule.File) bool { return (f.Link || !links) && !e.insideAt(call, f.Path) })
}

// followers are the options with which commands that only read go through the
// symbolic links that they come upon: single letters, and long ones.
var followers = map[string]struct {
	letters string
	long    []string
}{
	"grep": {"R", []string{"--dereference-recursive"}}, "egrep": {"R", []string{"--dereference-recursive"}},
	"fgrep": {"R", []string{"--dereference-recursive"}}, "rg": {"L", []string{"--follow"}}, "find": {"L", []string{"-follow"}},
	"tree": {"l", nil}, "du": {"L", []string{"--dereference"}}, "ls": {"L", []string{"--dereference"}}, "diff": {"r", []string{"--recursive"}},
}

// followsLinks reports whether a command goes through links in the directories
// that it is given.
func followsLinks(c *shell.Command) bool {
	f, ok := followers[c.Name()]
	return ok && slices.ContainsFunc(c.Args[1:], func(w shell.Word) bool {
		text := w.Pieces()[0].Text
		if len(text) < 2 || text[0] != '-' {
			return false
		}
		for _, long := range f.long {
			if name, _, _ := strings.Cut(text, "="); len(name) > 2 && strings.HasPrefix(long, name) {
				return true
			}
		}
		return text[1] != '-' && c.Name() != "find" && strings.ContainsAny(text, f.letters) || text == "-"+f.letters
	})
}

// linksInside reports whether links below the operands of a command stay inside; where
// there may be none, below the directory it runs in.
func (e *evaluation) linksInside(c *shell.Command) bool {
	if !e.dirsKnown {
		return false
	}
	var paths []shell.Word
	for _, w := range c.Args[1:] {
		if !w.Literal || !strings.HasPrefix(w.Text, "-") {
			paths = append(paths, w)
		}
	}
	if r := readers[c.Name()]; len(paths) == 0 || len(paths) == 1 && r.pattern {
		paths = append(paths, shell.Word{Text: ".", Literal: true})
	}
	call := e.call
	for _, dir := range e.dirs {
		call.Cwd = dir
		for _, p := range paths {
			if files, ok := call.Below(p.Text); !p.Literal || !ok || !e.allInside(call, files, true) {
				return false
			}
		}
	}
	return true
}
