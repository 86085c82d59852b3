package capabilities

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// root is the top of the repository.
const root = "../.."

// leastRows is how many rows the table has at least: nothing falls out of it unseen.
const leastRows = 187

// row is one capability.
type row struct {
	line   int
	number string
	text   string
	proofs []string
	notYet string
}

func readRows(t *testing.T) []row {
	t.Helper()
	data, err := os.ReadFile("capabilities.md")
	if err != nil {
		t.Fatal(err)
	}
	return parseRows(string(data))
}

var quoted = regexp.MustCompile("`([^`]+)`")

// parseRows reads the rows of all tables of the page whose first cell is a number.
func parseRows(text string) []row {
	var rows []row
	for i, line := range strings.Split(text, "\n") {
		cells := strings.Split(line, "|")
		if len(cells) != 6 {
			continue
		}
		for k := range cells {
			cells[k] = strings.TrimSpace(cells[k])
		}
		if _, err := strconv.Atoi(cells[1]); err != nil {
			continue
		}
		r := row{line: i + 1, number: cells[1], text: cells[2], notYet: cells[4]}
		for _, m := range quoted.FindAllStringSubmatch(cells[3], -1) {
			r.proofs = append(r.proofs, m[1])
		}
		rows = append(rows, r)
	}
	return rows
}

func TestEveryCapabilityNamesATestThatExists(t *testing.T) {
	rows := readRows(t)
	if len(rows) < leastRows {
		t.Errorf("%d rows, at least %d expected", len(rows), leastRows)
	}
	known := tests{}
	for i, r := range rows {
		if r.number != strconv.Itoa(i+1) {
			t.Errorf("line %d: number %s, expected %d", r.line, r.number, i+1)
		}
		if r.text == "" {
			t.Errorf("line %d: no text", r.line)
		}
		switch {
		case len(r.proofs) == 0 && r.notYet != "–":
			t.Errorf("line %d: no test, and nothing that says so", r.line)
		case len(r.proofs) > 0 && r.notYet != "":
			t.Errorf("line %d: a test, and %q", r.line, r.notYet)
		}
		for _, p := range r.proofs {
			if why := known.missing(t, p); why != "" {
				t.Errorf("line %d: %s: %s", r.line, p, why)
			}
		}
	}
}

// tests are the names of tests and examples by package directory.
type tests map[string]map[string]bool

// missing says why a proof cannot be found; "" is found.
func (k tests) missing(t *testing.T, proof string) string {
	t.Helper()
	dir, name, isTest := strings.Cut(proof, ": ")
	if !isTest {
		if !strings.HasSuffix(proof, ".txtar") {
			return `neither "package: Test" nor a script`
		}
		if _, err := os.Stat(filepath.Join(root, filepath.FromSlash(proof))); err != nil {
			return err.Error()
		}
		return ""
	}
	if k[dir] == nil {
		k[dir] = testsIn(t, filepath.Join(root, filepath.FromSlash(dir)))
	}
	if !k[dir][name] {
		return "there is no such test"
	}
	return ""
}

// testsIn lists the tests, examples and fuzz targets in the test files of a
// directory.
func testsIn(t *testing.T, dir string) map[string]bool {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	names := map[string]bool{}
	for _, file := range files {
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range f.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok || fn.Recv != nil {
				continue
			}
			for _, prefix := range []string{"Test", "Example", "Fuzz"} {
				names[fn.Name.Name] = names[fn.Name.Name] || strings.HasPrefix(fn.Name.Name, prefix)
			}
		}
	}
	return names
}

// The checks above find what they are there to find.
func TestMissingProofsAreFound(t *testing.T) {
	rows := parseRows("| # | Hookline can | test | not yet |\n|---|---|---|---|\n| 1 | a thing | `hook: TestX`<br>`a/b.txtar` | |\n| 2 | another | | – |\n")
	if len(rows) != 2 || len(rows[0].proofs) != 2 || rows[0].line != 3 || len(rows[1].proofs) != 0 || rows[1].notYet != "–" {
		t.Fatalf("rows: %+v", rows)
	}
	known := tests{}
	for proof, found := range map[string]bool{
		"internal/capabilities: TestMissingProofsAreFound":  true,
		"internal/capabilities: TestThatThereIsNot":         false,
		"internal/capabilities: missing":                    false,
		"no/such/package: TestMissingProofsAreFound":        false,
		"cmd/hookline/testdata/script/fire.txtar":           true,
		"cmd/hookline/testdata/script/there-is-none.txtar":  false,
		"internal/capabilities/capabilities.md":             false,
		"internal/capabilities:TestMissingProofsAreFound":   false,
		"internal/capabilities: TestMissingProofsAreFound ": false,
	} {
		if why := known.missing(t, proof); (why == "") != found {
			t.Errorf("%q: %q, expected found to be %v", proof, why, found)
		}
	}
}
