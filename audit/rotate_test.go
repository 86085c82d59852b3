package audit

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// TestRotationThatWasInterruptedLosesNothing begins again in every state in which a
// process may have been ended while it moved files up.
func TestRotationThatWasInterruptedLosesNothing(t *testing.T) {
	for name, before := range map[string]map[int]string{
		"at the beginning":      {0: "new", 1: "c", 2: "b", 3: "a"}, // which goes with the next one
		"after the oldest went": {0: "new", 1: "c", 2: "b"},
		"after the first move":  {0: "new", 1: "c", 3: "b"},
		"before the last move":  {0: "new", 2: "c", 3: "b"},
		"at the end":            {1: "new", 2: "c", 3: "b"},
	} {
		t.Run(name, func(t *testing.T) {
			f := &file{path: filepath.Join(t.TempDir(), "audit.jsonl"), keep: 3}
			for i, text := range before {
				if err := os.WriteFile(f.rotated(i), []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			if err := f.makeRoom(); err != nil {
				t.Fatal(err)
			}
			oldest := ""
			if before[3] == "a" {
				oldest = "a"
			}
			for i, want := range []string{"", "new", "c", "b", oldest} {
				got, _ := os.ReadFile(f.path + "." + strconv.Itoa(i))
				if string(got) != want {
					t.Errorf("file %d holds %q, want %q", i, got, want)
				}
			}
		})
	}
}

// TestTheLogBeginsWhereItsHeadSays ends processes at places from which the oldest record
// is not easily told, and rotates on.
func TestTheLogBeginsWhereItsHeadSays(t *testing.T) {
	keep := func(n int) func(*Options) {
		return func(o *Options) { o.Keep, o.MaxBytes = n, 1 }
	}
	write := func(t *testing.T, l *Log, n int) {
		for range n {
			must(t, l.Note(Record{Reason: strings.Repeat("x", 200)}))
		}
	}
	for name, interrupt := range map[string]func(path string) error{
		"with the log on its way": func(path string) error { return os.Rename(path, path+".0") },
		"in the first line of a new file": func(path string) error {
			if err := os.Rename(path, path+".0"); err != nil {
				return err
			}
			return os.WriteFile(path, []byte(`{"seq":`), 0o600)
		},
	} {
		for _, kept := range []int{3, 9} {
			t.Run(name+" of "+strconv.Itoa(kept), func(t *testing.T) {
				l, path := newLog(t, keep(kept))
				write(t, l, 8)
				announce(t, path, 1)
				must(t, interrupt(path))
				next := New(Options{Path: path, Environ: []string{}, MaxBytes: 1, Keep: 3})
				defer next.Close()
				for range 6 {
					write(t, next, 1)
					intact(t, path)
				}
				if last := next.file.lastRotated(); last != 3 {
					t.Errorf("%d files are put aside, want 3", last)
				}
			})
		}
	}
}
