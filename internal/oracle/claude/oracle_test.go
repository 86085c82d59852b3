//go:build oracle

package claude

import (
	"cmp"
	"context"
	"fmt"
	"hash/crc32"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/hookline-dev/hookline/internal/oracle"
)

func TestMain(m *testing.M) {
	if oracle.IsHook(os.Args) {
		os.Exit(oracle.RunHook(os.Args))
	}
	if oracle.IsToolServer(os.Args) {
		os.Exit(oracle.RunToolServer(os.Stdin, os.Stdout))
	}
	os.Exit(m.Run())
}

// few are the cases that CI plays, where the program is installed already.
var few = []string{
	"session/bash", "session/files", "session/failing-bash", "PreToolUse/deny", "PreToolUse/exit-2", "PreToolUse/rewrite",
	"PostToolUse/block", "UserPromptSubmit/block", "SessionStart/context", "Stop/block", "PreToolUse/ask", "several/deny-and-allow",
}

// TestAgainstClaudeCode plays the table under both programs. ORACLE_VERSION is the
// version, ORACLE_FEW plays twelve cases and installs nothing, and ORACLE_ACCEPT=1 says
// that its licence was accepted.
func TestAgainstClaudeCode(t *testing.T) {
	cache, err := oracle.CacheDir()
	if err != nil {
		t.Fatal(err)
	}
	pkg := Package(cmp.Or(os.Getenv("ORACLE_VERSION"), Version))
	program, ok := pkg.Cached(cache)
	onlyFew := os.Getenv("ORACLE_FEW") != ""
	switch {
	case os.Getenv("ORACLE_ACCEPT") != "1":
		t.Skipf("not run: %s is proprietary; ORACLE_ACCEPT=1 says that you accept its licence", pkg.Name)
	case !ok && onlyFew:
		t.Skip("not run: Claude Code is not in the cache")
	case !onlyFew:
		if program, err = pkg.Install(context.Background(), cache); err != nil {
			t.Fatal(err)
		}
	}
	fmt.Printf("Claude Code %s\n%s\n", program.Version, program.License)
	ours := cmp.Or(os.Getenv("ORACLE_HOOKLINE"), filepath.Join(cache, "hookline"))
	if os.Getenv("ORACLE_HOOKLINE") == "" {
		if out, err := exec.Command("go", "build", "-o", ours, "github.com/hookline-dev/hookline/cmd/hookline").CombinedOutput(); err != nil {
			t.Fatalf("building our command: %v\n%s", err, out)
		}
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	table := &table{dir: filepath.Join(cache, "rooms", "claude-"+program.Version), self: self, theirs: Theirs(program.Path), ours: Ours(ours)}
	t.Run("cases", func(t *testing.T) {
		for _, c := range Cases() {
			if onlyFew && !slices.Contains(few, c.Name) {
				continue
			}
			t.Run(c.Name, func(t *testing.T) {
				t.Parallel()
				table.play(t, &c)
			})
		}
	})
	fmt.Println(table.counts.String()+",", len(Uncaused), "events that can't be caused")
	if table.counts.Cells() < len(Cases()) {
		return // some were left out
	}
	for _, d := range table.counts.Unused(DeclaredDifferences) {
		if program.Version == Version && !t.Failed() {
			t.Errorf("declared, and not there any more: %s %s", d.Cases, d.Fact)
		} else {
			t.Logf("declared for %s, and not in %s: %s %s", Version, program.Version, d.Cases, d.Fact)
		}
	}
}

// table is a table that is being played.
type table struct {
	dir, self    string
	theirs, ours oracle.Program

	mu     sync.Mutex
	counts oracle.Counts
}

// play plays one case under both programs and judges it.
func (tb *table) play(t *testing.T, c *oracle.Case) {
	facts := func(p oracle.Program) oracle.Facts {
		dir := filepath.Join(tb.dir, fmt.Sprintf("%s-%x", strings.Map(plain, c.Name), crc32.ChecksumIEEE([]byte(c.Name))), p.Name)
		play, err := oracle.Run(t.Context(), ofFront(p, c), c, dir, tb.self)
		if err != nil {
			t.Fatal(err)
		}
		if len(play.Missed) > 0 && p.Name == tb.theirs.Name {
			t.Errorf("the case is no good: under the real program these steps do not come to their end: %s", play.Missed)
		}
		f, err := play.Facts(c.Surroundings)
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	ours := facts(tb.ours)
	diffs := oracle.Compare(c.Name, facts(tb.theirs), ours, DeclaredDifferences)
	open := func(d oracle.Difference) bool { return d.Declared == nil }
	for again := 0; again < 2 && slices.ContainsFunc(diffs, open); again++ {
		// what the real program does not do every time, such as run a hook of StopFailure
		// before it ends, is nothing to be measured by
		diffs = oracle.Compare(c.Name, facts(tb.theirs), ours, DeclaredDifferences)
	}
	tb.mu.Lock()
	tb.counts.Add(diffs)
	tb.mu.Unlock()
	for _, d := range diffs {
		if d.Declared == nil {
			t.Error(d)
		} else {
			t.Logf("declared: %s", d)
		}
	}
	switch {
	case len(diffs) == 0:
		t.Log("the same")
	case !t.Failed():
		t.Log("with a declared difference")
	}
}

// plain keeps what may stand in every path.
func plain(r rune) rune {
	if strings.ContainsRune("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-", r) {
		return r
	}
	return '_'
}
