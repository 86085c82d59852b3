package permission

import (
	"slices"
	"strings"

	"github.com/hookline-dev/hookline/internal/shell"
	"github.com/hookline-dev/hookline/permission/rule"
)

// readOnly reports whether a command only reads, and only within the working
// directories.
func (e *evaluation) readOnly(c *shell.Command) bool { return e.notReadOnly(c) == "" }

// noReader is why a command that the package doesn't know is no command that only
// reads.
const noReader = "no rule allows it"

// notReadOnly says why a command may do more than read within the working directories,
// "" when it does not.
func (e *evaluation) notReadOnly(c *shell.Command) string {
	c = e.known(c)
	paths, ok := reads(c)
	if !ok {
		return unread(c)
	}
	name := c.Name()
	switch {
	case name == "cd" && len(c.Args) == 1:
		paths = []shell.Word{{Text: "~", Literal: true}}
	case name == "git":
		if why := e.gitTrapOf(c, false); why != "" {
			return why
		}
	}
	for _, w := range c.Args[1:] {
		if w.Glob && !w.Literal && !e.listedInside(w) {
			return w.Text + " may name files outside the working directories"
		}
		if w.Glob && !w.Literal && e.givesOptions(w) {
			return w.Text + " may become an option"
		}
	}
	if followsLinks(c) && !e.linksInside(c) {
		return "it follows links, and some may lead out of the working directories"
	}
	for _, w := range paths {
		ok := name == "cd" && e.enters(w) || name != "cd" && (e.wordInside(w) || e.mayRead(w))
		switch {
		case ok:
		case w.Found != shell.NotFound:
			return "what find comes upon may lead out of the working directories, or fall apart into several words"
		case name == "cd":
			return w.Text + " is outside the working directories"
		default:
			return w.Text + " is outside the working directories; a rule for Read would allow it"
		}
	}
	return ""
}

// unread says what keeps a command that may read from being known to.
func unread(c *shell.Command) string {
	_, table := readers[c.Name()]
	_, special := specialReaders[c.Name()]
	if !table && !special {
		return noReader
	}
	for _, w := range c.Args[1:] {
		if !w.Literal && !w.Glob && !w.Output {
			return w.Text + " is computed, so that it isn't known what it reads"
		}
	}
	return "with these arguments it may do more than read, and " + noReader
}

// enters reports whether a directory that the command changes to is a working one.
// Where a directory it may come from is none, another cd is to blame.
func (e *evaluation) enters(w shell.Word) bool {
	if !w.Literal || !e.dirsKnown {
		return false
	}
	for _, dir := range e.allDirs {
		call := e.call
		call.Cwd = dir
		if (dir == e.call.Cwd || e.insideAt(call, dir)) && !e.insideAt(call, w.Text) {
			return false
		}
		if len(e.dirs) < len(e.allDirs) {
			break // it changes once, and from the first
		}
	}
	return true
}

// givesOptions reports whether a pattern at the start of a word stands for a name that
// a command would take for an option.
func (e *evaluation) givesOptions(w shell.Word) bool {
	if !w.Pieces()[0].Unknown {
		return false
	}
	for _, dir := range e.dirs {
		call := e.call
		call.Cwd = dir
		files, ok := call.Expand(w)
		if !ok || slices.ContainsFunc(files, func(f rule.File) bool { return strings.HasPrefix(f.Path, "-") }) {
			return true
		}
	}
	return !e.dirsKnown
}

// known returns a command with what is known of its computed words in their place.
func (e *evaluation) known(c *shell.Command) *shell.Command {
	computed := func(w shell.Word) bool { return !w.Literal }
	if !e.dirsKnown || !slices.ContainsFunc(c.Args, computed) {
		return c
	}
	out := *c
	out.Args = slices.Clone(c.Args)
	for i, w := range c.Args {
		out.Args[i] = e.knownWord(w, c.Name() == "git")
	}
	return &out
}

// knownWord is known for a word; where commits are read, the name of one is as good as
// HEAD.
func (e *evaluation) knownWord(w shell.Word, commits bool) shell.Word {
	if w.Literal || w.Glob {
		return w
	}
	if commits {
		w.Parts = slices.Clone(w.Parts)
		for i, p := range w.Parts {
			if p.Like == shell.LikeObject {
				w.Parts[i].Like = shell.LikeNumber
			}
		}
	}
	var out shell.Word
	for i, dir := range e.dirs {
		call := e.call
		call.Cwd = dir
		in := call.Known(w)
		if i > 0 && (in.Literal != out.Literal || in.Text != out.Text || !slices.Equal(in.Parts, out.Parts)) {
			return w
		}
		out = in
	}
	return out
}

// mayRead reports whether allow rules for Read cover a path outside the working
// directories.
func (e *evaluation) mayRead(w shell.Word) bool {
	if !w.Literal || !e.dirsKnown {
		return false
	}
	covered := func(call rule.Call) bool {
		return slices.ContainsFunc(e.entries, func(entry Entry) bool {
			return entry.Behavior == Allow && entry.Rule.Tool() == "Read" && entry.Rule.Content() != "" &&
				entry.Rule.CoversPath(w.Text, call).Answer == rule.Yes
		})
	}
	for _, dir := range e.dirs {
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
func (e *evaluation) wordInside(w shell.Word) bool {
	w = e.knownWord(w, false)
	switch {
	case w.Literal:
		return e.inside(w.Text)
	case w.Output:
		return true // what a command prints
	}
	return w.Glob && e.patternInside(w)
}

// listedInside reports whether the directory before the first wildcard of a
// pattern lies in the working directories.
func (e *evaluation) listedInside(w shell.Word) bool {
	fixed, down := rule.Fixed(w)
	return down && e.inside(fixed)
}

// inside reports whether a path lies in a working directory, both as written
// and where symbolic links lead, from every directory that the call may be in.
func (e *evaluation) inside(p string) bool {
	if !e.dirsKnown || len(e.roots) == 0 {
		return false
	}
	for _, dir := range e.dirs {
		call := e.call
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
		return p.Redirect.Path.Literal && e.inside(p.Redirect.Path.Text)
	}
	c := p.Command
	if c == nil || c.Uncertain != "" || rule.RiskyEnv(c) != "" || c.Name() == "" || c.Args[0].Text != c.Name() {
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
		case !e.inside(w.Text):
			return false
		}
	}
	return true
}
