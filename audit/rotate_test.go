package audit

import (
	"os"
	"path/filepath"
	"strconv"
	"testing"
)

// TestRotationThatWasInterruptedLosesNothing begins again in every state in which a
// process may have been ended while it moved files up.
func TestRotationThatWasInterruptedLosesNothing(t *testing.T) {
	for name, before := range map[string]map[int]string{
		"at the beginning":      {0: "new", 1: "c", 2: "b", 3: "a"},
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
			for i, want := range []string{"", "new", "c", "b", ""} {
				got, _ := os.ReadFile(f.path + "." + strconv.Itoa(i))
				if string(got) != want {
					t.Errorf("file %d holds %q, want %q", i, got, want)
				}
			}
		})
	}
}
