package refs

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/hookline-dev/hookline/internal/codedir"
	"github.com/hookline-dev/hookline/internal/shell"
)

// interp describes the arguments of an interpreter.
type interp struct {
	// values are options that take the next word, code those whose word is code, and
	// loads those whose word is a file or module to load.
	values, code, loads []string
	// verbs are words that may stand before the script.
	verbs []string
	// needs says that only loads name scripts: other words are data or code.
	needs bool
}

var interpreters = map[string]interp{
	"python":    {values: []string{"-W", "-X", "--check-hash-based-pycs"}, code: []string{"-c"}},
	"pypy":      {values: []string{"-W", "-X"}, code: []string{"-c"}},
	"node":      {values: []string{"-C", "--conditions", "--input-type", "--title", "--inspect-port"}, code: []string{"-e", "--eval", "-p", "--print", "-pe"}, loads: []string{"-r", "--require", "--import", "--loader", "--experimental-loader", "--env-file"}},
	"nodejs":    {code: []string{"-e", "--eval", "-p", "--print"}, loads: []string{"-r", "--require", "--import"}},
	"tsx":       {code: []string{"-e", "--eval"}, loads: []string{"-r", "--require", "--import", "--tsconfig"}, verbs: []string{"watch"}},
	"ts-node":   {code: []string{"-e", "--eval"}, loads: []string{"-r", "--require", "-P", "--project"}},
	"bun":       {code: []string{"-e", "--eval", "-p", "--print"}, loads: []string{"-r", "--preload", "--require", "--import"}, verbs: []string{"run"}},
	"deno":      {loads: []string{"-c", "--config", "--import-map", "--preload"}, verbs: []string{"run"}},
	"ruby":      {values: []string{"-I", "-C", "-E"}, code: []string{"-e"}, loads: []string{"-r"}},
	"perl":      {values: []string{"-I"}, code: []string{"-e", "-E"}},
	"php":       {values: []string{"-d"}, code: []string{"-r"}, loads: []string{"-f", "-c"}},
	"lua":       {code: []string{"-e"}, loads: []string{"-l"}},
	"luajit":    {code: []string{"-e"}, loads: []string{"-l"}},
	"osascript": {values: []string{"-l"}, code: []string{"-e"}},
	"pwsh":      {values: []string{"-ExecutionPolicy", "-ep", "-WorkingDirectory"}, code: []string{"-c", "-Command", "-EncodedCommand"}, loads: []string{"-f", "-File"}},
	"Rscript":   {code: []string{"-e"}},
	"tclsh":     {},
	"expect":    {code: []string{"-c"}, loads: []string{"-f"}},
	"java":      {values: []string{"-cp", "-classpath", "--class-path", "-p", "--module-path"}, loads: []string{"-jar"}},
	"awk":       {values: []string{"-F", "-v"}, loads: []string{"-f", "--file", "-i", "--include"}, needs: true},
	"gawk":      {values: []string{"-F", "-v"}, loads: []string{"-f", "--file", "-i", "--include"}, needs: true},
	"mawk":      {values: []string{"-F", "-v"}, loads: []string{"-f"}, needs: true},
	"sed":       {values: []string{"-l"}, loads: []string{"-f", "--file"}, needs: true},
	"jq":        {loads: []string{"-f", "--from-file", "-L"}, needs: true},
}

// interpreter covers what an interpreter is given; it reports whether the name is
// one.
func (r *reader) interpreter(name string, c *shell.Command, args []shell.Word) bool {
	in, ok := interpreters[name]
	if !ok {
		return false
	}
	asked := false // it says what it is, and runs nothing
	for i := 0; i < len(args); i++ {
		w, literal := r.text(args[i])
		if !literal {
			if !in.needs {
				r.runs(args[i], "the script of %s is computed: %s", name, w)
			}
			return true
		}
		option, value, joined := strings.Cut(w, "=")
		next := func() (string, bool) {
			if joined {
				return value, true
			}
			if i++; i >= len(args) {
				return "", true
			}
			return r.text(args[i])
		}
		switch {
		case w == "-m" && isPython(name):
			module, ok := next()
			r.pythonModule(c, module, ok)
			return true
		case slices.Contains(in.code, option):
			switch code, ok := next(); {
			case ok && isPython(name):
				r.pythonCode(c, code)
			case ok && slices.Contains(javaScript, name):
				r.nodeCode(code)
			case !ok:
				r.stray(r.script, "the code that %s is given is computed: %s", name, code)
			}
			r.note(r.script, "code that %s is given as text may load and start other things", name)
			return true
		case slices.Contains(in.loads, option):
			if path, ok := next(); ok && path != "" {
				r.loaded(name, path)
			} else if !ok {
				r.stray(r.script, "what %s %s loads is computed: %s", name, option, path)
			}
		case slices.Contains(in.values, option):
			_, _ = next()
		case slices.Contains([]string{"--version", "--help", "-V", "-v", "-h"}, w):
			asked = asked || w != "-v" || !isPython(name)
		case strings.HasPrefix(w, "-") && w != "-":
		case in.needs:
			return true
		case slices.Contains(in.verbs, w):
		default:
			r.scriptOf(name, w, c)
			return true
		}
	}
	if !in.needs && !asked {
		r.input(name, c)
	}
	return true
}

// javaScript are the interpreters that look for what a text imports where they are started.
var javaScript = []string{"node", "nodejs", "tsx", "ts-node", "bun"}

// nodeCode covers what a text on the command line imports.
func (r *reader) nodeCode(code string) {
	if r.opts.FirstRules {
		return
	}
	for _, b := range r.bases {
		r.imports(r.script, jsImports(b, []byte(code)), r.depth)
		r.packages(filepath.Join(b, "text"), []byte(code))
	}
}

// scriptOf covers the script of an interpreter.
func (r *reader) scriptOf(name, w string, c *shell.Command) {
	switch {
	case w == "-":
		r.input(name, c)
	case strings.Contains(w, "://") || strings.HasPrefix(w, "npm:") || strings.HasPrefix(w, "jsr:"):
		r.note(r.script, "%s runs code from elsewhere: %s", name, w)
	case name == "bun" && !strings.ContainsAny(w, "./"):
		r.packageScript("bun run", w)
	default:
		r.file(w)
		if isPython(name) {
			r.startsPython(w)
		}
	}
}

// loaded covers a file or module that an option loads.
func (r *reader) loaded(name, path string) {
	if strings.ContainsAny(path, `./\`) && !strings.HasPrefix(path, "@") {
		r.file(path)
		return
	}
	r.note(r.script, "%s loads the module %s", name, path)
}

// input says what an interpreter without a script runs.
func (r *reader) input(name string, c *shell.Command) {
	for _, red := range c.Redirects {
		switch path, ok := r.text(red.Path); {
		case red.Here:
			r.note(r.script, "code that %s is given as text may load and start other things", name)
			return
		case red.Read && ok:
			r.file(path)
			return
		}
	}
	r.stray(r.script, "%s runs what it reads", name)
}

// runner says what cannot be seen through of programs that find what they run by
// themselves; it reports whether the name is one.
func (r *reader) runner(name string, args []shell.Word) bool {
	words := make([]string, 0, len(args))
	for _, a := range args {
		w, _ := r.text(a)
		words = append(words, w)
	}
	verb := firstWord(words)
	switch name {
	case "npx", "bunx", "pnpx", "uvx":
		if r.opts.Isolated { // npx looks there first, and no variable keeps it from that
			r.existing(filepath.Join("node_modules", ".bin", firstWord(words)))
		}
		r.note(r.script, "%s runs the package %s, which it may download", name, firstWord(words))
	case "npm", "pnpm", "yarn":
		switch verb {
		case "exec", "x", "dlx":
			r.note(r.script, "%s %s runs a package, which it may download", name, verb)
		case "run", "run-script", "test", "start", "t":
			r.packageScript(name+" "+verb, firstWord(after(words, verb)))
		default:
			r.note(r.script, "%s %s runs scripts of packages", name, verb)
		}
	case "pipx", "uv", "poetry", "pdm", "pipenv", "rye", "hatch":
		return r.pythonRunner(name, args, words)
	case "go":
		return r.goRun(verb, args, words)
	case "make", "gmake":
		r.makefile(name, words)
	case "just":
		r.recipe(name, makefiles[3:6]...)
	case "task":
		r.recipe(name, "Taskfile.yml", "Taskfile.yaml")
	case "rake":
		r.recipe(name, makefiles[6:]...)
	case "cargo":
		r.stray(r.script, "cargo %s builds and runs what Cargo.toml names", verb)
	case "docker", "podman", "ssh", "kubectl", "nix", "nix-shell", "mise", "direnv", "bazel", "gradle", "mvn", "terraform":
		r.stray(r.script, "%s runs what is defined elsewhere", name)
	case "curl", "wget":
		if !r.pipes {
			return false
		}
		r.note(r.script, "what %s downloads is run", name)
	default:
		return false
	}
	return true
}

// pythonRunner looks at "uv run x.py" and its like as at what they run.
func (r *reader) pythonRunner(name string, args []shell.Word, words []string) bool {
	i := slices.Index(words, "run")
	if i < 0 || name == "pipx" {
		r.note(r.script, "%s runs a package, which it may download", name)
		return true
	}
	r.note(r.script, "%s run may install packages first", name)
	if r.opts.Isolated { // it builds the project that it is in
		r.existing("pyproject.toml")
	}
	rest := args[i+1:]
	for len(rest) > 0 && strings.HasPrefix(rest[0].Text, "-") {
		rest = rest[1:]
	}
	if len(rest) == 0 {
		return true
	}
	if w, ok := r.text(rest[0]); ok && strings.HasSuffix(w, ".py") {
		r.file(w)
		return true
	}
	r.command(&shell.Command{Args: rest, Source: strings.Join(words, " ")})
	return true
}

// goRun covers the files of a program that go runs.
func (r *reader) goRun(verb string, args []shell.Word, words []string) bool {
	if verb != "run" && verb != "tool" && verb != "generate" && verb != "test" {
		return false
	}
	r.note(r.script, "go %s builds packages beyond the files listed", verb)
	for i, w := range words {
		if !args[i].Literal || strings.HasPrefix(w, "-") || w == verb {
			continue
		}
		if strings.HasSuffix(w, ".go") {
			r.file(w)
			continue
		}
		for _, b := range r.bases {
			found, _ := filepath.Glob(filepath.Join(codedir.Quote(r.join(b, w)), "*.go"))
			for _, p := range found {
				if r.inside(p) && !strings.HasSuffix(p, "_test.go") {
					r.add(p, r.depth+1)
				}
			}
		}
		break
	}
	return true
}

// makefiles are the files of make, just and rake.
var makefiles = []string{"GNUmakefile", "makefile", "Makefile", "justfile", "Justfile", ".justfile", "Rakefile", "rakefile"}

func (r *reader) makefile(name string, words []string) {
	r.note(r.script, "what the recipes of %s run", name)
	for i, w := range words {
		switch {
		case (w == "-f" || w == "--file" || w == "--makefile") && i+1 < len(words):
			r.file(words[i+1])
			return
		case w == "-C" && i+1 < len(words):
			for _, b := range slices.Clone(r.bases) {
				r.bases = append(r.bases, r.join(b, words[i+1]))
			}
		}
	}
	r.existing(makefiles[:3]...)
}

func (r *reader) recipe(name string, files ...string) {
	r.note(r.script, "what the recipes of %s run", name)
	r.existing(files...)
}

func (r *reader) packageScript(how, name string) {
	r.note(r.script, "%s runs the script %q of package.json and what that names", how, name)
	r.existing("package.json")
}

// existing covers those files that there are.
func (r *reader) existing(names ...string) {
	for _, b := range r.bases {
		for _, n := range names {
			if p := filepath.Join(b, n); r.inside(p) && exists(p) {
				r.add(p, r.depth+1)
			}
		}
	}
}

// firstWord is the first word that is no option.
func firstWord(words []string) string {
	for _, w := range words {
		if !strings.HasPrefix(w, "-") {
			return w
		}
	}
	return ""
}

func after(words []string, w string) []string {
	return words[slices.Index(words, w)+1:]
}
