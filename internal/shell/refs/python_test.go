package refs_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/hookline-dev/hookline/internal/shell/refs"
)

// TestIsolatedPython tells modules that the environment keeps Python from finding in the
// working directory from those that it does not.
func TestIsolatedPython(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"m.py", "pkg/__init__.py", "pkg/tool.py", "own/guard.py"} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, tt := range []struct {
		text, module string // the module that is loaded by name
		files        []string
	}{
		{"python3 -m pkg.tool", "pkg.tool", nil},
		{"python3.10 -W ignore -m m x", "m", nil},
		{"env FOO=1 python3 -m m", "m", nil},
		{"python3 -c 'import os; from pkg import tool'", "pkg", nil},
		{"python3 -E -m m", "", []string{"m.py"}},
		{"python3 -BE -m m", "", []string{"m.py"}},
		{"env -i python3 -m m", "", []string{"m.py"}},
		{"env -u PYTHONSAFEPATH python3 -m pkg.tool", "", []string{"pkg/tool.py"}},
		{"PYTHONPATH=. python3 -m m", "", []string{"m.py"}},
		{"sudo python3 -m m", "", []string{"m.py"}},
		{"python3 own/guard.py", "", []string{"own/guard.py"}},
	} {
		got := refs.Command(tt.text, refs.Options{Dir: dir, Isolated: true})
		var files []string
		for _, f := range tt.files {
			files = append(files, filepath.Join(dir, filepath.FromSlash(f)))
		}
		named := slices.ContainsFunc(got.Modules, func(m refs.Module) bool { return m.Name == tt.module })
		if !slices.Equal(got.Files, files) || named != (tt.module != "") || tt.module == "" && len(got.Modules) > 0 {
			t.Errorf("%s: files %q, modules %v", tt.text, got.Files, got.Modules)
		}
	}
	if got := refs.Command("python3 own/guard.py", refs.Options{Dir: dir, Isolated: true}); !slices.Equal(got.Python, []string{filepath.Join(dir, "own", "guard.py")}) {
		t.Errorf("started %q", got.Python)
	}
	if got := refs.Command("python3 -m m", refs.Options{Dir: dir}); len(got.Files) != 1 || len(got.Modules) != 0 {
		t.Errorf("not isolated: %+v", got)
	}
}
