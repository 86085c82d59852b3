package trust

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/hookline-dev/hookline/internal/fsx"
)

// sameRoot reports whether two real paths are the same project. Paths that differ
// in case only may be the same directory, which the file system knows.
func sameRoot(a, b string) bool {
	if a == b {
		return true
	}
	if !strings.EqualFold(a, b) {
		return false
	}
	ia, err := os.Stat(a)
	if err != nil {
		return false
	}
	ib, err := os.Stat(b)
	return err == nil && os.SameFile(ia, ib)
}

// contains reports whether a directory holds a path, by their real paths.
func contains(dir, path string) bool {
	// What is not there yet counts with the nearest directory that is.
	dir, path = fsx.Resolve(dir), fsx.Resolve(path)
	rel, err := filepath.Rel(dir, path)
	return err == nil && filepath.IsLocal(rel)
}
