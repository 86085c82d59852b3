package worker

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hookline-dev/hookline/handler/internal/text"
	"github.com/hookline-dev/hookline/handler/process"
	"github.com/hookline-dev/hookline/hook"
)

// handOver is how long a call that goes on in the background may wait for the
// engine to take it over after its first context has ended.
const handOver = 5 * time.Second

// attempts is how often a call looks for a process that takes it.
const attempts = 3

// Hook is one hook of a worker.
type Hook struct {
	w     *Worker
	index int
}

var (
	_ hook.Handler    = (*Hook)(nil)
	_ hook.Identifier = (*Hook)(nil)
)

// Handler returns the handler of a hook by its index in the hello.
func (w *Worker) Handler(index int) *Hook { return &Hook{w, index} }

// Identity tells hooks apart by how the worker is run and their place in it.
func (h *Hook) Identity() string {
	s := &h.w.spec
	parts := []string{strconv.Itoa(h.index), s.Path, s.Dir, strconv.Itoa(len(s.Args))}
	return text.Identity("worker", slices.Concat(parts, s.Args, s.Env)...)
}

// answer is what came back for a call.
type answer struct {
	body    []byte
	err     error
	async   bool
	timeout time.Duration
}

// pending is a call that a process is working on.
type pending struct {
	id      uint64
	answers chan answer
	live    hook.Session
	dir     string // the session's working directory
	release func() // gives the place back, once

	// The rest is under the conn's lock.
	ctx      context.Context
	asks     context.Context // of its requests, nil before the first
	stopAsks context.CancelCauseFunc
	async    bool
	left     bool // nobody waits any more
	timer    *time.Timer

	show sync.Mutex
	call *hook.Call // whose progress is shown; nil when that is over
}

// free gives the call's place to the next.
func (p *pending) free() { p.release() }

// stop ends what belongs to the call. The conn's lock is held.
func (p *pending) stop(cause error) {
	if p.timer != nil {
		p.timer.Stop()
	}
	if p.stopAsks != nil {
		p.stopAsks(cause)
	}
}

func (p *pending) progress(chunk []byte) {
	p.show.Lock()
	defer p.show.Unlock()
	if p.call != nil {
		p.call.Progress(hook.Stdout, chunk)
	}
}

func (p *pending) hide() {
	p.show.Lock()
	p.call = nil
	p.show.Unlock()
}

// Handle hands the event to the worker and waits for its answer, at most until ctx
// ends. That the worker is at fault is a *hook.Failure.
func (h *Hook) Handle(ctx context.Context, call *hook.Call) (hook.Result, error) {
	call.Report = &hook.Report{}
	release, err := h.w.queue(ctx, call)
	if err != nil {
		return hook.Result{}, err
	}
	began := time.Now()
	c, p, err := h.begin(ctx, call, release)
	if err != nil {
		release()
		return hook.Result{}, err
	}
	defer p.hide()
	sent := time.Now()
	res, err := h.await(ctx, call, c, p)
	// A report that was handed to a background run is that run's.
	if call.Report != nil {
		call.Report.Phases = hook.Phases{Start: sent.Sub(began), Run: time.Since(sent)}
	}
	return res, err
}

// queue waits for a place. The hook's clock stands still meanwhile: its time counts
// from when the worker has the call, so that a hang costs one call.
func (w *Worker) queue(ctx context.Context, call *hook.Call) (release func(), err error) {
	slots := w.slots.Load()
	resume := hook.PauseClock(ctx)
	release, waited, err := slots.Acquire(ctx, process.Urgency(!call.Background))
	resume()
	if err != nil {
		return nil, fmt.Errorf("wait until the worker is free: %w", err)
	}
	if waited > 0 {
		note(call, "waited %v: the worker takes %d at once", waited.Round(10*time.Microsecond), w.Hello().Concurrency)
	}
	return release, nil
}

func note(call *hook.Call, format string, args ...any) {
	call.Report.Notes = append(call.Report.Notes, fmt.Sprintf(format, args...))
}

// begin hands the call to a process that takes it.
func (h *Hook) begin(ctx context.Context, call *hook.Call, release func()) (*conn, *pending, error) {
	var err error
	for range attempts {
		var c *conn
		if c, err = h.w.connect(ctx); err != nil {
			return nil, nil, err
		}
		index := -1
		if h.index < len(c.to) {
			index = c.to[h.index]
		}
		if index < 0 {
			return nil, nil, hook.Failf(hook.FailureLoad, "the worker was started anew and no longer asks for this hook")
		}
		p := c.add(ctx, call, release)
		if p == nil {
			err = hook.Failf(hook.FailureLaunch, "the worker's process is being replaced")
			if c.dead() {
				err = c.err
				h.w.lost(c, err)
			}
			continue
		}
		return c, p, h.post(ctx, c, p, index, call)
	}
	return nil, nil, err
}

// post sends the call.
func (h *Hook) post(ctx context.Context, c *conn, p *pending, index int, call *hook.Call) error {
	var left time.Duration
	if at, ok := ctx.Deadline(); ok {
		left = max(time.Until(at), time.Millisecond)
	}
	msg, err := c.w.spec.Wire.Call(p.id, index, c.hello.Hooks[index], call, left)
	if err != nil {
		err = hook.Failf(hook.FailureError, "encode the input: %w", err)
	} else {
		if err = c.hand(ctx, msg); err != nil && ctx.Err() != nil {
			err = ended(ctx)
		}
	}
	if err != nil {
		c.forget(p)
	}
	return err
}

// hand writes a call at once if it can, and queues it otherwise.
func (c *conn) hand(ctx context.Context, msg []byte) error {
	done, rest := false, false
	if len(c.out) == 0 {
		done, rest = c.in.direct(msg)
	}
	switch {
	case rest:
		return c.send(ctx, nil) // the writer finishes it
	case done:
		return nil
	}
	return c.send(ctx, msg)
}

// add makes a place for a call, nil when the process takes no more.
func (c *conn) add(ctx context.Context, call *hook.Call, release func()) *pending {
	base := call.Input.Base()
	p := &pending{ctx: ctx, call: call, live: base.Live, dir: base.CWD, answers: make(chan answer, 2), release: release}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.retired {
		return nil
	}
	p.id = c.next
	c.next++
	c.calls[p.id] = p
	return p
}

// forget drops a call that was not sent.
func (c *conn) forget(p *pending) {
	c.mu.Lock()
	delete(c.calls, p.id)
	c.mu.Unlock()
	c.settle()
}

// await waits for an answer to the call.
func (h *Hook) await(ctx context.Context, call *hook.Call, c *conn, p *pending) (hook.Result, error) {
	var a answer
	select {
	case a = <-p.answers:
	case <-ctx.Done():
		c.abandon(p, context.Cause(ctx))
		return hook.Result{}, ended(ctx)
	case <-c.gone:
		select {
		case a = <-p.answers: // it came before the end
		default:
			call.Report.Stderr, call.Report.ExitCode = c.tail, c.code
			return hook.Result{}, c.err
		}
	}
	if a.err != nil {
		return hook.Result{}, a.err
	}
	if a.async {
		return h.goOn(ctx, call, c, p, a.timeout), nil
	}
	spec := c.hello.Hooks[c.to[h.index]]
	res, notes, err := h.w.spec.Wire.Result(call, spec, a.body)
	call.Report.Notes = append(call.Report.Notes, notes...)
	return res, err
}

// ended is the error of a call whose context has ended.
func ended(ctx context.Context) error {
	cause := context.Cause(ctx)
	if errors.Is(cause, hook.ErrTimeout) || errors.Is(cause, context.DeadlineExceeded) {
		return hook.Failf(hook.FailureTimeout, "the worker did not answer in time: %w", cause)
	}
	return fmt.Errorf("the call was taken back: %w", cause)
}

// abandon takes a call back. The process has CancelGrace to say something about it.
func (c *conn) abandon(p *pending, cause error) {
	c.mu.Lock()
	if c.calls[p.id] != p || c.stopped || p.left {
		c.mu.Unlock()
		return
	}
	p.left = true
	p.stop(cause)
	p.timer = time.AfterFunc(c.w.spec.CancelGrace, func() { c.overdue(p) })
	c.mu.Unlock()
	select {
	case c.out <- outgoing{text: c.w.spec.Wire.Cancel(p.id, cause.Error())}:
	default: // it does not take messages, and will be replaced
	}
	c.settle()
}

// overdue replaces a process that stayed silent about a call that was taken back.
func (c *conn) overdue(p *pending) {
	c.mu.Lock()
	still := c.calls[p.id] == p
	c.mu.Unlock()
	if !still {
		return
	}
	err := hook.Failf(hook.FailureTimeout, "it hangs: a call that was taken back got no answer within %v", c.w.spec.CancelGrace)
	c.w.lost(c, err)
	c.retire(err, killed)
	p.free()
}

// goOn is the answer of a hook that goes on in the background.
func (h *Hook) goOn(ctx context.Context, call *hook.Call, c *conn, p *pending, timeout time.Duration) hook.Result {
	note(call, "it goes on in the background")
	var taken atomic.Bool
	unwatch := context.AfterFunc(ctx, func() {
		wait := handOver
		if errors.Is(context.Cause(ctx), hook.ErrTimeout) {
			wait = 0 // the engine does not take it over
		}
		c.expire(p, wait, &taken, context.Cause(ctx))
	})
	wait := func(bg context.Context) (hook.Result, error) {
		taken.Store(true)
		unwatch()
		c.mu.Lock()
		p.ctx = bg
		p.stop(nil)
		p.asks, p.stopAsks = nil, nil
		c.mu.Unlock()
		call.Report = &hook.Report{}
		return h.await(bg, call, c, p)
	}
	return hook.Result{Async: &hook.Async{Timeout: timeout, Wait: wait}}
}

// expire abandons a call that nobody takes over.
func (c *conn) expire(p *pending, after time.Duration, taken *atomic.Bool, cause error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.stopped || c.calls[p.id] != p || p.left {
		return
	}
	p.timer = time.AfterFunc(after, func() {
		if !taken.Load() {
			c.abandon(p, cause)
		}
	})
}
