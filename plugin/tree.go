package plugin

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
)

// entryKind is the type of a file in a source.
type entryKind uint8

const (
	plainFile entryKind = iota + 1
	symlink
	submodule
	special // device, pipe, socket
)

// entry is one file of a source, before anything about it is believed.
type entry struct {
	path       string // slash-separated, relative
	kind       entryKind
	executable bool
	size       int64
	target     string // of a symlink
	what       string // of a special file
	object     string // id in a git source
}

// tree is the list of files of a source and the way to their contents.
type tree struct {
	entries []entry
	// read calls each for the given plain files, in their order; each copies
	// the content with the function it gets.
	read func(ctx context.Context, files []entry, each func(e entry, copyTo func(io.Writer) error) error) error
}

// Limits bound what a plugin may be. Zero fields mean the defaults.
type Limits struct {
	Files int   // 10,000 files
	Bytes int64 // 256 MiB of content
}

func (l Limits) files() int { return cmp.Or(l.Files, 10_000) }

func (l Limits) bytes() int64 { return cmp.Or(l.Bytes, 256<<20) }

// tally counts entries as they come, so that a listing without end is left
// before it fills the memory.
type tally struct {
	name   string
	limits Limits
	files  int
	bytes  int64
}

func (t *tally) add(e entry) error {
	t.files++
	if e.kind == plainFile {
		t.bytes += e.size
	}
	return t.check(e.path)
}

func (t *tally) check(path string) error {
	if t.files > t.limits.files() {
		return &RefusedError{Plugin: t.name, Reason: fmt.Sprintf("it has more than %d files", t.limits.files())}
	}
	if t.bytes > t.limits.bytes() {
		return &RefusedError{Plugin: t.name, Path: path, Reason: fmt.Sprintf("with it the files are larger than %s together", size(t.limits.bytes()))}
	}
	return nil
}

func size(n int64) string {
	switch {
	case n >= 1<<20:
		return fmt.Sprintf("%d MiB", n>>20)
	case n >= 1<<10:
		return fmt.Sprintf("%d KiB", n>>10)
	}
	return fmt.Sprintf("%d bytes", n)
}

// placed is a plain file of a source and the path it gets in the plugin. They
// differ where a symlink inside the source was replaced by what it points to.
type placed struct {
	path string
	from entry
}

// plan checks every entry and gives the files to install, sorted by path, with
// links replaced by what they point to. keep chooses by path.
func plan(name string, entries []entry, limits Limits, keep func(path string) bool) ([]placed, error) {
	refuse := func(path, format string, args ...any) error {
		return &RefusedError{Plugin: name, Path: path, Reason: fmt.Sprintf(format, args...)}
	}
	seen := make(collisions, len(entries))
	index := make(map[string]entry, len(entries))
	for _, e := range entries {
		if reason := nameFault(e.path); reason != "" {
			return nil, refuse(e.path, "%s", reason)
		}
		for part := range strings.SplitSeq(e.path, "/") {
			if isGitName(part) {
				return nil, refuse(e.path, "it would put files into a git directory")
			}
		}
		if other, collides := seen.add(e.path); collides {
			return nil, refuse(e.path, "the name differs from %q only in upper and lower case", other)
		}
		if _, twice := index[e.path]; twice {
			return nil, refuse(e.path, "it is there twice")
		}
		switch e.kind {
		case plainFile, symlink:
		case submodule:
			return nil, refuse(e.path, "it is a submodule, which is not fetched")
		default:
			return nil, refuse(e.path, "it is %s", e.what)
		}
		index[e.path] = e
	}
	r := resolver{name: name, index: index, sorted: sortedPaths(index), limits: limits, keep: keep}
	return r.resolve()
}

func sortedPaths(index map[string]entry) []string {
	paths := make([]string, 0, len(index))
	for p := range index {
		paths = append(paths, p)
	}
	slices.Sort(paths)
	return paths
}
