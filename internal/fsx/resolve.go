package fsx

import "path/filepath"

// Resolve returns a path without links, as far as it is there; what is not there is kept
// as it is written.
func Resolve(path string) string {
	path = filepath.Clean(path)
	for rest, at := "", path; ; {
		real, err := filepath.EvalSymlinks(at)
		if err == nil {
			return filepath.Join(real, rest)
		}
		up := filepath.Dir(at)
		if up == at {
			return path
		}
		rest, at = filepath.Join(filepath.Base(at), rest), up
	}
}
