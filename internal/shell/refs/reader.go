package refs

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/hookline-dev/hookline/internal/lazyregexp"
	"github.com/hookline-dev/hookline/internal/shell"
)

// reader goes through the commands of one text.
type reader struct {
	*finder
	script string   // the file that the text stands in
	bases  []string // directories in which a relative name may be looked for
	depth  int
	sub    substitution
	pipes  bool // a shell in the text runs what it reads
	lost   bool // the text changes to a directory that is computed, and may be of the project
}

// each calls f for a command and what it starts, or may start on this machine.
func (r *reader) each(c *shell.Command, f func(*shell.Command)) {
	f(c)
	for i := range c.Inner {
		r.each(&c.Inner[i], f)
	}
	if r.opts.FirstRules || c.Name() == "ssh" && !slices.ContainsFunc(c.Args, func(w shell.Word) bool { return strings.Contains(strings.ToLower(w.Text), "command") }) {
		return // without ProxyCommand and its like, it is another machine that runs them
	}
	for i := range c.Maybe {
		if one := &c.Maybe[i]; len(one.Args) == 0 && one.Uncertain != "" && shell.IsRunner(c.Name()) {
			f(&shell.Command{Uncertain: one.Uncertain, Wrap: shell.Opaque})
		} else {
			r.each(one, f)
		}
	}
}

func (r *reader) all(s shell.Script) {
	for i := range s.Commands {
		r.each(&s.Commands[i], func(c *shell.Command) { r.pipes = r.pipes || c.Stdin })
	}
	for _, why := range s.Uncertain {
		r.note(r.script, "%s", why)
	}
	if s.TooMany {
		r.stray(r.script, "the text has more commands than are looked at")
	}
	for i := range s.Commands {
		r.each(&s.Commands[i], r.command)
	}
}

// text is the value of a word; ok is false when it is computed.
func (r *reader) text(w shell.Word) (value string, ok bool) {
	if !w.Literal {
		return r.sub.back(w.Text), false
	}
	return r.sub.back(w.Text), true
}

// runs notes that something is run of which the name is computed, which may be any file
// unless the name begins with a directory elsewhere.
func (r *reader) runs(w shell.Word, format string, args ...any) {
	if r.elsewhere(w) {
		r.note(r.script, format, args...)
	} else {
		r.stray(r.script, format, args...)
	}
}

// elsewhere reports whether a word begins with a directory outside of the project.
func (r *reader) elsewhere(w shell.Word) bool {
	begins := ""
	if first := w.Pieces()[0]; !first.Unknown {
		begins = r.sub.back(first.Text)
	}
	return r.away(begins[:strings.LastIndexByte(begins, '/')+1])
}

// away reports whether a path is absolute and neither of the project, nor above it, nor of
// where the system shows open files and the directories of programs.
func (r *reader) away(path string) bool {
	path = r.join("", path)
	return filepath.IsAbs(path) && !below(path, r.opts.Dir) && !below(r.opts.Dir, path) && !below(path, "/proc") && !below(path, "/dev")
}

// below reports whether a path is a directory or lies in it.
func below(path, dir string) bool {
	rel, err := filepath.Rel(dir, path)
	return err == nil && filepath.IsLocal(rel)
}

// command looks at one command.
func (r *reader) command(c *shell.Command) {
	r.environment(c)
	c = r.expand(c)
	if len(c.Args) == 0 {
		if c.Uncertain != "" && c.Wrap != shell.NoWrap {
			r.stray(r.script, "%s", r.sub.back(c.Uncertain))
		} else if c.Uncertain != "" {
			r.note(r.script, "%s", r.sub.back(c.Uncertain))
		}
		return
	}
	first, ok := r.text(c.Args[0])
	if !ok {
		r.runs(c.Args[0], "the name of a command is computed: %s", first)
		return
	}
	if strings.ContainsRune(first, '/') || filepath.Separator == '\\' && strings.ContainsRune(first, '\\') {
		r.file(first)
		r.startsFile(first)
	}
	args := c.Args[1:]
	name := baseName(first)
	switch {
	case name == "cd" || name == "pushd":
		r.chdir(args)
	case name == "." || name == "source" || shell.IsShell(name):
		r.shellCommand(c)
	case r.interpreter(name, c, args):
	case r.runner(name, args):
	case len(c.Inner) > 0 || c.Wrap != shell.NoWrap:
		// What it starts is looked at by itself.
	case slices.Contains(dataCommands, name) && !r.pipes:
	default:
		r.codeLike(args)
	}
	switch why := r.sub.back(c.Uncertain); {
	case why == "" || c.Stdin || len(c.Scripts) > 0:
	case len(c.Inner) > 0: // what it starts is known
		r.note(r.script, "%s", why)
	default:
		r.stray(r.script, "%s", why)
	}
}

// script1 covers a word that names a script.
func (r *reader) script1(name string, w shell.Word) {
	if path, ok := r.text(w); ok {
		r.file(path)
	} else {
		r.runs(w, "the script of %s is computed: %s", name, path)
	}
}

// chdir notes where relative names may be looked for from here on.
func (r *reader) chdir(args []shell.Word) {
	if len(args) == 0 {
		return
	}
	dir, ok := r.text(args[len(args)-1])
	if !ok {
		r.note(r.script, "the directory that it changes to is computed: %s", dir)
		r.lost = r.lost || !r.elsewhere(args[len(args)-1])
		return
	}
	for _, b := range slices.Clone(r.bases) {
		if abs := r.join(b, dir); !slices.Contains(r.bases, abs) && len(r.bases) < maxDepth {
			r.bases = append(r.bases, abs)
		}
	}
}

// shellCommand covers the scripts of a shell. The text that it is given is among the
// commands.
func (r *reader) shellCommand(c *shell.Command) {
	given := false
	for _, red := range c.Redirects {
		path, ok := r.text(red.Path)
		given = given || red.Input() && !(red.Read && shell.IsStdin(path))
		switch {
		case red.Here && !ok && c.Stdin && red.Input():
			r.stray(r.script, "a shell runs a text that is computed")
		case red.Read && ok:
			r.file(path)
		case red.Read && c.Stdin && red.Input():
			r.runs(red.Path, "a shell reads a file of which the name is computed: %s", path)
		}
	}
	if c.Stdin && !given {
		r.stray(r.script, "a shell runs what it is given through a pipe: %s", r.sub.back(c.Source))
	}
	for _, i := range c.Scripts {
		r.script1(c.Name(), c.Args[i])
	}
}

// loaders are variables that make a program load a file before anything else.
var loaders = []string{"BASH_ENV", "ENV", "PYTHONSTARTUP", "LD_PRELOAD"}

// hazards are variables that change what programs are or load.
var hazards = []string{"PATH", "PYTHONPATH", "NODE_PATH", "NODE_OPTIONS", "RUBYOPT", "RUBYLIB", "PERL5OPT", "PERL5LIB", "LD_LIBRARY_PATH", "DYLD_INSERT_LIBRARIES"}

func (r *reader) environment(c *shell.Command) {
	for _, a := range c.Env {
		switch {
		case a.Value.Text == "" && slices.ContainsFunc(c.Args, func(w shell.Word) bool { return w.Is(a.Name) }):
			// A declaration without a value leaves it as it is.
		case slices.Contains(loaders, a.Name):
			if path, ok := r.text(a.Value); ok && path != "" {
				r.file(path)
			} else if !ok {
				r.runs(a.Value, "%s is computed", a.Name)
			}
		case slices.Contains(hazards, a.Name):
			r.hazard(a)
		}
	}
}

// hazard notes what a variable is set to that changes what programs are or load. It may
// lead anywhere when a directory or option of it is relative, computed, or of the project.
func (r *reader) hazard(a shell.Assign) {
	value, literal := r.text(a.Value)
	if value == "" && a.Name != "PATH" {
		return // nothing is loaded
	}
	own := strings.NewReplacer(`"`, "", "'", "").Replace(value)
	if !literal {
		own = withoutItself(a.Name, own)
	}
	lists, elsewhere := strings.HasSuffix(a.Name, "PATH") || strings.HasSuffix(a.Name, "LIB"), true
	between := " \t\n"
	if a.Name == "DYLD_INSERT_LIBRARIES" {
		between = ":"
	}
	for _, part := range strings.FieldsFunc(own, func(c rune) bool { return !lists && strings.ContainsRune(between, c) }) {
		if !lists {
			elsewhere = elsewhere && r.harmless(part)
			continue
		}
		for dir := range strings.SplitSeq(part, ":") {
			path := r.join("", dir)
			elsewhere = elsewhere && filepath.IsAbs(path) && !below(path, r.opts.Dir)
		}
	}
	if elsewhere && own != "" {
		r.note(r.script, "%s is set to %s, which changes what is run or loaded", a.Name, value)
	} else {
		r.stray(r.script, "%s is set to %s, which changes what is run or loaded", a.Name, value)
	}
}

// harmless reports whether an option that a variable gives to an interpreter loads nothing
// of the project: the value of one that loads must be a path elsewhere.
func (r *reader) harmless(option string) bool {
	if option == "/" || r.away(option) {
		return true
	}
	if strings.Contains(option, "$") || !strings.HasPrefix(option, "-") {
		return false
	}
	name, value, _ := strings.Cut(option, "=")
	if strings.HasPrefix(name, "--") {
		return value == "" || r.away(value) || !strings.ContainsAny(value, "./") && !slices.Contains(interpreters["node"].loads, name)
	}
	return len(option) <= 2 || strings.ContainsRune("wWTUCKE", rune(option[1])) || r.away(option[2:])
}

// ownUse matches a use of a variable that another value may be added to.
var ownUse = lazyregexp.New(`\$(?:\{(\w+)(?::?\+([^{}]*))?\}|(\w+))`)

// withoutItself puts "/" for what a variable was before.
func withoutItself(name, value string) string {
	for before := ""; before != value; {
		before = value
		value = ownUse.Get().ReplaceAllStringFunc(value, func(use string) string {
			switch m := ownUse.Get().FindStringSubmatch(use); {
			case m[1]+m[3] != name:
				return use
			case m[2] != "":
				return m[2]
			}
			return "/"
		})
	}
	return value
}

// dataCommands are programs whose arguments are data and not code. They are given
// files that change, and an approval that ended with each change would be worth
// nothing.
var dataCommands = []string{
	"echo", "printf", "test", "[", "[[", "cat", "grep", "egrep", "fgrep", "rg", "ls", "rm", "mkdir", "touch", "cp", "mv", "ln", "stat", "wc", "head", "tail",
	"tee", "diff", "cmp", "sort", "uniq", "cut", "tr", "date", "basename", "dirname", "realpath", "readlink", "chmod", "chown", "git", "jq", "yq", "sha256sum", "md5sum", "file", "du",
	"exit", "return", "true", "false", ":", "read", "set", "shift", "export", "local", "declare", "readonly", "typeset", "unset", "wait", "sleep", "kill", "let", "((",
	"prettier", "eslint", "gofmt", "goimports", "gofumpt", "black", "ruff", "isort", "rustfmt", "shfmt", "shellcheck", "biome", "clang-format", "sed", "awk", "type", "which", "hash",
}

// codeLike covers those arguments of an unknown program that are scripts.
func (r *reader) codeLike(args []shell.Word) {
	for _, a := range args {
		w, ok := r.text(a)
		if !ok {
			continue
		}
		if _, value, found := strings.Cut(w, "="); found && strings.HasPrefix(w, "-") {
			w = value
		}
		if w == "" || strings.HasPrefix(w, "-") {
			continue
		}
		for _, b := range r.bases {
			if path := r.join(b, w); r.inside(path) && looksLikeCode(path) {
				r.add(path, r.depth+1)
			}
		}
	}
}

// file covers a file that a command names.
func (r *reader) file(name string) {
	if path := r.join("", name); r.lost && !filepath.IsAbs(path) {
		r.stray(r.script, "it runs %s in a directory that is computed", name)
	}
	found := false
	for _, b := range r.bases {
		path := r.join(b, name)
		if exists(path) {
			found = true
			r.add(path, r.depth+1)
		}
	}
	if !found {
		r.add(r.join(r.bases[0], name), r.depth+1)
	}
}

// join resolves a name in a directory.
func (r *reader) join(base, name string) string {
	if home := r.opts.Vars["HOME"]; home != "" && (name == "~" || strings.HasPrefix(name, "~/")) {
		return filepath.Join(home, name[1:])
	}
	if filepath.IsAbs(name) {
		return filepath.Clean(name)
	}
	return filepath.Join(base, name)
}

// baseName is a program's name without directory, extension and version.
func baseName(path string) string {
	name := path[strings.LastIndexAny(path, `/\`)+1:]
	if name == "" || name == "." {
		return name
	}
	name = strings.TrimSuffix(strings.TrimSuffix(name, ".exe"), ".cmd")
	if short := strings.TrimRight(name, "0123456789."); short != "" && strings.ContainsAny(name, "0123456789") {
		return short
	}
	return name
}
