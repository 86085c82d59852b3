package tool

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// root is a directory that file tools may use.
type root struct {
	*os.Root
	given, real string // its path, and that with links resolved

	// users are the calls that work in it, and left says that the set has left it;
	// the set's mutex guards both.
	users int
	left  bool
}

func openRoot(dir string) (*root, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("directory %s: %w", dir, err)
	}
	real, err := filepath.EvalSymlinks(abs)
	if err != nil {
		return nil, fmt.Errorf("directory %s: %w", dir, err)
	}
	r, err := os.OpenRoot(real)
	if err != nil {
		return nil, fmt.Errorf("directory %s: %w", dir, err)
	}
	return &root{Root: r, given: abs, real: real}, nil
}

// PathError says that a path leads out of the directories that a tool may use.
type PathError struct {
	// Path is the path as it was given, made absolute; Real is where it leads.
	Path, Real string
	// Err is what whoever was asked for permission said, if somebody was.
	Err error
}

// Error names the path, and where a link leads.
func (e *PathError) Error() string {
	msg := fmt.Sprintf("%s is outside of the allowed directories", e.Path)
	if e.Real != e.Path {
		msg = fmt.Sprintf("%s leads to %s, which is outside of the allowed directories", e.Path, e.Real)
	}
	if e.Err != nil {
		msg += ": " + e.Err.Error()
	}
	return msg
}

// Unwrap returns the reason.
func (e *PathError) Unwrap() error { return e.Err }

// place is a file or directory that a tool may use: a name without links below
// a root.
type place struct {
	root *root
	name string // relative to root
	path string // as it was given, made absolute
	real string // with links resolved
	set  *Set   // whose root it is, nil when the root was opened for this place
}

// close releases what was opened for the place.
func (p *place) close() {
	if p.set == nil {
		p.root.Close()
		return
	}
	p.set.mu.Lock()
	defer p.set.mu.Unlock()
	if p.root.users--; p.root.left && p.root.users == 0 {
		p.root.Close()
	}
}

// Abs makes a path absolute as the file tools do: "~" is the home directory,
// and relative paths start from Cwd.
func (s *Set) Abs(path string) (string, error) {
	if strings.ContainsRune(path, 0) {
		return "", errors.New("the path holds a NUL byte")
	}
	if path == "~" || strings.HasPrefix(path, "~/") || strings.HasPrefix(path, `~\`) {
		home, err := os.UserHomeDir()
		if err != nil {
			return "", fmt.Errorf("home directory: %w", err)
		}
		path = filepath.Join(home, path[1:])
	}
	if !filepath.IsAbs(path) {
		path = filepath.Join(s.Cwd(), path)
	}
	return filepath.Clean(path), nil
}

// use is what a tool wants a file for.
type use int

const (
	toRead use = iota
	toWrite
)

// locate finds the place that a path leads to, and whether a tool may use it.
// The caller closes it.
func (s *Set) locate(ctx context.Context, path string, u use) (*place, error) {
	abs, err := s.Abs(path)
	if err != nil {
		return nil, err
	}
	real, err := resolve(abs)
	if err != nil {
		return nil, err
	}
	if p := s.inside(abs, real); p != nil {
		return p, nil
	}
	if s.cfg.Permit == nil {
		return nil, &PathError{Path: abs, Real: real}
	}
	if err := s.cfg.Permit(ctx, abs, real, u == toWrite); err != nil {
		return nil, &PathError{Path: abs, Real: real, Err: err}
	}
	return outside(abs, real)
}

// inside finds a place in the directories of the set; nil when it is in none.
func (s *Set) inside(abs, real string) *place {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, r := range s.roots {
		if name, ok := below(r.real, real); ok {
			r.users++
			return &place{root: r, name: name, path: abs, real: real, set: s}
		}
	}
	return nil
}

// outside opens a root for a single place: the place itself when it is a
// directory, else the nearest directory above it that exists.
func outside(abs, real string) (*place, error) {
	dir := real
	for {
		if fi, err := os.Stat(dir); err == nil && fi.IsDir() {
			break
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return nil, fmt.Errorf("%s: %w", abs, fs.ErrNotExist)
		}
		dir = parent
	}
	r, err := openRoot(dir)
	if err != nil {
		return nil, err
	}
	name, ok := below(r.real, real)
	if !ok {
		r.Close()
		return nil, fmt.Errorf("%s has moved while it was opened", abs)
	}
	return &place{root: r, name: name, path: abs, real: real}, nil
}

// below returns path relative to dir, if it lies in it.
func below(dir, path string) (string, bool) {
	rel, err := filepath.Rel(dir, path)
	return rel, err == nil && filepath.IsLocal(rel)
}

// resolve follows the links of a path whose last parts need not exist. A link
// to something that does not exist is followed as well, since writing to it
// would make its target.
func resolve(path string) (string, error) {
	const maxLinks = 255
	rest := ""
	for range maxLinks {
		real, err := filepath.EvalSymlinks(path)
		if err == nil {
			return filepath.Join(real, rest), nil
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return "", fmt.Errorf("resolving %s: %w", path, err)
		}
		if target, err := os.Readlink(path); err == nil {
			if !filepath.IsAbs(target) {
				target = filepath.Join(filepath.Dir(path), target)
			}
			path = target
			continue
		}
		parent := filepath.Dir(path)
		if parent == path {
			return filepath.Join(path, rest), nil
		}
		rest = filepath.Join(filepath.Base(path), rest)
		path = parent
	}
	return "", fmt.Errorf("resolving %s: too many links", path)
}
