package tool

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
)

// maxWalk limits how many files a search looks at.
const maxWalk = 500_000

var errEnough = errors.New("enough")

// skipDir reports directories that searches leave out unless they start there.
func skipDir(name string) bool {
	switch name {
	case ".git", ".hg", ".svn", ".jj", "node_modules":
		return true
	}
	return false
}

// walk calls fn for each file below a place, in the order of their names. name
// is relative to the place, with slashes. Links are not followed. Directories
// that can not be read are left out.
func (p *place) walk(ctx context.Context, fn func(name string, d fs.DirEntry) error) error {
	n := 0
	err := fs.WalkDir(p.root.FS(), filepath.ToSlash(p.name), func(name string, d fs.DirEntry, err error) error {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			if name == filepath.ToSlash(p.name) {
				return err
			}
			return nil
		}
		rel := name
		if base := filepath.ToSlash(p.name); base != "." && name != base {
			rel = name[len(base)+1:]
		} else if name == base {
			rel = "."
		}
		if d.IsDir() {
			if rel != "." && skipDir(d.Name()) {
				return fs.SkipDir
			}
			return nil
		}
		if n++; n > maxWalk {
			return errEnough
		}
		return fn(rel, d)
	})
	if err != nil && !errors.Is(err, errEnough) {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return p.wrap(err)
	}
	return nil
}

// in returns the place of a file below a directory's place.
func (p *place) in(name string) *place {
	local := filepath.FromSlash(name)
	return &place{
		root: p.root, name: filepath.Join(p.name, local),
		path: filepath.Join(p.path, local), real: filepath.Join(p.real, local),
	}
}

// directory opens a directory's place; the path is the working directory when
// it is empty.
func (s *Set) directory(ctx context.Context, dir string) (*place, error) {
	if dir == "" {
		dir = "."
	}
	p, err := s.locate(ctx, dir, toRead)
	if err != nil {
		return nil, err
	}
	fi, err := p.root.Stat(p.name)
	if err == nil && !fi.IsDir() {
		err = &fs.PathError{Op: "open", Path: p.path, Err: errors.New("is not a directory")}
	}
	if err != nil {
		p.close()
		return nil, p.wrap(err)
	}
	return p, nil
}

// byTime sorts paths, the one changed last first.
func byTime(files []found) []string {
	slices.SortStableFunc(files, func(a, b found) int {
		if c := b.info.ModTime().Compare(a.info.ModTime()); c != 0 {
			return c
		}
		if a.path < b.path {
			return -1
		}
		return 1
	})
	names := make([]string, len(files))
	for i, f := range files {
		names[i] = f.path
	}
	return names
}

// found is a file that a search found.
type found struct {
	path string
	info os.FileInfo
}

// typeGlobs are the names that stand for file types in a Grep.
func typeGlobs(typ string) ([]string, bool) {
	known := map[string][]string{
		"c": {"*.c", "*.h"}, "cpp": {"*.cpp", "*.cc", "*.cxx", "*.hpp", "*.hh", "*.h"}, "cs": {"*.cs"},
		"css": {"*.css", "*.scss", "*.sass", "*.less"}, "go": {"*.go"}, "html": {"*.html", "*.htm"},
		"java": {"*.java"}, "js": {"*.js", "*.mjs", "*.cjs", "*.jsx"}, "json": {"*.json"}, "kotlin": {"*.kt", "*.kts"},
		"lua": {"*.lua"}, "md": {"*.md", "*.markdown"}, "php": {"*.php"}, "py": {"*.py", "*.pyi"}, "rb": {"*.rb"},
		"ruby": {"*.rb"}, "rust": {"*.rs"}, "sh": {"*.sh", "*.bash", "*.zsh"}, "sql": {"*.sql"}, "swift": {"*.swift"},
		"toml": {"*.toml"}, "ts": {"*.ts", "*.tsx", "*.mts", "*.cts"}, "tsx": {"*.tsx"}, "txt": {"*.txt"},
		"xml": {"*.xml"}, "yaml": {"*.yaml", "*.yml"},
	}
	globs, ok := known[typ]
	return globs, ok
}

// matchesAny reports whether the base of a name matches one of the globs.
func matchesAny(globs []string, name string) bool {
	return slices.ContainsFunc(globs, func(g string) bool {
		ok, err := path.Match(g, path.Base(name))
		return ok && err == nil
	})
}
