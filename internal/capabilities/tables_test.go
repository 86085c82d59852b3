package capabilities

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"github.com/hookline-dev/hookline/dialect/claude"
	"github.com/hookline-dev/hookline/dialect/kodelet"
	"github.com/hookline-dev/hookline/dialect/pi"
	"github.com/hookline-dev/hookline/hook"
)

func readPage(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(path)))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// TestDialectPagesNameEveryEvent holds the pages to the tables of the code.
func TestDialectPagesNameEveryEvent(t *testing.T) {
	text := readPage(t, "docs/dialects/claude.md")
	for _, ev := range claude.Events() {
		if !strings.Contains(text, "["+ev.String()+"](../events.md#"+strings.ToLower(ev.String())+")") {
			t.Errorf("claude.md does not link %v", ev)
		}
	}
	text = readPage(t, "docs/dialects/kodelet.md")
	for _, typ := range kodelet.Types() {
		if !strings.Contains(text, "`"+typ+"`") {
			t.Errorf("kodelet.md does not name %s", typ)
		}
	}
	text = readPage(t, "docs/dialects/pi.md")
	for _, name := range pi.Names() {
		// "auto_retry_start`, `_end`" names two events.
		stem := name[:max(0, strings.LastIndexByte(name, '_'))]
		short := "`_" + strings.TrimPrefix(name[len(stem):], "_") + "`"
		if !strings.Contains(text, "`"+name+"`") && !(strings.Contains(text, "`"+stem+"_start`") && strings.Contains(text, short)) {
			t.Errorf("pi.md does not name %s", name)
		}
	}
}

// TestDialectPagesNameEveryTool holds the tables of tools to the vocabularies.
func TestDialectPagesNameEveryTool(t *testing.T) {
	text := readPage(t, "docs/dialects/kodelet.md")
	for _, tool := range (kodelet.Dialect{}).Tools() {
		for _, name := range append([]string{"`" + tool.Dialect + "`"}, fieldNames(tool.Fields, func(i int) string { return tool.Fields[i].Dialect })...) {
			if !strings.Contains(text, name) {
				t.Errorf("kodelet.md does not name %s of %s", name, tool.Canonical)
			}
		}
	}
	text = readPage(t, "docs/dialects/pi.md")
	for _, tool := range (pi.Dialect{}).Tools() {
		if !strings.Contains(text, "`"+tool.Dialect+"`") {
			t.Errorf("pi.md does not name %s", tool.Dialect)
		}
	}
}

func fieldNames[T any](fields []T, name func(i int) string) []string {
	var out []string
	for i := range fields {
		out = append(out, "`"+name(i)+"`")
	}
	return out
}

// TestPagesHaveTheDefaults holds numbers in the pages to the code.
func TestPagesHaveTheDefaults(t *testing.T) {
	if claude.DefaultTextLimit != 10_000 || hook.DefaultAsyncTimeout.Minutes() != 10 {
		t.Error("docs/dialects/claude.md says 10,000 characters and ten minutes")
	}
}

// TestKeysOfTestFilesAreDocumented holds docs/testing-hooks.md to the structs that
// read test files.
func TestKeysOfTestFilesAreDocumented(t *testing.T) {
	text := readPage(t, "docs/testing-hooks.md")
	dir := filepath.Join(root, "cmd", "hookline")
	keys := append(yamlKeys(t, filepath.Join(dir, "testfile.go"), "hookTest"), yamlKeys(t, filepath.Join(dir, "testexpect.go"), "expectation")...)
	if len(keys) < 15 {
		t.Fatalf("only %d keys were found: %v", len(keys), keys)
	}
	for _, key := range keys {
		if !strings.Contains(text, "| `"+key+"`") && !strings.Contains(text, ", `"+key+"`") {
			t.Errorf("testing-hooks.md has no row for %s", key)
		}
	}
}

// yamlKeys returns the yaml names of the members of structs in a file.
func yamlKeys(t *testing.T, file string, structs ...string) []string {
	t.Helper()
	f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	var keys []string
	for _, name := range structs {
		ast.Inspect(f, func(n ast.Node) bool {
			spec, ok := n.(*ast.TypeSpec)
			if !ok || spec.Name.Name != name {
				return true
			}
			st, ok := spec.Type.(*ast.StructType)
			if !ok {
				return true
			}
			for _, field := range st.Fields.List {
				if field.Tag == nil {
					continue
				}
				tag, err := strconv.Unquote(field.Tag.Value)
				if err != nil {
					t.Fatal(err)
				}
				if key, _, _ := strings.Cut(reflect.StructTag(tag).Get("yaml"), ","); key != "" {
					keys = append(keys, key)
				}
			}
			return false
		})
	}
	return keys
}
