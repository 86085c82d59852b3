package dialect

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/hookline-dev/hookline/config"
	"github.com/hookline-dev/hookline/handler/process"
	"github.com/hookline-dev/hookline/hook"
	"github.com/hookline-dev/hookline/internal/codedir"
	"github.com/hookline-dev/hookline/internal/lazyregexp"
	"github.com/hookline-dev/hookline/trust"
)

// OwnCode reports whether a hook is kept from finding code in the project by accident:
// one of the person or of the administrator, unless their settings say otherwise.
func (k *Kit) OwnCode(level, name string) bool {
	l := configLevel(level)
	return l != config.Project && !k.Config.ProjectCode(name, l)
}

// pathLists are variables that hold directories in which programs look for code.
var pathLists = []string{"PYTHONPATH", "NODE_PATH", "RUBYLIB", "PERL5LIB", "PERLLIB", "CLASSPATH"}

// CodeVariables are patterns of the variables that say where programs and their code are
// found: what OwnCodeEnv has a say in.
func CodeVariables() []string {
	return append([]string{"PATH", "PATHEXT", "PYTHON*", "PERL*"}, pathLists...)
}

// OwnCodeEnv returns env with what keeps a hook from finding code in the project by
// accident. Python looks for modules beside the scripts, which are named, and not in the
// working directory, and neither reads nor writes compiled files beside sources. A guard, as
// is one whose registration is not known yet, gets no directory of the project in PATH
// either; others find formatters there.
func (k *Kit) OwnCodeEnv(f *Found, env, scripts []string) []string {
	guard := f.Registration == nil || Guards(f.Registration)
	var dirs []string
	for _, s := range scripts {
		if real, err := k.seen.Load().Real(s); err == nil && !slices.Contains(dirs, filepath.Dir(real)) {
			dirs = append(dirs, filepath.Dir(real))
		}
	}
	set := map[string]string{
		"PYTHONSAFEPATH": "1", "PYTHONDONTWRITEBYTECODE": "1", "PERL_USE_UNSAFE_INC": "0",
		"PYTHONPYCACHEPREFIX": Join(k.Dirs.Cache, "pycache"), "PYTHONPATH": strings.Join(dirs, string(filepath.ListSeparator)),
	}
	var out []string
	for _, kv := range env {
		name, value, _ := strings.Cut(kv, "=")
		switch {
		case name == "PYTHONPATH":
			kept := k.outside(value)
			set[name] = strings.Join(append(slices.Clone(dirs), kept...), string(filepath.ListSeparator))
		case slices.Contains(pathLists, name), guard && strings.EqualFold(name, "PATH"):
			out = append(out, name+"="+strings.Join(k.outside(value), string(filepath.ListSeparator)))
		case set[name] == "":
			out = append(out, kv)
		}
	}
	for _, name := range []string{"PYTHONSAFEPATH", "PYTHONDONTWRITEBYTECODE", "PYTHONPYCACHEPREFIX", "PYTHONPATH", "PERL_USE_UNSAFE_INC"} {
		if set[name] != "" {
			out = append(out, name+"="+set[name])
		}
	}
	return out
}

// outside returns those of a list of directories that are absolute and lie outside the
// project, by name and by where they lead.
func (k *Kit) outside(list string) []string {
	kept, _ := trust.LookOnce(k.seen.Load(), "outside", list, func() ([]string, error) {
		roots := []string{k.Dirs.Project}
		if real, err := filepath.EvalSymlinks(k.Dirs.Project); err == nil {
			roots = append(roots, real)
		}
		return slices.DeleteFunc(filepath.SplitList(list), func(dir string) bool {
			real, err := filepath.EvalSymlinks(dir)
			if err != nil {
				real = dir
			}
			return !filepath.IsAbs(dir) || slices.ContainsFunc(roots, func(root string) bool { return inside(root, dir) || inside(root, real) })
		}), nil
	})
	return kept
}

// Isolate wraps the handler of a hook's registration so that the hook does not run where
// its interpreter would take a module of the working directory for one that the hook
// names. env is what the hook gets.
func (k *Kit) Isolate(f *Found, env []string) {
	if len(f.Modules) > 0 {
		r := f.Registration
		r.Handler = &isolated{wrapping{r.Handler}, f.Modules, env, k.Dirs.Project, Guards(r)}
	}
}

type isolated struct {
	wrapping
	modules []Module
	env     []string
	project string
	guard   bool
}

func (i *isolated) Handle(ctx context.Context, call *hook.Call) (hook.Result, error) {
	dir := call.Input.Base().CWD
	if dir == "" {
		dir = i.project
	}
	if err := Unshadowed(ctx, i.modules, dir, i.env); err != nil {
		return hook.Result{}, &hook.Failure{Kind: hook.FailureLaunch, Err: err, Closed: i.guard}
	}
	return i.Handler.Handle(ctx, call)
}

// Module is a Python module that a hook loads by its name, and the interpreter as the
// hook names it.
type Module = struct{ Program, Name string }

// shadowedError is the error of a module that the interpreter would take from the
// working directory.
type shadowedError struct{ Program, Module, Path string }

func (e *shadowedError) Error() string {
	return fmt.Sprintf("not run: %s is older than Python 3.11 and would run %s of the project in place of the module %s", e.Program, e.Path, e.Module)
}

// Unshadowed fails when a directory holds a module of the name that an interpreter would
// load, and the interpreter is too old to be kept from it. An interpreter that does not
// say how old it is counts as too old.
func Unshadowed(ctx context.Context, modules []Module, dir string, env []string) error {
	for _, m := range modules {
		first, _, _ := strings.Cut(m.Name, ".")
		for _, ending := range []string{"", ".py", ".pyc", ".so", ".*.so", ".pyd", ".*.pyd"} {
			found, _ := filepath.Glob(filepath.Join(codedir.Quote(dir), first+ending))
			if len(found) > 0 && !safe(ctx, m.Program, dir, env) {
				return &shadowedError{m.Program, m.Name, found[0]}
			}
		}
	}
	return nil
}

var pythonVersion = lazyregexp.New(`Python (\d+)\.(\d+)`)

// safe reports whether an interpreter knows PYTHONSAFEPATH. It is asked each time, in the
// directory: which interpreter a name stands for may depend on both.
func safe(ctx context.Context, program, dir string, env []string) bool {
	exit, err := process.Run(ctx, process.Spec{Path: program, Args: []string{"-V"}, Dir: dir, Env: env})
	if err != nil || exit.Code != 0 {
		return false
	}
	m := pythonVersion.Get().FindSubmatch(exit.Stdout)
	if m == nil {
		return false
	}
	major, _ := strconv.Atoi(string(m[1]))
	minor, _ := strconv.Atoi(string(m[2]))
	return major > 3 || major == 3 && minor >= 11
}
