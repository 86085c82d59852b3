package all_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/hookline-dev/hookline/dialect"
	"github.com/hookline-dev/hookline/dialect/all"
)

const module = "github.com/hookline-dev/hookline/"

// exceptions are the places, outside a dialect's own package, that import it, or where
// a word is spelled as its name and means something else, or has to be written.
var exceptions = []struct{ file, word, why string }{
	{"bridge/rehearse.go", "claude", "the guard of a rehearsal is an entry of Hookline's own settings, which are in its format"},
	{"agentsdk/callback.go", "claude", "callbacks of the vendor's SDK are asked in its format"},
	{"agentsdk/initialize.go", "claude", "the same, where they are registered"},
	{"agentsdk/result.go", "claude", "inputs of refused calls, as that SDK has them"},
	{"cmd/hookline/payload.go", "claude", "schemas of the vendor's own tools, to check an input that a person writes for fire"},
	{"config/config.go", "claude", "the section of config.json that tunes the dialect, and its name in a table of sections"},
	{"dialect/claude/builder.go", "worker", "an entry of a settings file may be a worker"},
	{"dialect/claude/finder.go", "worker", "the same, when what is found is registered"},
	{"dialect/claude/scripts.go", "worker", "the same, for the files that an approval covers"},
	{"dialect/claude/types.go", "worker", "the type of an entry of a settings file"},
	{"dialect/copilot/copilot.go", "claude", "its host reads Claude Code's files too"},
	{"dialect/copilot/vscode.go", "claude", "the same"},
	{"dialect/copilot/vscode.go", "vscode", "the second dialect of the package, whose host takes the first one's files"},
	{"dialect/gemini/qwen.go", "qwen", "the second dialect of the package, whose program grew out of the first one's"},
	{"dialect/worker/extension.go", "kodelet", "extensions speak kodelet's events"},
	{"dialect/worker/payload.go", "kodelet", "the same, for what they are sent"},
	{"dialect/worker/register.go", "kodelet", "extensions are kodelet's, and their hooks are listed so"},
	{"dialect/worker/rpc.go", "kodelet", "the member of a message in which an extension is told the version of its host"},
	{"dialect/shim/pi.go", "pi", "the name of the program that a module of ours steers"},
	{"internal/oracle/claude/program.go", "claude", "the file name of the real program"},
	{"internal/oracle/pi/members.go", "pi", "the name of the object that modules get"},
	{"handler/script/options.go", "pi", "the family of modules, which is a project's name"},
	{"host/artifacts.go", "claude", "the agent's permission rules stand in these settings files, in its format"},
	{"host/environment.go", "claude", "the same, where variables are set"},
	{"host/permissions.go", "claude", "the same, where rules are read and an answer is kept"},
	{"host/recipe.go", "kodelet", "a recipe names the built-in handlers of the dialect that recipes come from"},
	{"host/settings.go", "claude", "the same files, where a change of one is an event"},
	{"host/subagents.go", "claude", "the header of a subagent's file has hooks in this format"},
	{"trust/inside.go", "kodelet", "the name of a program that is known as a parent"},
	{"handler/worker/call.go", "worker", "the kind of a handler, in its identity"},
}

// TestNoDialectIsKnownByName goes through all code for imports of a dialect and for
// words that are a dialect's name: what has to know a dialect asks its type.
func TestNoDialectIsKnownByName(t *testing.T) {
	names := dialect.Names(all.Dialects())
	used := map[int]bool{}
	root := filepath.Join("..", "..")
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, _ := filepath.Rel(root, path)
		rel = filepath.ToSlash(rel)
		if d.IsDir() && (strings.HasPrefix(d.Name(), ".") && rel != "." || d.Name() == "testdata" || rel == "examples" || rel == "dialect/all") {
			return filepath.SkipDir
		}
		if !strings.HasSuffix(rel, ".go") || strings.HasSuffix(rel, "_test.go") || d.IsDir() {
			return nil
		}
		for _, u := range uses(t, path, names) {
			if strings.HasPrefix(rel, "dialect/"+u.word+"/") {
				continue
			}
			i := slices.IndexFunc(exceptions, func(e struct{ file, word, why string }) bool { return e.file == rel && e.word == u.word })
			if i < 0 {
				t.Errorf("%s:%d knows the dialect %q: let dialect.Dialect say what it needs", rel, u.line, u.word)
				continue
			}
			used[i] = true
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for i, e := range exceptions {
		if !used[i] {
			t.Errorf("the exception for %q in %s is not needed any more", e.word, e.file)
		}
	}
}

// TestEveryDialectIsInTheList finds the packages of dialects, and looks for each in all.go.
func TestEveryDialectIsInTheList(t *testing.T) {
	list, err := os.ReadFile("all.go")
	if err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir("..")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if !e.IsDir() || slices.Contains([]string{"all", "internal", "vocab"}, e.Name()) {
			continue
		}
		if !strings.Contains(string(list), strconv.Quote(module+"dialect/"+e.Name())) {
			t.Errorf("dialect/%s is not in the list of dialect/all/all.go", e.Name())
		}
	}
}

type use struct {
	word string
	line int
}

// uses are the dialects that a file imports, and its strings that are a dialect's name.
func uses(t *testing.T, path string, names []string) []use {
	t.Helper()
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, path, nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	var out []use
	for _, imp := range file.Imports {
		p, _ := strconv.Unquote(imp.Path.Value)
		if name, ok := strings.CutPrefix(p, module+"dialect/"); ok && slices.Contains(names, name) {
			out = append(out, use{name, fset.Position(imp.Pos()).Line})
		}
	}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ImportSpec:
			return false
		case *ast.BasicLit:
			if word, err := strconv.Unquote(n.Value); err == nil && n.Kind == token.STRING && slices.Contains(names, word) {
				out = append(out, use{word, fset.Position(n.Pos()).Line})
			}
		}
		return true
	})
	return out
}

// TestTheListIsInTheOrderInWhichHooksRun: a dialect without a rank would run before all others.
func TestTheListIsInTheOrderInWhichHooksRun(t *testing.T) {
	last, before := 0, "the list begins"
	for _, d := range all.Dialects() {
		for _, g := range d.Groups() {
			if g.Rank < last || g.Rank == 0 {
				t.Errorf("%s of the dialect %s has rank %d, after %s with %d: give it one that fits its place in dialect/all/all.go", g.Name, d.Name(), g.Rank, before, last)
			}
			last, before = g.Rank, g.Name
		}
	}
}
