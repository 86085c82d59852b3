package policy

import (
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const (
	root   = "../.."
	module = "github.com/hookline-dev/hookline"
)

// packages lists the directories with Go packages of the module.
func packages(t *testing.T) []string {
	t.Helper()
	seen := map[string]bool{}
	var out []string
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := d.Name()
		if d.IsDir() && path != root && (strings.HasPrefix(name, ".") || name == "testdata" || name == "node_modules" || name == "examples" || name == "demofiles") {
			return filepath.SkipDir
		}
		if dir := filepath.Dir(path); strings.HasSuffix(name, ".go") && !seen[dir] {
			seen[dir] = true
			out = append(out, dir)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func importPath(dir string) string {
	rel, err := filepath.Rel(root, dir)
	if err != nil || rel == "." {
		return module
	}
	return module + "/" + filepath.ToSlash(rel)
}

// parsed returns the files of a directory, those of its tests too.
func parsed(t *testing.T, set *token.FileSet, dir string) []*ast.File {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	var out []*ast.File
	for _, name := range names {
		f, err := parser.ParseFile(set, name, nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, f)
	}
	return out
}

// TestEveryPackageIsDocumented asks for a package comment everywhere, and for an
// example where others import.
func TestEveryPackageIsDocumented(t *testing.T) {
	for _, dir := range packages(t) {
		path := importPath(dir)
		documented, example := false, false
		for _, f := range parsed(t, token.NewFileSet(), dir) {
			documented = documented || f.Doc != nil && !strings.HasSuffix(f.Name.Name, "_test")
			for _, d := range f.Decls {
				if fn, ok := d.(*ast.FuncDecl); ok && strings.HasPrefix(fn.Name.Name, "Example") {
					example = true
				}
			}
		}
		if !documented {
			t.Errorf("%s has no package comment", path)
		}
		// The agent's own rooms are parts of it and not for embedding on their own.
		public := !strings.HasPrefix(path, module+"/agent/") && !strings.Contains(path, "/internal/") && !strings.Contains(path, "/cmd/") && path != module+"/handler" && path != module+"/dialect"
		if public && !example {
			t.Errorf("%s has no example: write one in %s", path, filepath.Join(dir, "example_test.go"))
		}
	}
}

// rank says how far up a room is: arrows go down only.
func rank(path string) int {
	rel := strings.TrimPrefix(path, module+"/")
	for _, r := range []struct {
		prefix string
		rank   int
	}{
		{"cmd/", 100},
		{"examples", 100},
		{"internal/redact", 20},
		{"internal/catalog", 42},
		{"internal/reference", 95},
		{"internal/capabilities", 95},
		{"internal/soak", 95},
		{"internal/policy", 95},
		{"agent/model", 55},
		{"agent/tool", 61},
		{"agent/mcp", 62},
		{"agentsdk", 95},
		{"agent", 90},
		{"host", 94},
		{"bridge", 95},
		{"audit/otel", 95},
		{"audit", 60},
		{"discovery", 80},
		{"internal/toy", 50},
		{"internal/schema", 50},
		{"permission", 60},
		{"session", 60},
		{"trust", 40},
		{"plugin", 40},
		{"recipe", 45},
		{"skill", 40},
		{"config", 40},
		{"dialect/vocab", 35},
		{"dialect", 40},
		{"handler/process", 12},
		{"handler", 30},
		{"ui/tui", 95},
		{"ui", 12},
		{"sdk", 0},
		{"hook", 10},
	} {
		if strings.HasPrefix(rel, r.prefix) {
			return r.rank
		}
	}
	return 11 // internal helpers
}

// TestArrowsGoDownOnly checks imports against the picture in docs/architecture.md.
func TestArrowsGoDownOnly(t *testing.T) {
	for _, dir := range packages(t) {
		p, err := build.ImportDir(dir, 0)
		if err != nil {
			continue // no files for this platform
		}
		from := importPath(dir)
		for _, to := range p.Imports {
			if strings.HasPrefix(to, module+"/") && rank(to) > rank(from) && !strings.Contains(to, "/internal/") {
				t.Errorf("%s imports %s: that arrow goes up", from, to)
			}
		}
		if slices.ContainsFunc(p.Imports, func(to string) bool { return strings.HasPrefix(to, "github.com/spf13/") }) && rank(from) < 95 {
			t.Errorf("%s imports what is for commands only", from)
		}
		if from == module+"/hook" {
			for _, to := range p.Imports {
				if strings.HasPrefix(to, module) {
					t.Errorf("package hook imports %s", to)
				}
			}
		}
		if strings.HasPrefix(from, module+"/handler") {
			for _, to := range p.Imports {
				if strings.HasPrefix(to, module+"/dialect") {
					t.Errorf("%s imports %s: a dialect gives a handler its codec, not the other way round", from, to)
				}
			}
		}
	}
}

// TestTheClientImportsTheStandardLibraryOnly: its start is what every tool call behind
// another agent waits for.
func TestTheClientImportsTheStandardLibraryOnly(t *testing.T) {
	own := []string{"internal/hookclient", "internal/owndirs"}
	for _, dir := range append(own, "cmd/hookline-hook") {
		p, err := build.ImportDir(filepath.Join(root, dir), 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, to := range p.Imports {
			first, _, _ := strings.Cut(to, "/")
			if strings.Contains(first, ".") && !slices.Contains(own, strings.TrimPrefix(to, module+"/")) {
				t.Errorf("%s imports %s", dir, to)
			}
		}
	}
}
