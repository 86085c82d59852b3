package reference_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/hookline-dev/hookline/internal/reference"
)

// TestPagesAreFresh compares the pages with the code; UPDATE_DOCS=1 writes them.
func TestPagesAreFresh(t *testing.T) {
	for path, want := range reference.Pages(played(t)) {
		file := filepath.Join("..", "..", path)
		if os.Getenv("UPDATE_DOCS") != "" {
			if err := os.WriteFile(file, []byte(want), 0o644); err != nil {
				t.Fatal(err)
			}
			continue
		}
		got, err := os.ReadFile(file)
		if err != nil || string(got) != want {
			t.Errorf("%s is stale (%v); run 'make docs'", path, err)
		}
	}
}
