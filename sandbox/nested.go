package sandbox

import (
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// What Nested looks at and finds at most.
const (
	nestedDirs  = 20_000
	nestedFound = 64
)

// Nested returns the directories below dir in which there are some of names, which are as
// those of a [Keep], with these. It does not look into what the names stand for and
// into node_modules, follows no link, and ends with the 20,000th directory or the 64th that
// it found: what is nearer to dir comes first.
func Nested(dir string, names []string) iter.Seq2[string, []string] {
	return func(yield func(string, []string) bool) {
		first := map[string]bool{"node_modules": true}
		for _, n := range names {
			n, _, _ = strings.Cut(filepath.ToSlash(n), "/")
			first[n] = true
		}
		found, next := 0, []string{dir}
		for looked := 0; looked < len(next) && looked < nestedDirs; looked++ {
			at, hit := next[looked], false
			entries, err := os.ReadDir(at)
			if err != nil {
				continue // it is gone, or not for this person to read
			}
			for _, e := range entries {
				hit = hit || first[e.Name()]
				if below := filepath.Join(at, e.Name()); e.IsDir() && !first[e.Name()] && len(next) < nestedDirs {
					next = append(next, below)
				}
			}
			if !hit || at == dir {
				continue
			}
			if there := present(at, names); len(there) > 0 {
				if found++; found > nestedFound || !yield(at, there) {
					return
				}
			}
		}
	}
}

// present returns those of names whose first element is there in a directory.
func present(dir string, names []string) []string {
	return slices.DeleteFunc(slices.Clone(names), func(n string) bool {
		n, _, _ = strings.Cut(filepath.ToSlash(n), "/")
		_, err := os.Lstat(filepath.Join(dir, n))
		return err != nil
	})
}
