package toolrule

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
)

var errNotAbsolute = errors.New("the path can't be made absolute")

// maxLinks is how many symbolic links one path may go through.
const maxLinks = 40

// links remembers what was found where, so that one decision about a call asks
// the file system about each name once, and sees one state of it.
type links struct {
	mu    sync.Mutex
	found map[string]link
	below map[string]listing
	dirs  map[string]dirListing
	real  map[string]string // where directories lead
	spent int
}

// dirListing is what a directory holds; ok is false when it can't be read.
type dirListing struct {
	entries []os.DirEntry
	ok      bool
}

// readDir lists a directory that was resolved, once for a decision.
func (l *links) readDir(dir string) ([]os.DirEntry, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	got, seen := l.dirs[dir]
	if !seen {
		got = listDir(filepath.FromSlash(dir))
		if l.dirs == nil {
			l.dirs = map[string]dirListing{}
		}
		l.dirs[dir] = got
	}
	return got.entries, got.ok
}

func listDir(dir string) dirListing {
	entries, err := os.ReadDir(dir)
	if err == nil || errors.Is(err, fs.ErrNotExist) {
		return dirListing{entries, true}
	}
	info, statErr := os.Stat(dir)
	return dirListing{nil, statErr == nil && !info.IsDir()}
}

// maxLooks bounds how many files one decision looks at, however often it meets them.
const maxLooks = 300_000

// spend notes that files are looked at; it reports whether that is still within
// bounds.
func (l *links) spend(n int) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.spent += n
	return l.spent <= maxLooks
}

// link is what a name is: a symbolic link to target, or anything else.
type link struct {
	target string
	is     bool
	err    error
}

// look returns what a name is. A nil links doesn't remember.
func (l *links) look(name string) link {
	if l == nil {
		return lookUp(name)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	got, ok := l.found[name]
	if !ok {
		got = lookUp(name)
		if l.found == nil {
			l.found = map[string]link{}
		}
		l.found[name] = got
	}
	return got
}

func lookUp(name string) link {
	info, err := os.Lstat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist), isNotDir(err):
		return link{} // what isn't there can't be a link
	case err != nil:
		return link{err: err}
	case info.Mode()&fs.ModeSymlink == 0:
		return link{}
	}
	target, err := os.Readlink(name)
	return link{target: target, is: true, err: err}
}

// resolve follows the symbolic links of an absolute path as the system would,
// also when the end of the path doesn't exist yet: what isn't there can't be a
// link. The result is slash-separated and clean.
func (l *links) resolve(p string) (string, error) {
	p = filepath.FromSlash(p)
	at := strings.LastIndexByte(p, filepath.Separator)
	if at <= len(filepath.VolumeName(p)) || l == nil || p[at+1:] == "" || p[at+1:] == "." || p[at+1:] == ".." {
		return l.follow(p)
	}
	// Many files lie in one directory, which is followed once.
	dir, err := l.directory(p[:at])
	if err != nil {
		return "", err
	}
	if found := l.look(filepath.Join(dir, p[at+1:])); found.is || found.err != nil {
		return l.follow(p)
	}
	return strings.TrimSuffix(filepath.ToSlash(dir), "/") + "/" + p[at+1:], nil
}

// directory is follow for a directory, remembered.
func (l *links) directory(p string) (string, error) {
	l.mu.Lock()
	dir, seen := l.real[p]
	l.mu.Unlock()
	if seen {
		return dir, nil
	}
	dir, err := l.follow(p)
	if err != nil {
		return "", err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.real == nil {
		l.real = map[string]string{}
	}
	l.real[p] = dir
	return dir, nil
}

// follow goes through a path element by element.
func (l *links) follow(p string) (string, error) {
	volume := filepath.VolumeName(p)
	done := volume + string(filepath.Separator)
	rest := splitPath(p[len(volume):])
	hops := 0
	for len(rest) > 0 {
		name := rest[0]
		rest = rest[1:]
		switch name {
		case "", ".":
			continue
		case "..":
			done = filepath.Dir(done)
			continue
		}
		next := filepath.Join(done, name)
		found := l.look(next)
		if found.err != nil {
			return "", found.err
		}
		if !found.is {
			done = next
			continue
		}
		if hops++; hops > maxLinks {
			return "", fmt.Errorf("resolving %s: too many symbolic links", p)
		}
		target := found.target
		if filepath.IsAbs(target) {
			volume = filepath.VolumeName(target)
			done = volume + string(filepath.Separator)
			target = target[len(volume):]
		}
		rest = append(splitPath(target), rest...)
	}
	return filepath.ToSlash(filepath.Clean(done)), nil
}

func splitPath(p string) []string {
	return strings.FieldsFunc(p, func(r rune) bool { return r < 128 && os.IsPathSeparator(uint8(r)) })
}
