package permission

import (
	"slices"
	"strings"

	"github.com/hookline-dev/hookline/internal/shellsplit"
	"github.com/hookline-dev/hookline/permission/rule"
)

func dangerousAssign(a shellsplit.Assign) bool {
	return rule.DangerousEnv(a.Name) || evaluated(a.Value)
}

// readOnly reports whether a command only reads, and only within the working
// directories.
func (e *evaluation) readOnly(c *shellsplit.Command) bool {
	paths, ok := reads(c)
	if !ok {
		return false
	}
	switch name := c.Name(); {
	case name == "cd" && len(c.Args) == 1:
		return e.inside(e.call, "~")
	case name == "git" && e.gitTrapOf(c, false) != "":
		return false
	case slices.ContainsFunc(c.Args[1:], func(w shellsplit.Word) bool { return w.Glob && !w.Literal && !e.listedInside(w) }):
		return false
	case followsLinks(c) && !e.linksInside(c):
		return false
	}
	return !slices.ContainsFunc(paths, func(w shellsplit.Word) bool { return !e.wordInside(w) && !e.mayRead(w) })
}

// mayRead reports whether allow rules for Read cover a path outside the working
// directories.
func (e *evaluation) mayRead(w shellsplit.Word) bool {
	dirs, known := e.call.Dirs()
	if !w.Literal || !known {
		return false
	}
	covered := func(call rule.Call) bool {
		return slices.ContainsFunc(e.entries, func(entry Entry) bool {
			return entry.Behavior == Allow && entry.Rule.Tool() == "Read" && entry.Rule.Content() != "" &&
				entry.Rule.CoversPath(w.Text, call).Answer == rule.Yes
		})
	}
	for _, dir := range dirs {
		call := e.call
		call.Cwd = dir
		if !covered(call) {
			return false
		}
	}
	return true
}

// wordInside reports whether a word of a command is a path in the working
// directories, whatever files its pattern stands for.
func (e *evaluation) wordInside(w shellsplit.Word) bool {
	if w.Literal {
		return e.inside(e.call, w.Text)
	}
	return w.Glob && e.patternInside(e.call, w)
}

// listedInside reports whether the directory before the first wildcard of a
// pattern lies in the working directories.
func (e *evaluation) listedInside(w shellsplit.Word) bool {
	fixed, down := rule.Fixed(w)
	return down && e.inside(e.call, fixed)
}

// inside reports whether a path lies in a working directory, both as written
// and where symbolic links lead, from every directory that the call may be in.
func (e *evaluation) inside(call rule.Call, p string) bool {
	dirs, known := call.Dirs()
	if !known || len(e.roots) == 0 {
		return false
	}
	for _, dir := range dirs {
		call.Cwd = dir
		if !e.insideAt(call, p) {
			return false
		}
	}
	return true
}

// insideAt is inside for a call that stays in its directory.
func (e *evaluation) insideAt(call rule.Call, p string) bool {
	lexical, ok := call.Lexical(p)
	if !ok || !e.inRoots(lexical) {
		return false
	}
	real, err := call.Resolve(p)
	return err == nil && e.inRoots(real)
}

// inRoots reports whether an absolute path is a working directory or in one.
func (e *evaluation) inRoots(p string) bool {
	_, ok := e.relative(p)
	return ok
}

// relative returns an absolute path relative to the working directory it is in.
func (e *evaluation) relative(p string) (string, bool) {
	for _, dir := range e.roots {
		if p == dir {
			return ".", true
		}
		if rest, ok := strings.CutPrefix(p, strings.TrimSuffix(dir, "/")+"/"); ok {
			return rest, true
		}
	}
	return p, false
}

// fileCommands are the commands that acceptEdits mode lets through when all
// they name is in the working directories, with their harmless options.
var fileCommands = map[string]string{"mkdir": "pv", "touch": "acm", "cp": "rRpavnfT", "mv": "nfvT", "rmdir": "pv"}

// acceptsEdit reports whether acceptEdits mode allows a part of a command.
func (e *evaluation) acceptsEdit(p rule.Part) bool {
	if p.Redirect != nil {
		return p.Redirect.Path.Literal && e.inside(e.call, p.Redirect.Path.Text)
	}
	c := p.Command
	if c == nil || c.Uncertain != "" || riskyAssign(c) || c.Name() == "" || c.Args[0].Text != c.Name() {
		return false
	}
	options, ok := fileCommands[c.Name()]
	if !ok {
		return false
	}
	for _, w := range c.Args[1:] {
		switch {
		case !w.Literal:
			return false
		case len(w.Text) > 1 && w.Text[0] == '-':
			if strings.Trim(w.Text[1:], options) != "" {
				return false
			}
		case !e.inside(e.call, w.Text):
			return false
		}
	}
	return true
}
