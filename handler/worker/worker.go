package worker

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hookline-dev/hookline/handler/internal/procrun"
	"github.com/hookline-dev/hookline/handler/process"
	"github.com/hookline-dev/hookline/hook"
)

// Worker is a worker and what keeps it alive. It is safe for concurrent use; Close
// ends it.
type Worker struct {
	spec   Spec
	env    procrun.Environment
	ctx    context.Context // ends with the worker
	cancel context.CancelCauseFunc
	wg     sync.WaitGroup
	slots  atomic.Pointer[process.Limiter]
	starts atomic.Int64

	mu       sync.Mutex // taken before a conn's
	watch    *watch     // used by whoever starts the worker, otherwise under mu
	hello    Hello      // what its hooks are registered by
	known    bool
	conns    map[*conn]struct{}
	cur      *conn
	launch   *launch
	failures int // in a row
	again    time.Time
	last     error
	closed   bool
}

// launch is a start in progress.
type launch struct {
	done chan struct{}
	conn *conn
	err  error
}

// Start starts a worker and waits for its hello. The context bounds the start and
// nothing after it. The error is a *hook.Failure when the worker is at fault.
func Start(ctx context.Context, spec Spec) (*Worker, error) {
	w := newWorker(spec)
	if _, err := w.connect(ctx); err != nil {
		name := w.Name()
		w.Close()
		return nil, fmt.Errorf("start worker %s: %w", name, err)
	}
	return w, nil
}

// Expect returns a worker that is not started before its first call. The hello is
// what it said when it was started before, with the same content; hooks of it that
// the worker then does not ask for fail.
func Expect(spec Spec, hello Hello) (*Worker, error) {
	if err := hello.check(); err != nil {
		return nil, fmt.Errorf("expect a worker: %w", err)
	}
	w := newWorker(spec)
	w.hello, w.known = hello, true
	w.slots.Store(process.NewLimiter(hello.Concurrency))
	return w, nil
}

func newWorker(spec Spec) *Worker {
	w := &Worker{spec: spec.withDefaults(), conns: map[*conn]struct{}{}}
	w.ctx, w.cancel = context.WithCancelCause(context.Background())
	w.watch = newWatch(&w.spec)
	return w
}

// Hello returns what the worker said when it was first started.
func (w *Worker) Hello() Hello {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.hello
}

// Name returns the worker's name.
func (w *Worker) Name() string {
	if w.spec.Name != "" {
		return w.spec.Name
	}
	if name := w.Hello().Name; name != "" {
		return name
	}
	return filepath.Base(w.spec.Path)
}

// Path returns the program, as the spec named it.
func (w *Worker) Path() string { return w.spec.Path }

// Starts returns how many processes have been started.
func (w *Worker) Starts() int { return int(w.starts.Load()) }

// Close tells the worker to shut down, ends it and its children, and waits for
// that. Calls that it is working on fail.
func (w *Worker) Close() error {
	w.mu.Lock()
	w.closed = true
	w.cur = nil
	for c := range w.conns {
		c.dismiss(ErrClosed)
	}
	w.mu.Unlock()
	w.cancel(ErrClosed)
	w.wg.Wait()
	return nil
}

// connect returns the running process, and starts one when there is none or when
// its files have changed. The clock of the hook stands still meanwhile: a start has
// HelloTimeout of its own.
func (w *Worker) connect(ctx context.Context) (*conn, error) {
	w.mu.Lock()
	if w.closed {
		w.mu.Unlock()
		return nil, &hook.Failure{Kind: hook.FailureLaunch, Err: ErrClosed}
	}
	if c := w.cur; c != nil {
		path := w.watch.changed()
		if path == "" {
			w.mu.Unlock()
			return c, nil
		}
		w.cur = nil
		c.retire(fmt.Errorf("%q has changed", path), dismissed)
	}
	l := w.launch
	if l == nil {
		if wait := time.Until(w.again); wait > 0 {
			err := &downError{Failures: w.failures, Again: wait, Last: w.last}
			w.mu.Unlock()
			last, ok := errors.AsType[*hook.Failure](err.Last)
			return nil, &hook.Failure{Kind: hook.FailureLaunch, Err: err, Closed: ok && last.Closed}
		}
		l = w.begin()
	}
	w.mu.Unlock()
	defer hook.PauseClock(ctx)()
	select {
	case <-l.done:
		return l.conn, l.err
	case <-ctx.Done():
		cause := context.Cause(ctx)
		if errors.Is(cause, context.DeadlineExceeded) {
			return nil, fmt.Errorf("it said no hello in time: %w", cause)
		}
		return nil, fmt.Errorf("wait for the worker to start: %w", cause)
	}
}

// begin begins to start a process. The lock is held, and the worker is not closed.
func (w *Worker) begin() *launch {
	l := &launch{done: make(chan struct{})}
	w.launch = l
	w.wg.Go(func() { w.run(l) })
	return l
}

// Warm begins to start the worker if it does not run and may be started, and returns at
// once: a call that comes later waits less, or not at all. What goes wrong is met anew
// by that call.
func (w *Worker) Warm() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.closed && w.cur == nil && w.launch == nil && time.Until(w.again) <= 0 {
		w.begin()
	}
}

// run starts a process for all who wait for it.
func (w *Worker) run(l *launch) {
	c, err := w.open()
	changed := false
	w.mu.Lock()
	w.launch = nil
	switch {
	case err != nil:
		if _, ok := errors.AsType[*untrustedError](err); !ok && c == nil {
			w.failed(err) // a process that ended has been counted
		}
		l.err = err
	case w.closed:
		l.err = &hook.Failure{Kind: hook.FailureLaunch, Err: ErrClosed}
	case c.dead():
		l.err = c.err
	default:
		changed = w.adopt(c)
		l.conn, w.cur = c, c
	}
	w.mu.Unlock()
	close(l.done)
	if changed {
		w.log("warning", "it was started again and asks for other hooks than before")
		if w.spec.OnHello != nil {
			w.spec.OnHello(c.hello)
		}
	}
}

// adopt takes over what a new process said of itself. It reports whether it asks
// for other hooks than those that are registered. The lock is held.
func (w *Worker) adopt(c *conn) (changed bool) {
	first := !w.known
	if first {
		w.hello, w.known = c.hello, true
	}
	to, same := mapping(w.hello.Hooks, c.hello.Hooks)
	c.to = to
	if slots := w.slots.Load(); slots == nil || c.hello.Concurrency != w.hello.Concurrency {
		w.slots.Store(process.NewLimiter(c.hello.Concurrency))
		w.hello.Concurrency = c.hello.Concurrency
	}
	return !same
}

// failed counts a failure and sets when the next start may be. The lock is held.
func (w *Worker) failed(err error) {
	w.failures++
	w.last = err
	if w.failures < 2 {
		return
	}
	wait := w.spec.BackoffMax
	if n := w.failures - 2; n < 30 && w.spec.BackoffMin<<n < wait {
		wait = w.spec.BackoffMin << n
	}
	w.again = time.Now().Add(wait)
}

// lost takes a process out of use that ended or must be replaced. It counts a
// process once.
func (w *Worker) lost(c *conn, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.cur == c {
		w.cur = nil
	}
	if c.counted || w.closed {
		return
	}
	c.counted = true
	if c.healthy.Load() {
		w.failures = 0
	}
	w.failed(err)
}

func (w *Worker) log(level, format string, args ...any) {
	if w.spec.OnLog != nil {
		w.spec.OnLog(Log{Worker: w.Name(), Level: level, Message: fmt.Sprintf(format, args...)})
	}
}

// Wire returns the protocol that the worker speaks.
func (w *Worker) Wire() Wire { return w.spec.Wire }
