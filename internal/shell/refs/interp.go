package refs

import (
	"path/filepath"
	"slices"
	"strings"

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
			code, literal := next()
			r.codeOf(name, c, code, literal)
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

// codeOf covers code that an interpreter is given on the command line; literal is false when
// it is computed.
func (r *reader) codeOf(name string, c *shell.Command, code string, literal bool) {
	switch {
	case !literal:
		r.stray(r.script, "the code that %s is given is computed: %s", name, code)
	case isPython(name):
		r.pythonCode(c, code)
	case slices.Contains(javaScript, name):
		r.nodeCode(code)
	}
	r.note(r.script, "code that %s is given as text may load and start other things", name)
}

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
	case w == "-" || shell.IsStdin(w):
		r.input(name, c)
	case (name == "deno" || name == "bun") && (w == "test" || w == "bench"):
		r.stray(r.script, "%s %s runs tests of the project", name, w)
	case name == "deno" && w == "task":
		r.builder("deno task", nil, "deno.json", "deno.jsonc", "package.json")
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
	given := false
	for _, red := range c.Redirects {
		switch path, ok := r.text(red.Path); {
		case !red.Input() || red.Read && shell.IsStdin(path):
			continue
		case red.Here && ok:
			r.note(r.script, "code that %s is given as text may load and start other things", name)
		case red.Here:
			r.stray(r.script, "%s runs a text that is computed", name)
		case ok:
			r.file(path)
		default:
			r.runs(red.Path, "%s reads a file of which the name is computed: %s", name, path)
		}
		given = true
	}
	if !given {
		r.stray(r.script, "%s runs what it reads", name)
	}
}
