package agent

import (
	"context"
	"errors"
	"sync"
	"time"
)

// holder says who has the agent: a prompt or a session operation, one at a time. Who only
// waits for it to be idle does not hold it. It knows how far the agent's life has come, too.
// Any goroutine may call it once it was opened; it calls nothing of the agent's.
type holder struct {
	ctx        context.Context // ends with the agent
	end        context.CancelCauseFunc
	background sync.WaitGroup // what Close waits for; see inBackground
	dismissed  sync.Once      // a subagent is dismissed once

	mu        sync.Mutex // guards what follows
	held      bool
	reserved  int           // holders to come, whom nobody may take for idleness
	changed   chan struct{} // closed at the next change, nil when nobody waits
	started   bool          // the session was begun
	closed    bool
	interrupt context.CancelCauseFunc // ends the prompt that runs
	aborted   error                   // why the prompt is to end that has not begun
	idleTimer *time.Timer
}

// open begins the agent's life.
func (h *holder) open() { h.ctx, h.end = context.WithCancelCause(context.Background()) }

// take holds the agent. The error is ErrBusy when somebody else does, or ErrClosed.
func (h *holder) take() error {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.takeNow()
}

// takeNow is take for whoever holds h.mu.
func (h *holder) takeNow() error {
	switch {
	case h.held:
		return ErrBusy
	case h.closed:
		return ErrClosed
	}
	h.held = true
	h.stopIdleTimer()
	return nil
}

// takeWhenFree waits until it holds the agent, unless the context ends first or the agent
// is closed.
func (h *holder) takeWhenFree(ctx context.Context) error {
	var err error
	if ended := h.await(ctx, func() bool { err = h.takeNow(); return !errors.Is(err, ErrBusy) }); ended != nil {
		return ended
	}
	return err
}

// close ends what runs, and has nothing begin any more, what waits for its turn included. It
// reports whether that was so before. Who closes the agent then holds it with takeClosed.
func (h *holder) close() (again bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	again = h.closed
	h.closed = true
	h.stopIdleTimer()
	h.abortNow(ErrClosed)
	h.end(ErrClosed)
	return again
}

// takeClosed waits until it holds an agent that was closed.
func (h *holder) takeClosed() {
	_ = h.await(context.Background(), func() bool { // which does not end
		free := !h.held
		h.held = true
		return free
	})
}

// release lets go of the agent.
func (h *holder) release() {
	h.change(func() {
		h.held = false
		h.aborted = nil // it was of what is over
	})
}

// isHeld reports whether somebody holds the agent.
func (h *holder) isHeld() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.held
}

// awaitIdle waits until nobody holds the agent and nobody is about to.
func (h *holder) awaitIdle(ctx context.Context) error {
	return h.await(ctx, func() bool { return !h.held && h.reserved == 0 })
}

// reserve says that somebody is about to hold the agent; taken is called when it does, or
// does not want to any more.
func (h *holder) reserve() (taken func()) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.reserved++
	return func() { h.change(func() { h.reserved-- }) }
}

// await waits until ready says so, which is called with the mutex held.
func (h *holder) await(ctx context.Context, ready func() bool) error {
	for {
		h.mu.Lock()
		if ready() {
			h.mu.Unlock()
			return nil
		}
		if h.changed == nil {
			h.changed = make(chan struct{})
		}
		changed := h.changed
		h.mu.Unlock()
		select {
		case <-changed:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// change lets those who wait look again.
func (h *holder) change(f func()) {
	h.mu.Lock()
	defer h.mu.Unlock()
	f()
	if h.changed != nil {
		close(h.changed)
		h.changed = nil
	}
}

// begin makes the prompt of whoever holds the agent the one that abort ends, at once when
// that was asked for, or the agent was closed, since it was taken. The function that it
// returns takes that back.
func (h *holder) begin(cancel context.CancelCauseFunc) (over func()) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.interrupt = cancel
	if h.closed {
		cancel(ErrClosed)
	}
	if h.aborted != nil {
		cancel(h.aborted)
		h.aborted = nil
	}
	return func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		h.interrupt = nil
	}
}

// abort ends the prompt that runs, or is about to begin.
func (h *holder) abort(cause error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.abortNow(cause)
}

// abortNow is abort for whoever holds h.mu.
func (h *holder) abortNow(cause error) {
	switch {
	case h.interrupt != nil:
		h.interrupt(cause)
	case h.held:
		h.aborted = cause
	}
}

// start reports whether the session is to be begun, which is the caller's to do. startFailed
// takes that back.
func (h *holder) start() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	first := !h.started
	h.started = true
	return first
}

func (h *holder) startFailed() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.started = false
}

// hasStarted reports whether the session was begun.
func (h *holder) hasStarted() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.started
}

// prompts reports whether a prompt is worked on.
func (h *holder) prompts() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.interrupt != nil
}

// inBackground runs a function in a goroutine that Close waits for, unless the agent is closed. The
// function returns soon after the agent's context has ended.
func (h *holder) inBackground(f func()) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed {
		return false
	}
	h.background.Go(f)
	return true
}

// afterIdle calls a function when nobody has taken the agent for a while.
func (h *holder) afterIdle(d time.Duration, f func()) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if !h.closed {
		h.idleTimer = time.AfterFunc(d, f)
	}
}

// stopIdleTimer is called with h.mu held.
func (h *holder) stopIdleTimer() {
	if h.idleTimer != nil {
		h.idleTimer.Stop()
	}
}
