//go:build oracle

package pi

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/hookline-dev/hookline/internal/oracle"
)

// TestAgainstPi plays the table under pi, in both versions, and under ours. ORACLE_VERSION
// is another version of the newest package, ORACLE_FEW plays twelve cases with the newest
// and installs nothing.
func TestAgainstPi(t *testing.T) {
	cache, err := oracle.CacheDir()
	if err != nil {
		t.Fatal(err)
	}
	only := os.Getenv("ORACLE_FEW") != ""
	packages := slices.Clone(Packages)
	if v := os.Getenv("ORACLE_VERSION"); v != "" {
		packages = packages[:1]
		packages[0].Version = v
	} else if only {
		packages = packages[:1]
	}
	node, ok := installed(t, Node(), cache, only)
	if !ok {
		t.Skip("not run: Node is not in the cache")
	}
	command := built(t, cache)
	used := oracle.Counts{}
	for _, pkg := range packages {
		program, ok := installed(t, pkg, cache, only)
		if !ok {
			t.Skipf("not run: pi %s is not in the cache", pkg.Version)
		}
		fmt.Printf("pi %s\n%s\n", program.Version, program.License)
		tb := &table{dir: filepath.Join(cache, "rooms", "pi-"+program.Version), version: program.Version, pi: program.Path, ours: command, all: &used}
		tb.theirs = func(c *Cell) oracle.Program { return Theirs(node.Path, program.Path, c) }
		t.Run(program.Version, func(t *testing.T) {
			for _, c := range Cells() {
				c.host = pkg.Name
				if c.newest && pkg.Name != Packages[0].Name {
					continue
				}
				if !only || slices.Contains(few, c.name) {
					t.Run(c.name, func(t *testing.T) {
						t.Parallel()
						tb.play(t, &c)
					})
				}
			}
		})
		fmt.Printf("pi %s: %v\n", program.Version, &tb.counts)
	}
	if len(packages) == len(Packages) && !t.Failed() {
		unused(t, &used, false)
	}
}

// TestAgainstOhMyPi plays the cells that are oh-my-pi's too.
func TestAgainstOhMyPi(t *testing.T) {
	cache, err := oracle.CacheDir()
	if err != nil {
		t.Fatal(err)
	}
	few := os.Getenv("ORACLE_FEW") != ""
	bun, ok := installed(t, Bun(), cache, few)
	if !ok {
		t.Skip("not run: Bun is not in the cache")
	}
	program, ok := installed(t, OhMyPi, cache, few)
	if !ok {
		t.Skip("not run: oh-my-pi is not in the cache")
	}
	fmt.Printf("oh-my-pi %s\n%s\n", program.Version, program.License)
	tb := &table{dir: filepath.Join(cache, "rooms", "omp-"+program.Version), version: program.Version, pi: program.Path, ours: built(t, cache), all: &oracle.Counts{}}
	tb.theirs = func(c *Cell) oracle.Program { return TheirsOhMyPi(bun.Path, program.Path, c) }
	t.Run("cells", func(t *testing.T) {
		for _, c := range CellsOfOhMyPi() {
			t.Run(c.name, func(t *testing.T) {
				t.Parallel()
				tb.play(t, &c)
			})
		}
	})
	fmt.Printf("oh-my-pi %s: %v\n", program.Version, &tb.counts)
	if !t.Failed() {
		unused(t, tb.all, true)
	}
}

// unused reports what is declared for oh-my-pi, or for pi, and is not there any more.
func unused(t *testing.T, used *oracle.Counts, ofOhMyPi bool) {
	for _, d := range used.Unused(DeclaredDifferences) {
		if strings.HasPrefix(d.Cases, ohMyPi) == ofOhMyPi {
			t.Errorf("declared, and not there any more: %s %s", d.Cases, d.Fact)
		}
	}
}

// TestModulesGetTheMembersOfPi asks a module of ours for each member and each event that
// the newest package declares.
func TestModulesGetTheMembersOfPi(t *testing.T) {
	cache, err := oracle.CacheDir()
	if err != nil {
		t.Fatal(err)
	}
	pkg, few := Packages[0], os.Getenv("ORACLE_FEW") != ""
	pkg.Version = cmp.Or(os.Getenv("ORACLE_VERSION"), pkg.Version)
	program, ok := installed(t, pkg, cache, few)
	if !ok {
		t.Skip("not run: pi is not in the cache")
	}
	d, err := Declared(filepath.Dir(filepath.Dir(examples(program.Path))))
	if err != nil {
		t.Fatal(err)
	}
	c := d.cell()
	play, err := oracle.Run(t.Context(), Ours(built(t, cache), program.Path, &c), c.play(true), filepath.Join(cache, "rooms", "pi-members"), "")
	if err != nil {
		t.Fatal(err)
	}
	got, err := d.missing(play)
	if err != nil {
		t.Fatal(err)
	}
	var declared []string
	for _, m := range MissingMembers {
		declared = append(declared, m.Names...)
	}
	slices.Sort(declared)
	if !slices.Equal(got, declared) {
		t.Errorf("modules do not get\n%s\nit is declared that they do not get\n%s", strings.Join(got, "\n"), strings.Join(declared, "\n"))
	}
	fmt.Printf("pi %s declares %d members and %d events, of which modules here do not get %d\n", program.Version, len(d.members), len(d.events), len(got))
}

// built is our command: one that is named, or one that is built now.
func built(t *testing.T, cache string) string {
	if named := os.Getenv("ORACLE_HOOKLINE"); named != "" {
		return named
	}
	command := filepath.Join(cache, "hookline")
	if out, err := exec.Command("go", "build", "-o", command, "github.com/hookline-dev/hookline/cmd/hookline").CombinedOutput(); err != nil {
		t.Fatalf("building our command: %v\n%s", err, out)
	}
	return command
}

func installed(t *testing.T, p oracle.Package, cache string, only bool) (oracle.Installed, bool) {
	if only {
		return p.Cached(cache)
	}
	in, err := p.Install(context.Background(), cache)
	if err != nil {
		t.Fatal(err)
	}
	return in, true
}

// table is a table that is being played under one version.
type table struct {
	dir, version, pi, ours string

	theirs func(*Cell) oracle.Program

	mu     sync.Mutex
	counts oracle.Counts
	all    *oracle.Counts
}

// play plays one cell under both programs and judges it.
func (tb *table) play(t *testing.T, c *Cell) {
	seen := func(p oracle.Program, mine bool) oracle.Facts {
		dir := filepath.Join(tb.dir, strings.ReplaceAll(c.name, "/", "_"), p.Name)
		play, err := oracle.Run(t.Context(), p, c.play(mine), dir, "")
		if err != nil {
			t.Fatal(err)
		}
		f, err := Facts(play, c)
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	diffs := oracle.Compare(tb.version+"/"+c.name, seen(tb.theirs(c), false), seen(Ours(tb.ours, tb.pi, c), true), DeclaredDifferences)
	tb.mu.Lock()
	tb.counts.Add(diffs)
	tb.all.Add(diffs)
	tb.mu.Unlock()
	for _, d := range diffs {
		if d.Declared == nil {
			t.Error(d)
		} else {
			t.Logf("declared: %v", d)
		}
	}
}
