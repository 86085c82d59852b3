package tui

import (
	"context"
	"os"
	"path/filepath"
	"strings"
)

// branch is the git branch that is checked out in a directory, "" for none.
func branch(dir string) string {
	for {
		git := filepath.Join(dir, ".git")
		if text, err := os.ReadFile(git); err == nil { // a working tree of another checkout
			if git = strings.TrimSpace(strings.TrimPrefix(string(text), "gitdir:")); !filepath.IsAbs(git) {
				git = filepath.Join(dir, git)
			}
		}
		if head, err := os.ReadFile(filepath.Join(git, "HEAD")); err == nil {
			name, ok := strings.CutPrefix(strings.TrimSpace(string(head)), "ref: refs/heads/")
			if !ok {
				return ""
			}
			return name
		}
		up := filepath.Dir(dir)
		if up == dir {
			return ""
		}
		dir = up
	}
}

// Branch is the git branch that the agent works on, "" for none.
func (a *App) Branch() string {
	a.mu.Lock()
	loop := a.loop
	a.mu.Unlock()
	if loop == nil {
		return ""
	}
	return branch(loop.Dir())
}

// findBranch looks anew which branch it is.
func (m *screen) findBranch() {
	a := m.a
	m.spawn(func(context.Context) {
		name := a.Branch()
		a.post(func(m *screen) { m.branch = name })
	})
}
