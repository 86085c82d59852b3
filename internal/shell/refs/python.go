package refs

import (
	"path/filepath"
	"strings"

	"github.com/hookline-dev/hookline/internal/codedir"
	"github.com/hookline-dev/hookline/internal/frontmatter"
	"github.com/hookline-dev/hookline/internal/lazyregexp"
	"github.com/hookline-dev/hookline/internal/shell"
)

func isPython(name string) bool { return name == "python" || name == "pypy" }

// startsPython notes a Python script that a command starts, wherever it lies.
func (r *reader) startsPython(name string) {
	if !r.opts.Isolated {
		return
	}
	for _, b := range r.bases {
		if path := r.join(b, name); exists(path) {
			r.python[path] = struct{}{}
		}
	}
}

// startsFile notes a file that a command starts by its name, if it is a Python script.
func (r *reader) startsFile(name string) {
	if !r.opts.Isolated {
		return
	}
	for _, b := range r.bases {
		path := r.join(b, name)
		if data, err := frontmatter.ReadRegular(path, maxScript); err == nil {
			if _, lang := shebang(data); lang == pythonScript {
				r.python[path] = struct{}{}
			}
		}
	}
}

// isolated reports whether the environment keeps this Python from the working directory:
// not when it is told to look at no variables, or when the text sets others.
func (r *reader) isolated(c *shell.Command) bool {
	if !r.opts.Isolated || r.loose {
		return false
	}
	for _, a := range c.Args[1:] {
		w, ok := r.text(a)
		if !ok || !strings.HasPrefix(w, "-") || w == "-m" || w == "-c" || w == "-" {
			break
		}
		if !strings.HasPrefix(w, "--") && strings.Contains(w, "E") {
			return false
		}
	}
	return true
}

// loosens reports whether shell text takes back what keeps Python out of the working
// directory: it sets the variables itself, or starts something without its environment.
var loosens = lazyregexp.New(`PYTHON(?:SAFEPATH|PATH)\b|\b(?:sudo|doas|su)\b|\benv['"]?\s+['"]?(?:-\w*[iu]|-['"]?(?:\s|$)|--(?:ignore|unset))|\bexec\s+-\w*c`)

// pythonModule covers a module that python runs by name, when it lies in the
// directory.
func (r *reader) pythonModule(c *shell.Command, module string, literal bool) {
	if !literal {
		r.stray(r.script, "the module that python runs is computed: %s", module)
		return
	}
	switch module {
	case "pytest", "unittest", "tox", "nox":
		r.stray(r.script, "%s runs code of the project", module)
	}
	if r.isolated(c) {
		r.named(c, module)
	} else if r.inDirectory(module) {
		return
	}
	r.note(r.script, "python runs the installed module %s", module)
}

// inDirectory covers a module that lies in the directory.
func (r *reader) inDirectory(module string) bool {
	path := filepath.Join(strings.Split(module, ".")...)
	for _, b := range r.bases {
		for _, candidate := range []string{path + ".py", filepath.Join(path, "__main__.py"), filepath.Join(path, "__init__.py")} {
			if !r.opts.Isolated && strings.HasSuffix(candidate, "__init__.py") {
				continue // without a __main__ python runs nothing of it
			}
			if p := filepath.Join(b, candidate); r.inside(p) && exists(p) {
				r.add(p, r.depth+1)
				r.tree(b, codedir.Python)
				return true
			}
		}
	}
	return false
}

// pythonCode looks at the modules that a text of Python imports.
func (r *reader) pythonCode(c *shell.Command, code string) {
	if !r.opts.Isolated {
		return // said by the caller
	}
	isolated := r.isolated(c)
	for statement := range strings.SplitSeq(code, ";") {
		for _, m := range pythonImport.Get().FindAllStringSubmatch(statement, -1) {
			for name := range strings.SplitSeq(m[1]+m[3], ",") {
				name, _, _ = strings.Cut(strings.TrimSpace(name), " ")
				switch {
				case name == "" || strings.HasPrefix(name, "."):
				case isolated:
					r.named(c, name)
				default:
					r.inDirectory(name)
				}
			}
		}
	}
}

// named notes a module that is loaded by its name.
func (r *reader) named(c *shell.Command, module string) {
	if program, ok := r.text(c.Args[0]); ok {
		r.modules[Module{program, module}] = struct{}{}
	}
}
