package trust

import (
	"os"
	"path/filepath"
	"strings"
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
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		dir = real
	}
	// What is not there yet counts with the nearest directory that is.
	rest := ""
	for p := path; ; p = filepath.Dir(p) {
		if real, err := filepath.EvalSymlinks(p); err == nil {
			path = filepath.Join(real, rest)
			break
		}
		rest = filepath.Join(filepath.Base(p), rest)
		if p == filepath.Dir(p) {
			break
		}
	}
	rel, err := filepath.Rel(dir, path)
	return err == nil && filepath.IsLocal(rel)
}
