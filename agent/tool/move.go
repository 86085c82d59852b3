package tool

import (
	"context"
	"os"
	"path/filepath"
)

// Move makes another directory the first of those that file tools may use, in place
// of the one that was, and cwd, which lies in it, the working directory; when that is
// empty or not there it is the directory itself. Calls that run go on where they are.
func (s *Set) Move(dir, cwd string) error {
	r, err := openRoot(dir)
	if err != nil {
		return err
	}
	at := r.real
	if info, err := os.Stat(cwd); cwd != "" && err == nil && info.IsDir() {
		if real, err := filepath.EvalSymlinks(cwd); err == nil {
			if _, ok := below(r.real, real); ok {
				at = real
			}
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	old := s.roots[0]
	s.roots = append([]*root{r}, s.roots[1:]...)
	s.cwd = at
	if old.left = true; old.users == 0 {
		old.Close()
	}
	return nil
}

// In returns a set like this one that works in another directory, with todos and
// background commands of its own. Close it.
func (s *Set) In(dir string) (*Set, error) {
	cfg := s.cfg
	cfg.Dir, cfg.AddDirs, cfg.OnTodos = dir, s.Dirs()[1:], nil
	return New(cfg)
}

// EndShells ends the background commands that were started in a directory or below
// it, and waits for them.
func (s *Set) EndShells(ctx context.Context, dir string) error {
	s.mu.Lock()
	var running []*background
	for _, b := range s.shells {
		if _, ok := below(dir, b.dir); ok {
			running = append(running, b)
		}
	}
	s.mu.Unlock()
	for _, b := range running {
		if err := b.end(ctx); err != nil {
			return err
		}
	}
	return nil
}
