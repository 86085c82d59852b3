package permission

import (
	"slices"
	"strings"

	"github.com/hookline-dev/hookline/internal/shell"
	"github.com/hookline-dev/hookline/internal/toolrule"
)

// readOnly reports whether a command only reads, and only within the working
// directories.
func (e *evaluation) readOnly(c *shell.Command) bool { return e.notReadOnly(c) == "" }

// noReader is why a command that the package doesn't know is not a command that only
// reads.
const noReader = "no rule allows it"

// notReadOnly says why a command may do more than read within the working directories,
// "" when it does not.
func (e *evaluation) notReadOnly(c *shell.Command) string {
	paths, ok := reads(c)
	if !ok {
		return unread(c)
	}
	cd := c.Name() == "cd"
	if cd && len(c.Args) == 1 {
		paths = []shell.Word{{Text: "~", Literal: true}}
	}
	for _, w := range paths {
		switch {
		case cd && e.enters(w), !cd && (e.wordInside(w) || e.mayRead(w)):
		case w.Glob:
			return w.Text + " may name files outside the working directories, or become an option"
		case cd:
			return w.Text + " is outside the working directories"
		default:
			return w.Text + " is outside the working directories; a rule for Read would allow it"
		}
	}
	return ""
}

// unread says what keeps a command that may read from being known to.
func unread(c *shell.Command) string {
	_, known := readers[c.Name()]
	if !known && c.Name() != "git" {
		return noReader
	}
	words := c.Args[1:]
	for _, r := range c.Redirects {
		if r.Here {
			words = append(words[:len(words):len(words)], r.Path)
		}
	}
	for _, w := range words {
		if !w.Literal && !w.Glob {
			return clip(w.Text) + " is computed, so that it isn't known what it reads"
		}
	}
	if !known {
		return "git may run what the settings of the repository name, and " + noReader
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

// mayRead reports whether allow rules for Read cover a path outside the working
// directories.
func (e *evaluation) mayRead(w shell.Word) bool {
	if !w.Literal || !e.dirsKnown {
		return false
	}
	covered := func(call toolrule.Call) bool {
		return slices.ContainsFunc(e.entries, func(entry Entry) bool {
			return entry.Behavior == Allow && entry.Rule.Tool() == "Read" && entry.Rule.Content() != "" &&
				entry.Rule.rule.CoversPath(w.Text, call).Answer == toolrule.Yes
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
	if w.Literal {
		return e.inside(w.Text)
	}
	return w.Glob && e.patternInside(w)
}

// patternInside reports whether everything that a file pattern can stand for lies
// in the working directories, also where symbolic links lead, and is not an option.
func (e *evaluation) patternInside(w shell.Word) bool {
	fixed, down := toolrule.Fixed(w)
	if !down || !e.inside(fixed) {
		return false
	}
	for _, dir := range e.dirs {
		call := e.call
		call.Cwd = dir
		found, ok := call.Expand(w)
		if !ok || slices.ContainsFunc(found, func(f toolrule.File) bool { return strings.HasPrefix(f.Path, "-") || !e.insideAt(call, f.Path) }) {
			return false
		}
	}
	return true
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
func (e *evaluation) insideAt(call toolrule.Call, p string) bool {
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
func (e *evaluation) acceptsEdit(p toolrule.Part) bool {
	if p.Redirect != nil {
		return p.Redirect.Path.Literal && e.inside(p.Redirect.Path.Text)
	}
	c := p.Command
	if c == nil || c.Uncertain != "" || toolrule.RiskyEnv(c) != "" || c.Name() == "" || c.Args[0].Text != c.Name() {
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
