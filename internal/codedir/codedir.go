// Package codedir lists what an interpreter could load of a directory, whether or not a
// script names it: what approval of the script covers.
package codedir

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode"
)

// The bounds of a tree. One beyond them cannot be covered.
const (
	MaxFiles   = 512
	maxBytes   = 16 << 20
	maxEntries = 8192 // looked at
	maxDepth   = 16
)

// Language is whose interpreter loads the files.
type Language string

// The languages.
const (
	Python Language = "python"
	Node   Language = "node"
)

var extensions = map[Language][]string{
	Python: {".py", ".pyw", ".pyc", ".pyo", ".so", ".pyd", ".dll", ".dylib"},
	Node:   {".js", ".mjs", ".cjs", ".ts", ".mts", ".cts", ".jsx", ".tsx", ".node", ".wasm"},
}

// Loads reports whether a file could be loaded, by its name. Declarations of types and
// data are not, but for package.json, which says what a package is made of.
func (l Language) Loads(name string) bool {
	name = strings.ToLower(name)
	if l == Node && (name == "package.json" || strings.Contains(name, ".d.")) {
		return name == "package.json"
	}
	return slices.Contains(extensions[l], filepath.Ext(name))
}

// Compiled reports whether a directory holds what Python has compiled, which it is kept
// from reading.
func (l Language) Compiled(name string) bool { return l == Python && name == "__pycache__" }

// Enters reports whether a directory belongs to the tree, by its name: for Python one that
// can be imported. The packages of Node count for themselves, and only those that a script
// names.
func (l Language) Enters(name string) bool {
	if l.Compiled(name) || l == Node && name == "node_modules" || strings.HasPrefix(name, ".") {
		return false
	}
	return l != Python || strings.IndexFunc(name, func(r rune) bool {
		return r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r)
	}) < 0
}

// Within reports whether a directory belongs to the tree, by its path relative to it.
func (l Language) Within(rel string) bool {
	if rel == "." {
		return true
	}
	for name := range strings.SplitSeq(rel, string(filepath.Separator)) {
		if !l.Enters(name) {
			return false
		}
	}
	return true
}

// Tree is a directory of which all counts that an interpreter could load, or the files of
// it that a pattern matches.
type Tree struct {
	Dir      string
	Language Language
	// Glob, when not "", is a pattern of path/filepath, relative to the directory.
	Glob string
}

// TooMuchError is the error of a tree beyond the bounds.
type TooMuchError struct {
	Dir, Why string
}

func (e *TooMuchError) Error() string { return fmt.Sprintf("%s holds %s", e.Dir, e.Why) }

// List returns the files of a tree that could be loaded, sorted; what lies in the
// directory except is left out, unless the tree does itself. Links are followed. A tree
// that is not there is empty; one beyond the bounds is a *TooMuchError.
func (t Tree) List(except string) ([]string, error) {
	w := walk{tree: t, except: except}
	var err error
	if t.Glob != "" {
		err = w.glob()
	} else {
		err = w.dir(t.Dir, 0)
	}
	if err != nil {
		return nil, err
	}
	slices.Sort(w.files)
	return w.files, nil
}

type walk struct {
	tree    Tree
	except  string
	files   []string
	entries int
	bytes   int64
}

func (w *walk) dir(dir string, depth int) error {
	if dir == w.except && dir != w.tree.Dir {
		return nil
	}
	if depth > maxDepth {
		return w.tooMuch("directories more than %d levels deep", maxDepth)
	}
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("list what could be loaded: %w", err)
	}
	if w.entries += len(entries); w.entries > maxEntries {
		return w.tooMuch("more than %d entries", maxEntries)
	}
	for _, e := range entries {
		if err := w.entry(dir, e.Name(), depth); err != nil {
			return err
		}
	}
	return nil
}

func (w *walk) entry(dir, name string, depth int) error {
	enters, loads := w.tree.Language.Enters(name), w.tree.Language.Loads(name)
	if !enters && !loads {
		return nil
	}
	path := filepath.Join(dir, name)
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return nil // a link that leads nowhere, or gone meanwhile
	case info.IsDir():
		if enters {
			return w.dir(path, depth+1)
		}
		return nil
	case !loads || !info.Mode().IsRegular():
		return nil
	}
	return w.add(path, info)
}

func (w *walk) glob() error {
	paths, err := filepath.Glob(filepath.Join(Quote(w.tree.Dir), w.tree.Glob))
	if err != nil {
		return fmt.Errorf("list what could be loaded: %w", err)
	}
	for _, path := range paths {
		if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() {
			if err := w.add(path, info); err != nil {
				return err
			}
		}
	}
	return nil
}

// Quote makes a pattern of path/filepath that matches a path only.
func Quote(path string) string {
	if filepath.Separator == '\\' {
		return path
	}
	return strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`).Replace(path)
}

// Unquote takes back what Quote did.
func Unquote(pattern string) string {
	if filepath.Separator == '\\' {
		return pattern
	}
	return strings.NewReplacer(`\\`, `\`, `\*`, "*", `\?`, "?", `\[`, "[").Replace(pattern)
}

func (w *walk) add(path string, info fs.FileInfo) error {
	w.files = append(w.files, path)
	w.bytes += info.Size()
	switch {
	case len(w.files) > MaxFiles:
		return w.tooMuch("more than %d files that could be loaded", MaxFiles)
	case w.bytes > maxBytes:
		return w.tooMuch("more than %d MiB that could be loaded", maxBytes>>20)
	}
	return nil
}

func (w *walk) tooMuch(format string, args ...any) error {
	return &TooMuchError{w.tree.Dir, fmt.Sprintf(format, args...)}
}
