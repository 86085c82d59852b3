package toolrule

import (
	"slices"

	"github.com/hookline-dev/hookline/internal/shell"
)

// maxDirs bounds the directories that Dirs follows.
const maxDirs = 16

// Dirs lists the directories in which parts of the call may run: Cwd first, and
// for a shell command that changes directory everywhere it may then be. known is
// false when that can't be told.
func (c Call) Dirs() (dirs []string, known bool) {
	dirs, _, known = c.dirs()
	return dirs, known
}

// RunDirs is Dirs without Cwd where the command runs nothing there but the cd with
// which it begins.
func (c Call) RunDirs() (dirs []string, known bool) {
	dirs, changes, known := c.dirs()
	if known && changes == 1 && len(dirs) == 2 && c.Script().Enters {
		dirs = dirs[1:]
	}
	return dirs, known
}

// dirs also counts the commands that change directory.
func (c Call) dirs() (dirs []string, changes int, known bool) {
	c = c.Analyzed()
	dirs, known = []string{c.Cwd}, true
	if c.script == nil || !c.script.Chdir {
		return dirs, 0, c.script == nil || c.script.Parsed
	}
	visit := func(cmd *shell.Command) bool {
		switch name := cmd.Name(); {
		case name == "pushd" || name == "popd":
			known = false
		case name == "find" && slices.ContainsFunc(cmd.Args, func(w shell.Word) bool { return w.Is("-execdir") || w.Is("-okdir") }):
			known = false // it runs something in every directory that it comes to
		case name == "env" && cmd.Wrap != shell.NoWrap && slices.ContainsFunc(cmd.Args[:cmd.InnerAt], func(w shell.Word) bool {
			return w.Literal && len(w.Text) > 1 && (w.Text[:2] == "-C" || w.Text[1] == '-')
		}):
			known = false
		case name == "cd":
			changes++
			for _, dir := range slices.Clone(dirs) {
				at := c
				at.Cwd = dir
				target, ok := at.cdTarget(cmd)
				next, absolute := at.absolute(target)
				if !ok || !absolute {
					known = false
					continue
				}
				if next = cleanSlash(next); !slices.Contains(dirs, next) {
					dirs = append(dirs, next)
				}
			}
			known = known && len(dirs) <= maxDirs
		}
		return len(dirs) <= maxDirs
	}
	for i := range c.script.Commands {
		if !c.script.Commands[i].All(visit) {
			break
		}
	}
	return dirs, changes, known
}

// cdTarget returns where a cd goes.
func (c Call) cdTarget(cmd *shell.Command) (string, bool) {
	args := cmd.Args[1:]
	for len(args) > 0 && (args[0].Is("-L") || args[0].Is("--")) {
		args = args[1:]
	}
	if len(args) == 0 {
		return "~", true
	}
	to := args[0]
	if len(args) > 1 || !to.Literal || to.Text == "" || to.Text[0] == '-' {
		return "", false
	}
	return to.Text, true
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
func (c Call) Script() shell.Script {
	if s := c.Analyzed().script; s != nil {
		return *s
	}
	return shell.Script{}
}
