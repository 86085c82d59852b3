package agent

import (
	"context"
	"sync"
)

// busy says whether somebody holds the agent: a prompt or a session operation, one at a
// time. Who only waits for it to be idle does not hold it.
type busy struct {
	mu       sync.Mutex
	held     bool
	promised int           // holders to come, whom nobody may take for idleness
	changed  chan struct{} // closed at the next change, nil when nobody waits
}

// try holds the agent when nobody else does.
func (b *busy) try() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.held {
		return false
	}
	b.held = true
	return true
}

// hold waits until it holds the agent, unless the context ends first.
func (b *busy) hold(ctx context.Context) error {
	return b.await(ctx, func() bool {
		if b.held {
			return false
		}
		b.held = true
		return true
	})
}

// idle waits until nobody holds the agent and nobody is about to.
func (b *busy) idle(ctx context.Context) error {
	return b.await(ctx, func() bool { return !b.held && b.promised == 0 })
}

// await waits until ready says so, which is called with the mutex held.
func (b *busy) await(ctx context.Context, ready func() bool) error {
	for {
		b.mu.Lock()
		if ready() {
			b.mu.Unlock()
			return nil
		}
		if b.changed == nil {
			b.changed = make(chan struct{})
		}
		changed := b.changed
		b.mu.Unlock()
		select {
		case <-changed:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// promise says that somebody is about to hold the agent; kept is called when it does, or
// does not want to any more.
func (b *busy) promise() (kept func()) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.promised++
	return func() { b.change(func() { b.promised-- }) }
}

func (b *busy) release() { b.change(func() { b.held = false }) }

func (b *busy) isHeld() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.held
}

// change lets those who wait look again.
func (b *busy) change(f func()) {
	b.mu.Lock()
	defer b.mu.Unlock()
	f()
	if b.changed != nil {
		close(b.changed)
		b.changed = nil
	}
}
