package dialect_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/hookline-dev/hookline/dialect"
)

// A program that is older than what it is built of is named, with what builds it; one that is
// not, and one without a source, is not.
func TestStalePrograms(t *testing.T) {
	dir := t.TempDir()
	write := func(name string, age time.Duration) string {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		when := time.Now().Add(-age)
		if err := os.WriteFile(path, []byte("x"), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(path, when, when); err != nil {
			t.Fatal(err)
		}
		return path
	}
	hooks := []dialect.Found{}
	for _, name := range []string{"old", "new", "module", "plain"} {
		path := write(name, time.Hour)
		hooks = append(hooks, dialect.Found{Path: path, Source: path})
	}
	stale := write("src/old.go", time.Minute)
	write("src/new.go", 2*time.Hour)
	write("src/module/go.mod", 2*time.Hour)
	write("src/module/main.go", 2*time.Hour)
	staleToo := write("src/module/hookline/hookline.go", time.Minute)
	diags := dialect.StalePrograms(hooks)
	if len(diags) != 2 || diags[0].Path != stale || diags[1].Path != staleToo {
		t.Fatalf("%q", diags)
	}
	for i, want := range []string{"go build -o " + hooks[0].Path + " " + stale, "go build -C " + filepath.Join(dir, "src", "module") + " -buildvcs=false -o " + hooks[2].Path + " ."} {
		if !strings.Contains(diags[i].Remedy, want) {
			t.Errorf("remedy %q, want %q", diags[i].Remedy, want)
		}
	}
	write("old", 0)
	if diags := dialect.StalePrograms(hooks); len(diags) != 1 {
		t.Errorf("after a build: %q", diags)
	}
}
