package hook

import (
	"context"
	"errors"
	"sync"
	"time"
)

// ErrTimeout is the cause of a hook's context that ended at its deadline.
var ErrTimeout = errors.New("the hook's time is up")

// ErrClosed is the cause of a context that ended with the engine, and the error of
// an engine that is closed.
var ErrClosed = errors.New("the hook engine is closed")

// PauseClock stops the clock of the hook that ctx belongs to, for as long as a
// person is being asked, and returns the function that starts it again. Pauses may
// overlap: the clock runs when all have ended. Calling the function twice does
// nothing. With a context of no hook, or of one without a deadline, it does
// nothing.
func PauseClock(ctx context.Context) (resume func()) {
	c, ok := ctx.Value(clockKey{}).(*runContext)
	if !ok {
		return func() {}
	}
	c.pause()
	return sync.OnceFunc(c.resume)
}

type clockKey struct{}

// runContext is the context of one run: it ends with its parent or at a deadline
// that can be moved, until it is detached from both.
type runContext struct {
	context.Context // cancelled by cancel alone
	cancel          context.CancelCauseFunc
	parent          context.Context
	unlink          func() bool // stops following the parent
	unlinkEngine    func() bool

	mu       sync.Mutex
	timer    *time.Timer
	deadline time.Time // zero while paused or without a deadline
	left     time.Duration
	pauses   int
	detached bool
	grace    time.Duration
	overdue  func(*runContext) // called when the run has not ended a grace after its context
	patience *time.Timer       // that waits for it
}

// newRunContext derives a context that ends after d, with its parent or with the engine.
// When it ended by itself, a grace goes by before overdue is called, if that is not nil
// and the run has not ended then.
func newRunContext(parent, engine context.Context, d, grace time.Duration, overdue func(*runContext)) *runContext {
	c := &runContext{parent: parent, grace: grace, overdue: overdue}
	c.Context, c.cancel = context.WithCancelCause(context.WithoutCancel(parent))
	c.start(d)
	c.unlink = context.AfterFunc(parent, func() { c.expire(context.Cause(parent)) })
	c.unlinkEngine = context.AfterFunc(engine, func() { c.expire(ErrClosed) })
	return c
}

func (c *runContext) start(d time.Duration) {
	c.deadline = time.Now().Add(d)
	c.timer = time.AfterFunc(d, func() { c.expire(ErrTimeout) })
}

// expire ends the context while its run goes on.
func (c *runContext) expire(cause error) {
	c.cancel(cause)
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.overdue != nil && c.patience == nil {
		c.patience = time.AfterFunc(c.grace, func() { c.overdue(c) })
	}
}

// detach lets the run go on without its parent, for as long as d.
func (c *runContext) detach(d time.Duration) {
	c.unlink()
	c.stop()
	c.mu.Lock()
	defer c.mu.Unlock()
	c.detached, c.pauses, c.left = true, 0, 0
	c.start(d)
}

// Deadline returns when the hook's time will be up; there is none while the clock
// is paused.
func (c *runContext) Deadline() (time.Time, bool) {
	c.mu.Lock()
	own, detached := c.deadline, c.detached
	c.mu.Unlock()
	if detached {
		return own, !own.IsZero()
	}
	parent, ok := c.parent.Deadline()
	if own.IsZero() || ok && parent.Before(own) {
		return parent, ok
	}
	return own, true
}

// Value answers for the clock and passes everything else on.
func (c *runContext) Value(key any) any {
	if _, ok := key.(clockKey); ok {
		return c
	}
	return c.Context.Value(key)
}

func (c *runContext) pause() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.pauses++; c.pauses > 1 || c.timer == nil {
		return
	}
	if c.timer.Stop() {
		c.left = max(time.Until(c.deadline), time.Millisecond)
		c.deadline = time.Time{}
	}
}

func (c *runContext) resume() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.pauses--; c.pauses > 0 || c.timer == nil || c.left == 0 {
		return
	}
	c.deadline = time.Now().Add(c.left)
	c.timer.Reset(c.left)
	c.left = 0
}

// stop ends the clock and leaves the context as it is.
func (c *runContext) stop() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.timer != nil {
		c.timer.Stop()
	}
	if c.patience != nil {
		c.patience.Stop()
	}
	c.timer, c.deadline = nil, time.Time{}
}

// end stops the clock and ends the context.
func (c *runContext) end() {
	c.stop()
	c.unlink()
	c.unlinkEngine()
	c.cancel(context.Canceled)
}

// timedOut reports whether the context ended at its deadline.
func (c *runContext) timedOut() bool {
	return c.Err() != nil && errors.Is(context.Cause(c), ErrTimeout)
}

var processStart = time.Now()

// now is a cheap monotonic clock.
func now() time.Duration { return time.Since(processStart) }
