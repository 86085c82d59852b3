package permission

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hookline-dev/hookline/internal/shell"
	"github.com/hookline-dev/hookline/permission/rule"
)

// gitTrap says what in a repository makes a git command that only reads run a
// program or leave the working directories, "" when nothing does. The repository is
// the one that git finds from the directory, as git looks for it: a directory that is
// laid out as a repository counts too, which a checkout can bring along.
func (e *evaluation) gitTrap(dir string) string {
	real, err := e.call.Resolve(dir)
	if err != nil {
		return "the directory " + dir + " can't be resolved"
	}
	gitDir, top, ok := repositoryOf(filepath.FromSlash(real))
	if !ok {
		return ""
	}
	look := trapSearch{inRoots: e.inRoots, indexes: &e.c.indexes}
	return look.repository(gitDir, top)
}

// repositoryOf returns the repository that git finds from a directory, and the
// directory that holds it, or is it.
func repositoryOf(dir string) (gitDir, top string, ok bool) {
	for at := dir; ; at = filepath.Dir(at) {
		if gitDir, ok := gitDirOf(at); ok {
			return gitDir, at, true
		}
		if at == filepath.Dir(at) {
			return "", "", false
		}
	}
}

// gitTop returns the top of the work tree that a directory is in, as git rev-parse
// --show-toplevel prints it; false where settings may name another.
func gitTop(dir string) (string, bool) {
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return "", false
	}
	gitDir, top, ok := repositoryOf(real)
	if !ok || gitDir == top {
		return "", false // none, or one without a work tree
	}
	settings, err := readGitConfig(filepath.Join(commonDir(gitDir), "config"))
	more, moreErr := readGitConfig(filepath.Join(gitDir, "config.worktree"))
	moved := slices.ContainsFunc(slices.Concat(settings, more), func(s gitSetting) bool {
		return s.section == "core" && (s.key == "worktree" || s.key == "bare" && s.value != "false") || strings.HasPrefix(s.section, "include")
	})
	return filepath.ToSlash(top), err == nil && moreErr == nil && !moved
}

// commonDir returns the directory that the work trees of a repository share.
func commonDir(gitDir string) string {
	if file := filepath.Join(gitDir, "commondir"); exists(file) {
		return linked(file, "", gitDir)
	}
	return gitDir
}

// gitDirOf returns the repository that a directory holds or is.
func gitDirOf(dir string) (string, bool) {
	dotGit := filepath.Join(dir, ".git")
	if info, err := os.Stat(dotGit); err == nil {
		if info.IsDir() {
			return dotGit, true
		}
		return linked(dotGit, "gitdir:", dir), true
	}
	for _, name := range []string{"HEAD", "objects", "refs"} {
		if _, err := os.Lstat(filepath.Join(dir, name)); err != nil {
			return "", false
		}
	}
	return dir, true
}

// linked reads a file that names a directory; the file itself where it does not.
func linked(file, prefix, base string) string {
	data, err := os.ReadFile(file)
	to, ok := strings.CutPrefix(strings.TrimSpace(string(data)), prefix)
	if err != nil || !ok {
		return file
	}
	if to = strings.TrimSpace(to); !filepath.IsAbs(to) {
		to = filepath.Join(base, to)
	}
	return to
}

// maxRepositories bounds how many submodules are looked at.
const maxRepositories = 500

// trapSearch looks for what makes git run programs in a repository and in those that are
// checked out as its submodules.
type trapSearch struct {
	inRoots func(path string) bool
	indexes *indexes
	seen    int
}

// repository names the first repository with a trap, and the trap; "" where there is
// none.
func (l *trapSearch) repository(gitDir, workTree string) string {
	if l.seen++; l.seen > maxRepositories {
		return "there are too many submodules to look at"
	}
	settings, why := l.settings(gitDir, workTree)
	if why != "" {
		return "the repository in " + filepath.ToSlash(gitDir) + " " + why
	}
	hash := 20
	for _, s := range settings {
		switch s.section + "." + s.key {
		case "core.worktree":
			workTree = resolved(gitDir, s.value)
		case "extensions.objectformat":
			if hash = 20; strings.EqualFold(s.value, "sha256") {
				hash = 32
			}
		}
	}
	links, err := l.indexes.gitlinks(gitDir, hash)
	if err != nil {
		return "the index of the repository in " + filepath.ToSlash(gitDir) + " can't be read, so that its submodules aren't known"
	}
	for _, link := range links {
		dir := filepath.Join(workTree, filepath.FromSlash(link))
		if !exists(filepath.Join(dir, ".git")) {
			continue // not checked out
		}
		if sub, ok := gitDirOf(dir); ok {
			if why := l.repository(sub, dir); why != "" {
				return why
			}
		}
	}
	return ""
}

// settings reads the settings of a repository and says what in them, or in its hooks,
// is a trap.
func (l *trapSearch) settings(gitDir, workTree string) (all []gitSetting, trap string) {
	common := commonDir(gitDir)
	for _, file := range []string{filepath.Join(common, "config"), filepath.Join(gitDir, "config.worktree")} {
		settings, err := readGitConfig(file)
		if err != nil {
			return nil, "has settings that can't be read"
		}
		all = append(all, settings...)
	}
	promised := slices.ContainsFunc(all, func(s gitSetting) bool {
		return s.section == "extensions" && s.key == "partialclone" || s.section == "remote" && s.key == "promisor"
	})
	hooks := []string{filepath.Join(common, "hooks")}
	for _, s := range all {
		switch {
		case s.runs(), promised && s.connects():
			return nil, "has " + s.name() + " set, which names a program to run"
		case s.section == "core" && s.key == "worktree" && !l.inRoots(resolved(gitDir, s.value)):
			return nil, "has core.worktree set to a place outside"
		case s.section == "core" && s.key == "hookspath":
			hooks = append(hooks, resolved(gitDir, s.value), resolved(workTree, s.value))
		}
	}
	for _, dir := range hooks {
		if file := filepath.Join(dir, "post-index-change"); exists(file) {
			return nil, "has the hook post-index-change, which reading may run"
		}
	}
	return all, ""
}

func exists(file string) bool {
	_, err := os.Lstat(file)
	return err == nil
}

// resolved makes a path of a setting absolute, with its links followed as far as
// it exists.
func resolved(base, p string) string {
	if !filepath.IsAbs(p) {
		p = filepath.Join(base, p)
	}
	if real, err := filepath.EvalSymlinks(p); err == nil {
		p = real
	}
	return filepath.ToSlash(filepath.Clean(p))
}

// runs reports a setting with which commands that only read run a program, or read
// further settings.
func (s gitSetting) runs() bool {
	switch s.section {
	case "core":
		return s.key == "alternaterefscommand" || s.key == "fsmonitor" &&
			!slices.Contains([]string{"", "true", "false", "yes", "no", "on", "off", "0", "1"}, strings.ToLower(s.value))
	case "diff":
		return s.key == "external" || s.key == "command" || s.key == "textconv"
	case "filter":
		return (s.key == "clean" || s.key == "smudge" || s.key == "process") && !lfs(s.value)
	case "gpg":
		return s.key == "program"
	case "include", "includeif":
		return true
	case "man", "browser":
		return s.key == "cmd" || s.key == "path"
	}
	return false
}

// lfs reports the filters that Git LFS writes into a repository.
func lfs(command string) bool {
	return slices.Contains([]string{"git-lfs clean -- %f", "git-lfs smudge -- %f", "git-lfs smudge --skip -- %f", "git-lfs filter-process", "git-lfs filter-process --skip"}, command)
}

// connects reports a setting that matters when git fetches what a partial clone
// lacks.
func (s gitSetting) connects() bool {
	switch s.section {
	case "core":
		return s.key == "sshcommand" || s.key == "gitproxy" || s.key == "askpass"
	case "remote":
		return s.key == "uploadpack" || s.key == "vcs" || s.key == "url" && strings.Contains(s.value, "::")
	case "protocol", "credential":
		return true
	}
	return false
}

// gitDirs lists the directories in which a git command may run, the directory of
// the call aside when others is set. known is false when that can't be told.
func (e *evaluation) gitDirs(c *shell.Command, others bool) (out []string, known bool) {
	for _, dir := range e.dirs {
		call := e.call
		call.Cwd = dir
		args := c.Args[1:]
		for len(args) > 0 && strings.HasPrefix(args[0].Pieces()[0].Text, "-") {
			if !args[0].Is("-C") || len(args) < 2 {
				skip := 1
				if args[0].Literal && rule.GitOptionTakesValue(args[0].Text) {
					skip = min(2, len(args))
				}
				args = args[skip:]
				continue
			}
			to := e.knownWord(args[1], false)
			next, ok := call.Lexical(to.Text)
			if !to.Literal || !ok {
				return nil, false
			}
			call.Cwd, args = next, args[2:]
		}
		if !others || call.Cwd != e.call.Cwd {
			out = append(out, call.Cwd)
		}
	}
	return out, e.dirsKnown
}

// gitTrapOf says what keeps a git command from running unasked, "" when nothing
// does.
func (e *evaluation) gitTrapOf(c *shell.Command, others bool) string {
	dirs, known := e.gitDirs(c, others)
	if !known {
		return "it isn't known in which repository git runs"
	}
	for _, dir := range dirs {
		if why := e.gitTrap(dir); why != "" {
			return why
		}
	}
	return ""
}
