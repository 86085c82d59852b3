package hook

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"
)

// maxLate bounds the late results that wait to be collected; beyond it the oldest
// give way.
const maxLate = 1024

// lateBox holds the results of background runs until the host collects them.
type lateBox struct {
	mu      sync.Mutex
	results []LateResult
	dropped int
	ready   chan struct{}
	closed  bool
	running []*AsyncRun // in the order in which they went to the background
}

func (b *lateBox) init() { b.ready = make(chan struct{}, 1) }

func (b *lateBox) put(r LateResult) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.results) >= maxLate {
		b.results = slices.Delete(b.results, 0, 1)
		b.dropped++
	}
	b.results = append(b.results, r)
	if !b.closed {
		select {
		case b.ready <- struct{}{}:
		default:
		}
	}
}

// begin takes note of a run that goes on in the background.
func (b *lateBox) begin(r *AsyncRun) *AsyncRun {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.running = append(b.running, r)
	return r
}

// end forgets a run whose result is there.
func (b *lateBox) end(r *AsyncRun) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.running = slices.DeleteFunc(b.running, func(other *AsyncRun) bool { return other == r })
}

func (b *lateBox) close() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.closed = true
	close(b.ready)
}

// CollectLate removes and returns the results of a session's background hooks
// that have come in since the last call, oldest first. Each result is returned
// once, so that what it says reaches the model once.
func (e *Engine) CollectLate(sessionID string) []LateResult {
	b := &e.late
	b.mu.Lock()
	defer b.mu.Unlock()
	var out []LateResult
	b.results = slices.DeleteFunc(b.results, func(r LateResult) bool {
		if r.SessionID != sessionID {
			return false
		}
		out = append(out, r)
		return true
	})
	return out
}

// Background returns the hooks that run in the background now, those that went there
// first in front, so that a host which ends can wait for them.
func (e *Engine) Background() []*AsyncRun {
	e.late.mu.Lock()
	defer e.late.mu.Unlock()
	return slices.Clone(e.late.running)
}

// LateReady receives a value after late results have come in, so that an idle host
// need not poll. It is closed when the engine closes.
func (e *Engine) LateReady() <-chan struct{} { return e.late.ready }

// LateDropped returns how many late results gave way because nobody collected
// them.
func (e *Engine) LateDropped() int {
	e.late.mu.Lock()
	defer e.late.mu.Unlock()
	return e.late.dropped
}

// startBackground starts a hook that was registered as asynchronous. It works on
// a copy of the input.
func (f *fire) startBackground(e *entry, why string) {
	f.dirty = true
	f.ensureMeta()
	eng := f.eng
	run := eng.newAsyncRun(e, f.base)
	c := &Call{ID: eng.runID(run.Seq), Hook: e.info, Input: f.spec.clone(f.in), Strict: eng.strict, Background: true}
	f.add(e, Run{Hook: e.info, Seq: run.Seq, Status: StatusPending, Why: why}, mark{e: e, saw: -1, left: -1})
	f.out.Pending = append(f.out.Pending, run)
	if e.Once {
		eng.once.Store(onceKey{e.seq, f.base.SessionID}, struct{}{})
	}
	parent := context.WithoutCancel(f.ctx)
	eng.running.add()
	go func() {
		defer eng.running.done()
		eng.background(parent, e, c, run, e.AsyncTimeout, func(ctx context.Context) (Result, error) {
			return e.Handler.Handle(ctx, c)
		})
	}()
}

func (e *Engine) newAsyncRun(en *entry, base *Common) *AsyncRun {
	return e.late.begin(&AsyncRun{Hook: en.info, Seq: e.seq.Add(1), SessionID: base.SessionID, cwd: base.CWD, done: make(chan struct{})})
}

// goOn lets a hook that turned asynchronous by its answer go on. Nothing is
// started anew: the rest of the answer is waited for.
func (e *Engine) goOn(en *entry, c *Call, a *answer, finish func()) {
	rest := a.res.Async
	run := e.late.begin(&AsyncRun{Hook: en.info, Seq: a.seq, SessionID: c.Input.Base().SessionID, cwd: c.Input.Base().CWD, done: make(chan struct{})})
	a.async, a.res = run, Result{}
	a.report, c.Report = c.Report, nil // from here on the report is the background run's
	e.running.add()
	go func() {
		defer e.running.done()
		defer finish()
		e.background(context.Background(), en, c, run, rest.Timeout, rest.Wait)
	}()
}

// background waits for a background run, for at most a time, and delivers what
// came of it.
func (e *Engine) background(parent context.Context, en *entry, c *Call, run *AsyncRun, limit time.Duration, wait func(context.Context) (Result, error)) {
	if limit <= 0 {
		limit = DefaultAsyncTimeout
	}
	start := now()
	rc := newRunContext(parent, limit)
	defer rc.end()
	defer context.AfterFunc(e.base, func() { rc.cancel(ErrClosed) })()
	if c.Background {
		e.emitStarted(c)
	}
	a := &answer{seq: run.Seq}
	func() {
		defer recoverInto(a)
		a.res, a.err = wait(rc)
	}()
	e.deliver(en, c, run, a, rc, limit, start)
}

// deliver settles a background run that has answered, and puts what came of it
// where the host finds it.
func (e *Engine) deliver(en *entry, c *Call, run *AsyncRun, a *answer, rc *runContext, limit, start time.Duration) {
	func() {
		defer recoverInto(a)
		for a.err == nil && a.res.Async != nil { // it says once more that it goes on
			a.res, a.err = a.res.Async.Wait(rc)
		}
	}()
	a.settle(rc.Err() != nil)
	if rc.timedOut() {
		a.status, a.res = StatusTimedOut, Result{}
		a.err = Failf(FailureTimeout, "no answer within %v in the background", limit)
	}
	a.report, a.duration = c.Report, now()-start
	e.emitResponse(c, a)
	run.result = e.lateResult(en, run, a)
	e.late.put(run.result)
	close(run.done)
	e.late.end(run)
}

func (e *Engine) lateResult(en *entry, run *AsyncRun, a *answer) LateResult {
	r := LateResult{
		Hook: en.info, Seq: run.Seq, SessionID: run.SessionID, CWD: run.cwd, Status: a.status, Result: a.res,
		Report: a.report, Err: a.err, Duration: a.duration,
	}
	r.Rewake = en.Async == AsyncRewake && a.res.Decision == DecisionDeny
	if a.err != nil {
		r.Err = fmt.Errorf("background hook %s: %w", en.info.Name, a.err)
	}
	return r
}
