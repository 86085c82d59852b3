package agent

import (
	"context"
	"sync"

	"github.com/hookline-dev/hookline/agent/worktree"
	"github.com/hookline-dev/hookline/hook"
)

// place is where the agent works. Any goroutine may call it; it calls nothing of the agent's.
type place struct {
	mu         sync.Mutex         // guards what follows
	dir        string             // the working directory that hooks are told
	worktree   *worktree.Worktree // nil when the agent works in the project
	before     origin             // where its tools worked before they moved to the worktree
	keepReason string             // the worktree, when the agent has ended
}

// origin is where a set of tools works: its first directory and its working directory.
type origin struct{ root, cwd string }

// move makes another directory the one that hooks are told, and returns the one before.
func (p *place) move(dir string) (was string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	was, p.dir = p.dir, dir
	return was
}

// hookDir is the working directory that hooks are told.
func (p *place) hookDir() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.dir
}

// enter makes a worktree the place.
func (p *place) enter(w *worktree.Worktree, before origin) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.worktree, p.before = w, before
}

// inWorktree returns the worktree, nil when there is none, and where to go from it.
func (p *place) inWorktree() (*worktree.Worktree, origin) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.worktree, p.before
}

// leave takes up that the worktree was left or removed.
func (p *place) leave() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.worktree = nil
}

// keep says why the worktree is kept that the agent has worked in.
func (p *place) keep(why string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.keepReason = why
}

// whyKept is why the worktree was kept.
func (p *place) whyKept() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.keepReason
}

// Worktree returns the worktree that the agent works in; ok is false when it works
// in none. Once the agent is closed it is the one that was kept, and why says why.
func (a *Agent) Worktree() (w worktree.Worktree, why string, ok bool) {
	at, _ := a.place.inWorktree()
	if at == nil {
		return worktree.Worktree{}, "", false
	}
	return *at, a.place.whyKept(), true
}

// Root returns the directory of the worktree that the agent works in, its own or its
// parent's, "" for the project. It is the Root of requests for permission.
func (a *Agent) Root() string {
	for ; a != nil; a = a.parent {
		if w, _, ok := a.Worktree(); ok {
			return w.Path
		}
	}
	return ""
}

// Dir returns the directory that the agent works in now.
func (a *Agent) Dir() string {
	if a.cfg.Cwd != nil {
		return a.cfg.Cwd()
	}
	return a.cfg.Dir
}

// dirChanged takes note of where the working directory has moved to, and fires
// CwdChanged in a session that has begun.
func (a *Agent) dirChanged(ctx context.Context) {
	now := a.Dir()
	was := a.place.move(now)
	if was == now {
		return
	}
	a.conversation.setDir(now)
	if a.holder.hasStarted() {
		a.observeEnd(ctx, &hook.CwdChanged{OldCWD: was, NewCWD: now})
	}
}
