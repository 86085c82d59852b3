//go:build oracle

package kodelet

import (
	"cmp"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/hookline-dev/hookline/internal/oracle"
)

func TestMain(m *testing.M) {
	if oracle.IsHook(os.Args) {
		os.Exit(oracle.RunHook(os.Args))
	}
	os.Exit(m.Run())
}

// passing is what is another in each run: times.
var passing = regexp.MustCompile(`("executionTime":)[0-9]+|("timestamp":)"[^"]*"|Execution Time: [^\\]*`)

// common keeps of the facts what both can have: each has tools of its own, of whose results
// what a hook caused is compared; escapes and the order of an input's members mean nothing.
func common(f oracle.Facts) {
	for fact, text := range f {
		if strings.HasPrefix(fact, "model: result") && !strings.Contains(text, oracle.Mark) {
			delete(f, fact)
			continue
		}
		v := jsontext.Value(text)
		if v.Canonicalize() == nil {
			text = string(v)
		}
		f[fact] = passing.ReplaceAllString(text, "$1$2")
	}
}

// TestAgainstKodelet plays the table under the program that ORACLE_KODELET names and under
// ours.
func TestAgainstKodelet(t *testing.T) {
	path := os.Getenv("ORACLE_KODELET")
	if path == "" {
		t.Skip("not run: ORACLE_KODELET does not name a kodelet that runs executable hooks (0.4.22)")
	}
	dir := t.TempDir()
	ours := cmp.Or(os.Getenv("ORACLE_HOOKLINE"), filepath.Join(dir, "hookline"))
	if os.Getenv("ORACLE_HOOKLINE") == "" {
		if out, err := exec.Command("go", "build", "-o", ours, "github.com/hookline-dev/hookline/cmd/hookline").CombinedOutput(); err != nil {
			t.Fatalf("building our command: %v\n%s", err, out)
		}
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	var counts oracle.Counts
	for _, c := range Cases() {
		t.Run(c.Name, func(t *testing.T) {
			facts := func(p oracle.Program, c oracle.Case) oracle.Facts {
				play, err := oracle.Run(t.Context(), p, &c, filepath.Join(dir, "rooms", c.Name, p.Name), self)
				if err != nil {
					t.Fatal(err)
				}
				f, err := play.Facts(false)
				if err != nil {
					t.Fatal(err)
				}
				common(f)
				return f
			}
			diffs := oracle.Compare(c.Name, facts(Theirs(path), c), facts(Ours(ours), inOurs(c)), DeclaredDifferences)
			counts.Add(diffs)
			for _, d := range diffs {
				if d.Declared == nil {
					t.Error(d)
				}
			}
		})
	}
	fmt.Println(counts.String())
	if !t.Failed() {
		for _, d := range counts.Unused(DeclaredDifferences) {
			t.Errorf("declared, and not there any more: %s %s", d.Cases, d.Fact)
		}
	}
}
