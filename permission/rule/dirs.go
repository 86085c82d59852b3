package rule

import (
	"slices"

	"github.com/hookline-dev/hookline/internal/shellsplit"
)

// maxDirs bounds the directories that Dirs follows.
const maxDirs = 16

// Dirs lists the directories in which parts of the call may run: Cwd first, and
// for a shell command that changes directory everywhere it may then be. known is
// false when that can't be told.
func (c Call) Dirs() (dirs []string, known bool) {
	c = c.Analyzed()
	dirs, known = []string{c.Cwd}, true
	if c.script == nil || !c.script.Chdir {
		return dirs, c.script == nil || c.script.Parsed
	}
	visit := func(cmd *shellsplit.Command) bool {
		switch name := cmd.Name(); {
		case name == "pushd" || name == "popd":
			known = false
		case name == "env" && cmd.Wrap != shellsplit.NoWrap && slices.ContainsFunc(cmd.Args[:cmd.InnerAt], func(w shellsplit.Word) bool {
			return w.Literal && len(w.Text) > 1 && (w.Text[:2] == "-C" || w.Text[1] == '-')
		}):
			known = false
		case name == "cd":
			target, ok := cdTarget(cmd)
			if !ok {
				known = false
				return true
			}
			for _, dir := range slices.Clone(dirs) {
				at := Call{Cwd: dir, Home: c.Home}
				next, ok := at.absolute(target)
				if next = cleanSlash(next); ok && !slices.Contains(dirs, next) {
					dirs = append(dirs, next)
				}
			}
			if len(dirs) > maxDirs {
				known = false
			}
		}
		return len(dirs) <= maxDirs
	}
	for i := range c.script.Commands {
		if !c.script.Commands[i].All(visit) {
			break
		}
	}
	return dirs, known
}

// cdTarget returns where a cd goes.
func cdTarget(cmd *shellsplit.Command) (string, bool) {
	args := cmd.Args[1:]
	for len(args) > 0 && (args[0].Is("-L") || args[0].Is("--")) {
		args = args[1:]
	}
	switch {
	case len(args) == 0:
		return "~", true
	case len(args) > 1 || !args[0].Literal || args[0].Text == "" || args[0].Text[0] == '-':
		return "", false
	}
	return args[0].Text, true
}

// Resolve follows the symbolic links of a path of the call: the result is
// absolute and slash-separated. Parts that don't exist yet stay as they are.
func (c Call) Resolve(p string) (string, error) {
	abs, ok := c.absolute(p)
	if !ok {
		return "", errNotAbsolute
	}
	return c.links.resolve(abs)
}

// Lexical returns a path of the call made absolute and clean, with no link
// followed; ok is false when it can't be made absolute.
func (c Call) Lexical(p string) (abs string, ok bool) {
	abs, ok = c.absolute(p)
	return cleanSlash(abs), ok
}

// Script returns what the call's command would run; the zero Script, which is
// not parsed, for other tools.
func (c Call) Script() shellsplit.Script {
	if s := c.Analyzed().script; s != nil {
		return *s
	}
	return shellsplit.Script{}
}
