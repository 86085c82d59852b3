package tui

import (
	"cmp"
	"context"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"unicode/utf16"

	"github.com/hookline-dev/hookline/handler/script"
	"github.com/hookline-dev/hookline/internal/gitcmd"
)

func utf16Of(s string) []uint16 { return utf16.Encode([]rune(s)) }

// files are the files of a directory, as git has them, for completion. They are listed
// when a name is begun.
type files struct {
	mu   sync.Mutex
	dir  string
	list []string
}

// mostFiles is how many files are listed where git does not say which there are.
const mostFiles = 20_000

// matching returns the files whose path has the characters of a word in its order, the
// best first.
func (f *files) matching(ctx context.Context, dir, word string) []script.Completion {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.dir != dir || word == "" {
		f.dir, f.list = dir, listFiles(ctx, dir)
	}
	type found struct {
		path string
		rank int
	}
	var hits []found
	lower := strings.ToLower(word)
	for _, path := range f.list {
		if rank, ok := fits(strings.ToLower(path), lower); ok {
			hits = append(hits, found{path, rank})
		}
	}
	slices.SortStableFunc(hits, func(a, b found) int {
		return cmp.Or(cmp.Compare(a.rank, b.rank), cmp.Compare(len(a.path), len(b.path)), strings.Compare(a.path, b.path))
	})
	var out []script.Completion
	for _, h := range hits[:min(len(hits), 50)] {
		out = append(out, script.Completion{Label: "@" + h.path})
	}
	return out
}

// fits ranks a path for a word, both in lower case: the name of the file begins with it, it
// is in the path, or its characters are, in their order.
func fits(path, word string) (int, bool) {
	switch {
	case strings.HasPrefix(path[strings.LastIndexByte(path, '/')+1:], word), strings.HasPrefix(path, word):
		return 0, true
	case strings.Contains(path, word):
		return 1, true
	}
	rest := path
	for _, r := range word {
		i := strings.IndexRune(rest, r)
		if i < 0 {
			return 0, false
		}
		rest = rest[i+len(string(r)):]
	}
	return 2, true
}

// listFiles lists the files of a directory: those that git knows or would add, or, where
// there is no repository, those that are not hidden.
func listFiles(ctx context.Context, dir string) []string {
	if text, err := new(gitcmd.Client).In(dir).Git(ctx, "list the files", "ls-files", "-z", "--cached", "--others", "--exclude-standard"); err == nil {
		list := strings.FieldsFunc(text, func(r rune) bool { return r == 0 })
		slices.Sort(list)
		return slices.Compact(list)
	}
	var list []string
	_ = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		switch {
		case ctx.Err() != nil || len(list) >= mostFiles:
			return filepath.SkipAll
		case err != nil || path == dir:
			return nil // what cannot be read is not offered
		case strings.HasPrefix(d.Name(), "."):
			if d.IsDir() {
				return filepath.SkipDir
			}
		case d.Type().IsRegular():
			if rel, err := filepath.Rel(dir, path); err == nil {
				list = append(list, filepath.ToSlash(rel))
			}
		}
		return nil
	})
	return list
}
