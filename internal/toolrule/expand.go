package toolrule

import (
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"

	"github.com/hookline-dev/hookline/internal/shell"
)

// maxFiles bounds how many files one pattern, or one directory, is looked through
// for.
const maxFiles = 20_000

// File is a file that a command may come upon.
type File struct {
	// Path is written as the command would write it: relative to the call's Cwd,
	// or absolute.
	Path string
	// Link says that it is a symbolic link.
	Link bool
}

// Expand lists the files that a word with a file pattern stands for now. ok is false
// when there are too many to look at, when a directory can't be read, or when the
// pattern may lead upwards.
func (c Call) Expand(w shell.Word) (files []File, ok bool) {
	c = c.Analyzed()
	fixed, pattern := splitPattern(w)
	if strings.Contains(pattern, "..") {
		return nil, false
	}
	x := expander{call: c, left: maxFiles}
	ok = x.match(fixed, strings.Split(pattern, "/"), File{Path: fixed})
	return x.files, c.links.spend(len(x.files)) && ok
}

// below lists the files below a directory, without following links. ok is false
// when there are too many, or when a directory can't be read.
func (c Call) below(dir string) (files []File, ok bool) {
	c = c.Analyzed()
	key := c.Cwd + "\x00" + dir
	c.links.mu.Lock()
	known, seen := c.links.below[key]
	c.links.mu.Unlock()
	if seen {
		if !c.links.spend(len(known.files)) {
			return nil, false
		}
		return slices.Clone(known.files), known.ok
	}
	x := expander{call: c, left: maxFiles}
	ok = x.below(dir)
	c.links.mu.Lock()
	defer c.links.mu.Unlock()
	if c.links.below == nil {
		c.links.below = map[string]listing{}
	}
	c.links.below[key] = listing{x.files, ok}
	return slices.Clone(x.files), ok
}

// listing is what Below found.
type listing struct {
	files []File
	ok    bool
}

// Fixed returns the directory before the first wildcard of a pattern; what stands
// behind it holds no "..".
func Fixed(w shell.Word) (dir string, ok bool) {
	fixed, pattern := splitPattern(w)
	return fixed, !strings.Contains(pattern, "..")
}

func splitPattern(w shell.Word) (fixed, pattern string) {
	for i, p := range w.Pieces() {
		switch {
		case p.Unknown:
			pattern += "*"
		case i == 0:
			cut := strings.LastIndexByte(p.Text, '/') + 1
			fixed, pattern = p.Text[:cut], escaped.Replace(p.Text[cut:])
		default:
			pattern += escaped.Replace(p.Text)
		}
	}
	if fixed == "" {
		fixed = "."
	}
	return fixed, pattern
}

var escaped = strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`)

// expander looks for the files that a pattern stands for.
type expander struct {
	call  Call
	left  int
	files []File
}

// match follows a pattern element by element; at is what the elements before gave.
func (x *expander) match(dir string, pattern []string, at File) bool {
	for len(pattern) > 0 && pattern[0] == "" {
		pattern = pattern[1:]
	}
	if len(pattern) == 0 {
		x.files = append(x.files, at)
		return true
	}
	first, rest := pattern[0], pattern[1:]
	if strings.HasPrefix(first, ".") {
		// Some shells let .* stand for the directory above.
		if ok, err := path.Match(first, ".."); ok || err != nil {
			return false
		}
	}
	entries, ok := x.read(dir)
	for _, entry := range entries {
		name := entry.Name()
		if name[0] == '.' && first[0] != '.' {
			continue // a wildcard doesn't stand for a leading dot
		}
		hit, err := path.Match(first, name)
		if err != nil {
			return false
		}
		if !hit {
			continue
		}
		file := File{joinPath(dir, name), entry.Type()&fs.ModeSymlink != 0}
		if x.left--; x.left < 0 {
			return false
		}
		if len(rest) > 0 && entry.Type().IsRegular() {
			continue
		}
		if !x.match(file.Path, rest, file) {
			return false
		}
	}
	return ok
}

func (x *expander) below(dir string) bool {
	entries, ok := x.read(dir)
	for _, entry := range entries {
		if x.left--; x.left < 0 || !ok {
			return false
		}
		file := File{joinPath(dir, entry.Name()), entry.Type()&fs.ModeSymlink != 0}
		if entry.IsDir() {
			ok = x.below(file.Path)
			continue
		}
		x.files = append(x.files, file)
	}
	return ok
}

// read lists a directory; what isn't there, or is not a directory, is empty.
func (x *expander) read(dir string) ([]os.DirEntry, bool) {
	at, err := x.call.Resolve(dir)
	if err != nil || !x.call.links.spend(1) {
		return nil, false
	}
	entries, ok := x.call.links.readDir(at)
	return entries, ok && x.call.links.spend(len(entries))
}

// joinPath puts a name behind a directory as it is written.
func joinPath(dir, name string) string {
	if dir == "." {
		return name
	}
	return strings.TrimSuffix(dir, "/") + "/" + name
}
