package worktree

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/hookline-dev/hookline/hook"
	"github.com/hookline-dev/hookline/internal/fsx"
	"github.com/hookline-dev/hookline/internal/gitcmd"
)

// Errors that callers branch on, with errors.Is.
var (
	// ErrNoRepository: there is no git repository, and no hook made a directory.
	ErrNoRepository = errors.New("this is not a git repository; a WorktreeCreate hook can make worktrees without one")
	// ErrRefused: a hook refused the worktree, or failed to make it.
	ErrRefused = errors.New("a hook refused the worktree")
)

// Fire fires an event from the agent that wants a worktree: (*agent.Agent).Fire.
type Fire func(ctx context.Context, in hook.Input) (hook.Outcome, error)

// Manager makes and removes the worktrees of one project. It is safe for concurrent
// use.
type Manager struct {
	project string
	git     gitcmd.Client
	mu      sync.Mutex // one change of the repository at a time
}

// New returns the manager of the project in a directory, which need not be a
// repository.
func New(project string) *Manager { return &Manager{project: project} }

// Project returns the directory of the project.
func (m *Manager) Project() string { return m.project }

// Worktree is a directory to work in.
type Worktree struct {
	// Name is what it was asked for by; Path is its directory, absolute and with
	// links resolved.
	Name string `json:"name"`
	Path string `json:"path"`
	// Branch is the branch that git checked out in it, "" when a hook has made it.
	Branch string `json:"branch,omitzero"`
	// ByHook says that a hook has made it.
	ByHook bool `json:"byHook,omitzero"`
	// Print tells whether the files of one that a hook has made are as they were.
	Print string `json:"print,omitzero"`
	// Reused says that it was there already.
	Reused bool `json:"-"`

	using *fsx.Held // held while somebody works in it
}

// Create makes the worktree of a name, or takes up the one that is there: "" makes a
// name up. It starts from the commit that is checked out in the directory from, when
// that is of the project's repository. WorktreeCreate is fired first.
func (m *Manager) Create(ctx context.Context, name, from string, fire Fire) (*Worktree, error) {
	if name == "" {
		name = NewName("")
	}
	if err := CheckName(name); err != nil {
		return nil, err
	}
	out, err := fire(ctx, &hook.WorktreeCreate{Name: name})
	switch {
	case err != nil:
		return nil, fmt.Errorf("making the worktree %s: %w", name, err)
	case out.Blocked():
		return nil, fmt.Errorf("%w %s: %s", ErrRefused, name, orUnsaid(out.Reason))
	case out.Halt:
		return nil, fmt.Errorf("%w %s: %s", ErrRefused, name, orUnsaid(out.StopReason))
	case out.Host != nil && out.Host.WorktreePath != "":
		return supplied(ctx, name, out.Host.WorktreePath)
	}
	w, err := m.create(ctx, name, from)
	if err != nil {
		return nil, fmt.Errorf("making the worktree %s: %w", name, err)
	}
	return w, nil
}

func orUnsaid(reason string) string {
	if reason == "" {
		return "it does not say why"
	}
	return reason
}

// supplied takes a directory that a hook has made.
func supplied(ctx context.Context, name, path string) (*Worktree, error) {
	bad := func(why string) error {
		return fmt.Errorf("the hook that made the worktree %s gave the path %q, %s", name, path, why)
	}
	if !filepath.IsAbs(path) {
		return nil, bad("which is not absolute")
	}
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return nil, bad("which is not there")
	}
	if info, err := os.Stat(real); err != nil || !info.IsDir() {
		return nil, bad("which is not a directory")
	}
	return &Worktree{Name: name, Path: real, ByHook: true, Print: fingerprint(ctx, real)}, nil
}

// Resume takes up a worktree that a session worked in before; ok is false when it is
// not there any more. No event fires.
func (m *Manager) Resume(ctx context.Context, w Worktree) (_ *Worktree, ok bool) {
	if info, err := os.Stat(w.Path); err != nil || !info.IsDir() {
		return nil, false
	}
	if !w.ByHook {
		if CheckName(w.Name) != nil || m.use(ctx, &w) != nil {
			return nil, false
		}
	}
	w.Reused = true
	return &w, true
}

// cleanupTime bounds what is done after a failure, or after the context's end.
const cleanupTime = 30 * time.Second

// afterwards returns a context for cleaning up.
func afterwards(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.WithoutCancel(ctx), cleanupTime)
}
