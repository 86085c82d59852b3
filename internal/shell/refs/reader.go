package refs

import (
	"path/filepath"
	"slices"
	"strings"

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
	lost   bool // the text changes to a directory that is computed
}

func (r *reader) all(s shell.Script) {
	for i := range s.Commands {
		s.Commands[i].All(func(c *shell.Command) bool {
			r.pipes = r.pipes || c.Stdin
			return true
		})
	}
	for _, why := range s.Uncertain {
		r.note(r.script, "%s", why)
	}
	for i := range s.Commands {
		s.Commands[i].All(func(c *shell.Command) bool {
			r.command(c)
			return true
		})
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
	begins := ""
	if first := w.Pieces()[0]; !first.Unknown {
		begins = r.sub.back(first.Text)
	}
	dir := r.join("", begins[:strings.LastIndexByte(begins, '/')+1])
	if filepath.IsAbs(dir) && !below(dir, r.opts.Dir) && !below(r.opts.Dir, dir) {
		r.note(r.script, format, args...)
	} else {
		r.stray(r.script, format, args...)
	}
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
	case dataCommands[name] && !r.pipes:
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
		r.lost = true
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
		given = given || red.Here || red.Read
		switch {
		case red.Here && !ok:
			r.stray(r.script, "a shell runs a text that is computed")
		case red.Read && ok:
			r.file(path)
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
		case slices.Contains(loaders, a.Name):
			if path, ok := r.text(a.Value); ok {
				r.file(path)
			} else {
				r.runs(a.Value, "%s is computed", a.Name)
			}
		case slices.Contains(hazards, a.Name):
			r.hazard(a)
		}
	}
}

// hazard notes what a variable is set to that changes what programs are or load. One that
// lists directories may lead anywhere when one of them is relative, computed, or in the
// working directory.
func (r *reader) hazard(a shell.Assign) {
	value, _ := r.text(a.Value)
	say := r.stray
	if !strings.HasSuffix(a.Name, "PATH") && !strings.HasSuffix(a.Name, "LIB") || !slices.ContainsFunc(directories(a.Name, value), func(dir string) bool {
		return !filepath.IsAbs(r.join("", dir)) || below(r.join("", dir), r.opts.Dir)
	}) {
		say = func(in, format string, args ...any) { r.note(in, format, args...) }
	}
	say(r.script, "%s is set to %s, which changes what is run or loaded", a.Name, value)
}

// directories splits the value of a variable. What the variable was before is "/".
func directories(name, value string) []string {
	before := strings.NewReplacer("${"+name+":+:$"+name+"}", ":/", "${"+name+":+$"+name+":}", "/:", "${"+name+"}", "/", "$"+name, "/", `"`, "", "'", "")
	return strings.Split(before.Replace(value), ":")
}

// dataCommands are programs whose arguments are data and not code. They are given
// files that change, and an approval that ended with each change would be worth
// nothing.
var dataCommands = set("echo", "printf", "test", "[", "[[", "cat", "grep", "egrep", "fgrep", "rg", "ls", "rm", "mkdir", "touch", "cp", "mv", "ln", "stat", "wc", "head", "tail",
	"tee", "diff", "cmp", "sort", "uniq", "cut", "tr", "date", "basename", "dirname", "realpath", "readlink", "chmod", "chown", "git", "jq", "yq", "sha256sum", "md5sum", "file", "du",
	"exit", "return", "true", "false", ":", "read", "set", "shift", "export", "local", "declare", "readonly", "typeset", "unset", "wait", "sleep", "kill", "let", "((",
	"prettier", "eslint", "gofmt", "goimports", "gofumpt", "black", "ruff", "isort", "rustfmt", "shfmt", "shellcheck", "biome", "clang-format", "sed", "awk", "type", "which", "hash")

func set(words ...string) map[string]bool {
	m := make(map[string]bool, len(words))
	for _, w := range words {
		m[w] = true
	}
	return m
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
