package hook

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"
)

// A run goes to the background in one of three ways: it was registered so, its hook says
// so while it runs (goOn), or by its answer (goOnAs). Each ends in deliver.

// goOn sends a run to the background whose hook is at work.
func (r *run) goOn(limit time.Duration) bool {
	if !r.leave(StatusPending) {
		return false
	}
	limit = asyncLimit(limit)
	r.toBackground(limit)
	if r.reg.Async == AsyncNo {
		r.Duration = now() - r.began
	}
	r.clock.detach(limit)
	close(r.done)
	return true
}

// goOnAs sends a run to the background whose hook has returned the rest of it. Nothing
// is started anew: the rest is waited for.
func (r *run) goOnAs(rest *Async) {
	r.toBackground(asyncLimit(rest.Timeout))
	if r.done == nil {
		go r.await(rest)
		return
	}
	if r.clock != nil {
		r.clock.stop()
	}
	close(r.done)
	r.await(rest)
}

func (r *run) await(rest *Async) {
	clock := newRunContext(context.Background(), r.eng.base, r.late.limit, 0, nil)
	defer clock.end()
	r.deliver(clock, now(), Result{Async: rest}, nil)
}

func asyncLimit(d time.Duration) time.Duration {
	if d <= 0 {
		return DefaultAsyncTimeout
	}
	return d
}

// toBackground puts the run among those that the engine and the host wait for.
func (r *run) toBackground(limit time.Duration) {
	base := r.in.Base()
	r.late = &AsyncRun{Hook: r.reg.info, SessionID: base.SessionID, cwd: base.CWD, limit: limit, done: make(chan struct{})}
	r.eng.running.add()
	r.eng.late.begin(r.late)
}

// deliver waits for what is left of a run in the background, and puts what came of it
// where the host finds it.
func (r *run) deliver(clock *runContext, began time.Duration, res Result, err error) {
	defer r.eng.running.done()
	for err == nil && res.Async != nil { // it may say more than once that it goes on
		err = res.Async.wait(clock, &res)
	}
	rec := Run{Hook: r.reg.info, Seq: r.Seq, Status: returned(clock, err), Err: err}
	if clock.timedOut() {
		rec.Status, rec.Err = StatusTimedOut, Failf(FailureTimeout, "no answer within %v in the background", r.late.limit)
	}
	if rec.Err != nil {
		res = Result{}
	}
	rec.Duration = now() - began
	if r.call != nil {
		rec.Report = r.call.Report
	}
	r.eng.emitResponse(r.call, &rec, &res)
	r.eng.late.deliver(r.late, r.lateResult(&rec, res))
}

// wait calls Wait.
func (a *Async) wait(ctx context.Context, res *Result) (err error) {
	defer recovered(res, &err)
	*res, err = a.Wait(ctx)
	return err
}

func (r *run) lateResult(rec *Run, res Result) LateResult {
	l := LateResult{
		Hook: rec.Hook, Seq: rec.Seq, SessionID: r.late.SessionID, CWD: r.late.cwd, Status: rec.Status, Result: res,
		Report: rec.Report, Err: rec.Err, Duration: rec.Duration,
		Rewake: r.reg.Async == AsyncRewake && res.Decision == DecisionDeny,
	}
	if rec.Err != nil {
		l.Err = fmt.Errorf("background hook %s: %w", rec.Hook.Name, rec.Err)
	}
	return l
}

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

// begin takes note of a run that goes on in the background.
func (b *lateBox) begin(r *AsyncRun) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.running = append(b.running, r)
}

// deliver takes the result of a run.
func (b *lateBox) deliver(run *AsyncRun, r LateResult) {
	run.result = r
	b.put(r)
	close(run.done)
	b.mu.Lock()
	defer b.mu.Unlock()
	b.running = slices.DeleteFunc(b.running, func(other *AsyncRun) bool { return other == run })
}

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
