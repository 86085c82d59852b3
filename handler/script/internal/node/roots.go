package node

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"
)

// fileSystem is the part of *os.Root that the operations need. The second
// implementation, everyFile, is for a grant of all files.
type fileSystem interface {
	OpenFile(name string, flag int, perm fs.FileMode) (*os.File, error)
	Stat(name string) (fs.FileInfo, error)
	Lstat(name string) (fs.FileInfo, error)
	Readlink(name string) (string, error)
	Mkdir(name string, perm fs.FileMode) error
	Remove(name string) error
	RemoveAll(name string) error
	Rename(from, to string) error
	Link(from, to string) error
	Symlink(target, name string) error
	Chmod(name string, mode fs.FileMode) error
	Chtimes(name string, atime, mtime time.Time) error
}

var (
	_ fileSystem = (*os.Root)(nil)
	_ fileSystem = everyFile{}
	_ fileSystem = absent{}
)

// everyFile takes absolute paths.
type everyFile struct{}

func (everyFile) OpenFile(name string, flag int, perm fs.FileMode) (*os.File, error) {
	return os.OpenFile(name, flag, perm)
}
func (everyFile) Stat(name string) (fs.FileInfo, error)     { return os.Stat(name) }
func (everyFile) Lstat(name string) (fs.FileInfo, error)    { return os.Lstat(name) }
func (everyFile) Readlink(name string) (string, error)      { return os.Readlink(name) }
func (everyFile) Mkdir(name string, perm fs.FileMode) error { return os.Mkdir(name, perm) }
func (everyFile) Remove(name string) error                  { return os.Remove(name) }
func (everyFile) RemoveAll(name string) error               { return os.RemoveAll(name) }
func (everyFile) Rename(from, to string) error              { return os.Rename(from, to) }
func (everyFile) Link(from, to string) error                { return os.Link(from, to) }
func (everyFile) Symlink(target, name string) error         { return os.Symlink(target, name) }
func (everyFile) Chmod(name string, mode fs.FileMode) error { return os.Chmod(name, mode) }
func (everyFile) Chtimes(name string, atime, mtime time.Time) error {
	return os.Chtimes(name, atime, mtime)
}

// A root is one granted folder, or one granted file.
type root struct {
	name string // absolute and clean, as granted
	all  bool

	mu   sync.Mutex
	real string   // name without symbolic links, once it exists
	dir  *os.Root // the granted folder, or the one that holds the granted file
	file string   // the granted file's name in dir; empty for a folder
}

// absent stands for a granted folder that does not exist.
type absent struct{}

func missing(call, name string) error {
	return &fs.PathError{Op: call, Path: name, Err: fs.ErrNotExist}
}

func (absent) OpenFile(name string, _ int, _ fs.FileMode) (*os.File, error) {
	return nil, missing("open", name)
}
func (absent) Stat(name string) (fs.FileInfo, error)     { return nil, missing("stat", name) }
func (absent) Lstat(name string) (fs.FileInfo, error)    { return nil, missing("lstat", name) }
func (absent) Readlink(name string) (string, error)      { return "", missing("readlink", name) }
func (absent) Mkdir(name string, _ fs.FileMode) error    { return missing("mkdir", name) }
func (absent) Remove(name string) error                  { return missing("remove", name) }
func (absent) RemoveAll(string) error                    { return nil }
func (absent) Rename(from, _ string) error               { return missing("rename", from) }
func (absent) Link(from, _ string) error                 { return missing("link", from) }
func (absent) Symlink(_, name string) error              { return missing("symlink", name) }
func (absent) Chmod(name string, _ fs.FileMode) error    { return missing("chmod", name) }
func (absent) Chtimes(name string, _, _ time.Time) error { return missing("chtimes", name) }

// A place is a path as the operation uses it.
type place struct {
	fs  fileSystem
	rel string // what fs takes
	abs string
}

// roots are the granted folders, longest name first.
type roots []*root

func newRoots(grants []string, cwd string) roots {
	var rs roots
	for _, grant := range grants {
		if grant == "*" {
			rs = append(rs, &root{all: true})
			continue
		}
		if grant == "" {
			continue
		}
		if !filepath.IsAbs(grant) {
			grant = filepath.Join(cwd, grant)
		}
		grant = filepath.Clean(grant)
		rs = append(rs, &root{name: grant, all: filepath.Dir(grant) == grant && runtime.GOOS != "windows"})
	}
	slices.SortStableFunc(rs, func(a, b *root) int { return len(b.name) - len(a.name) })
	return rs
}

// find returns the place of an absolute path, by name alone: what is on disk
// is checked when the place is used.
func (rs roots) find(abs string) (place, bool) {
	for _, r := range rs {
		if r.all {
			return place{fs: everyFile{}, rel: abs, abs: abs}, true
		}
		if dir, rel, ok := r.open(abs); ok {
			return place{fs: dir, rel: rel, abs: abs}, true
		}
	}
	return place{}, false
}

// open returns the held folder and the path in it, if the root holds abs.
func (r *root) open(abs string) (fileSystem, string, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.real == "" {
		r.real, _ = filepath.EvalSymlinks(r.name)
	}
	rel, ok := within(r.name, abs)
	if !ok {
		if rel, ok = within(r.real, abs); !ok {
			return nil, "", false
		}
	}
	r.connect()
	switch {
	case r.dir == nil:
		return absent{}, rel, true
	case r.file == "":
		return r.dir, rel, true
	case rel != ".":
		return absent{}, rel, true
	}
	// A granted file that has become a link would be one to a neighbour.
	if info, err := r.dir.Lstat(r.file); err == nil && info.Mode()&fs.ModeSymlink != 0 {
		return nil, "", false
	}
	return r.dir, r.file, true
}

// connect opens the granted folder and keeps it open. What is a file, or not
// there yet, is held by the folder above it for exactly that name, and looked
// at again each time.
func (r *root) connect() {
	if r.dir != nil && r.file == "" {
		return
	}
	name := r.name
	if r.real != "" {
		name = r.real
	}
	info, err := os.Stat(name)
	target, file := name, ""
	if err != nil || !info.IsDir() {
		target, file = filepath.Split(name)
	}
	if r.dir != nil {
		if file == r.file {
			return
		}
		_ = r.dir.Close()
	}
	r.dir, r.file = nil, file
	if dir, err := os.OpenRoot(target); err == nil {
		r.dir = dir
	}
}

func (rs roots) close() {
	for _, r := range rs {
		r.mu.Lock()
		if r.dir != nil {
			_ = r.dir.Close()
			r.dir = nil
		}
		r.mu.Unlock()
	}
}

// within returns abs relative to dir, comparing whole path components.
func within(dir, abs string) (string, bool) {
	if dir == "" {
		return "", false
	}
	same := func(a, b string) bool { return a == b }
	if runtime.GOOS == "windows" {
		same = strings.EqualFold
	}
	if same(dir, abs) {
		return ".", true
	}
	prefix := strings.TrimSuffix(dir, string(filepath.Separator)) + string(filepath.Separator)
	if len(abs) > len(prefix) && same(abs[:len(prefix)], prefix) {
		return abs[len(prefix):], true
	}
	return "", false
}

// escapes says whether os.Root refused a path because it leads out.
func escapes(err error) bool {
	pathErr, ok := errors.AsType[*fs.PathError](err)
	if !ok {
		linkErr, ok := errors.AsType[*os.LinkError](err)
		return ok && strings.Contains(linkErr.Err.Error(), "escapes from parent")
	}
	return strings.Contains(pathErr.Err.Error(), "escapes from parent")
}
