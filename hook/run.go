package hook

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"sync"
	"time"
)

// run is one registration on its way through one event: the record that the outcome will
// hold, and what it takes to make it. The record's Status is the state that it is in:
//
//	considered ─┬─ skipped
//	            └─ running ─┬─ ran, failed, timed out, cancelled
//	                        └─ pending: it goes on in the background
//
// The hook that returns, the hook that goes on in the background and the engine that gives
// it up may come at once. The first to move the run out of running says what it came to.
type run struct {
	Run
	eng       *Engine
	reg       *entry
	call      *Call // nil for a Go function in the caller's goroutine that nobody watches
	in        Input // the caller's, or a copy of its own
	began     time.Duration
	saw, left int // the versions of the tool input that the hook looked at and left
	res       Result

	mu    sync.Mutex    // guards Status while the hook runs
	done  chan struct{} // closed when the event need not wait any more; nil in the caller's goroutine
	clock *runContext   // of a run that is bounded by more than the caller
	late  *AsyncRun     // of a run in the background
}

// The states before those that a record can have.
const (
	statusConsidered Status = 1<<7 + iota // its matcher matches, or may match
	statusRunning                         // its handler is at work
)

// start runs a hook in its turn: in this goroutine and on the live input, which is put
// back, since folding is what changes it. A hook that may outlive its turn runs apart.
func (f *fire) start(r *run) {
	if r.reg.Timeout > 0 || r.reg.Async != AsyncNo {
		f.startApart(r)
		return
	}
	before := f.cells.values()
	r.Status, r.in = statusRunning, f.in
	if r.reg.goFunc == nil || f.eng.watched {
		r.newCall()
	}
	r.work(f.ctx, f.cells, before)
	f.cells.restore(&before)
}

// startApart starts a hook in a goroutine of its own and on a copy of the input, so that
// others run at the same time, or the event goes on without it.
func (f *fire) startApart(r *run) {
	f.ensureMeta()
	r.Status, r.in = statusRunning, f.spec.input.clone(f.in)
	cells := r.in.cells()
	before := cells.values()
	r.newCall()
	r.done = make(chan struct{})
	ctx := f.ctx
	switch e := r.reg; {
	case e.Async != AsyncNo:
		r.clock = newRunContext(context.WithoutCancel(ctx), f.eng.base, asyncLimit(e.AsyncTimeout), 0, nil)
		r.goOn(e.AsyncTimeout)
	case e.Timeout > 0:
		r.clock = newRunContext(ctx, f.eng.base, e.Timeout, r.grace(), r.giveUp)
		r.call.goOn = r.goOn
	}
	if r.clock == nil {
		go r.work(ctx, cells, before)
		return
	}
	f.eng.running.add()
	go func() {
		stretch(0)
		r.work(r.clock, cells, before)
		r.clock.end()
		r.eng.running.done()
	}()
}

// newCall makes what a handler is given, and tells the observers that it starts.
func (r *run) newCall() {
	r.call = &Call{ID: r.eng.runID(r.Seq), Hook: r.reg.info, Input: r.in, Strict: r.eng.strict, Background: r.reg.Async != AsyncNo}
	r.eng.emitStarted(r.call)
	r.began = now()
}

// work calls the handler and settles the run, unless that has been done meanwhile. The
// cells are those of its input, with what they held before.
func (r *run) work(ctx context.Context, c cells, before cellValues) {
	var res Result
	err := r.handle(ctx, &res)
	status, fault := r.judge(ctx, &res, err)
	if !r.leave(status) {
		if r.Status == StatusPending {
			<-r.done // the call of GoOn may come from another goroutine and not be through yet
			r.deliver(r.clock, r.began, res, err)
		}
		return
	}
	if r.call != nil {
		r.Duration = now() - r.began
		r.Report, r.call.Report = r.call.Report, nil // a later one is of the background
	}
	if status == StatusPending {
		r.goOnAs(res.Async)
		return
	}
	if r.Err = fault; fault == nil {
		c.takeChanges(&before, &res)
		if !res.isZero() {
			r.res = res
		}
	}
	r.eng.emitResponse(r.call, &r.Run, &r.res)
	if r.done != nil {
		close(r.done)
	}
}

// handle calls the handler.
func (r *run) handle(ctx context.Context, res *Result) (err error) {
	defer recovered(res, &err)
	if r.call == nil {
		*res, err = r.reg.goFunc(ctx, r.in)
	} else {
		*res, err = r.reg.Handler.Handle(ctx, r.call)
	}
	return err
}

// recovered makes a failure of a panic.
func recovered(res *Result, err *error) {
	if p := recover(); p != nil {
		*res, *err = Result{}, Failf(FailurePanic, "the hook panicked: %v\n%s", p, debug.Stack())
	}
}

// judge says what a call came to that has returned. An answer that comes after the
// deadline is thrown away, save for a refusal.
func (r *run) judge(ctx context.Context, res *Result, err error) (Status, error) {
	switch {
	case r.clock != nil && r.clock.timedOut() && (err != nil || res.Decision != DecisionDeny):
		return StatusTimedOut, timeoutFailure(r.reg, err)
	case err == nil && res.Async != nil:
		return StatusPending, nil
	}
	return returned(ctx, err), err
}

// returned is the status of a call that returned while there was time.
func returned(ctx context.Context, err error) Status {
	switch {
	case err == nil:
		return StatusRan
	case ctx.Err() != nil:
		return StatusCancelled
	}
	return StatusFailed
}

func timeoutFailure(e *entry, why error) *Failure {
	if why == nil {
		return Failf(FailureTimeout, "no answer within %v", e.Timeout)
	}
	return Failf(FailureTimeout, "no answer within %v: %w", e.Timeout, why)
}

// leave moves the run out of running, and reports whether it was there.
func (r *run) leave(to Status) bool {
	if r.done != nil {
		r.mu.Lock()
		defer r.mu.Unlock()
	}
	if r.Status != statusRunning {
		return false
	}
	r.Status = to
	return true
}

// grace is how long the engine waits for a hook after its deadline.
func (r *run) grace() time.Duration {
	if g, ok := r.reg.Handler.(Graceful); ok {
		return r.eng.grace + g.Grace()
	}
	return r.eng.grace
}

// giveUp goes on without a hook that ignores its context.
func (r *run) giveUp(clock *runContext) {
	status, fault := StatusTimedOut, error(timeoutFailure(r.reg, errors.New("it ignores its context and was left running")))
	if !clock.timedOut() {
		status = StatusCancelled
		fault = fmt.Errorf("cancelled: %w; the hook ignores its context and was left running", context.Cause(clock))
	}
	if !r.leave(status) {
		return
	}
	r.Err, r.Leaked, r.Duration = fault, true, now()-r.began
	r.eng.emitResponse(r.call, &r.Run, &r.res)
	close(r.done)
}

// stretch makes room on the stack of a new goroutine at once. Handlers go deep, and a
// stack that grows step by step is copied each time with all that is on it.
//
//go:noinline
func stretch(i int) byte {
	var room [10 << 10]byte
	room[i] = 1
	return room[len(room)-1-i]
}

// cellValues are the contents of an input's cells.
type cellValues struct {
	input, output JSON
	prompt        string
	messages      []Message
}

func (c cells) values() (v cellValues) {
	if c.input != nil {
		v.input = *c.input
	}
	if c.output != nil {
		v.output = *c.output
	}
	if c.prompt != nil {
		v.prompt = *c.prompt
	}
	if c.messages != nil {
		v.messages = slices.Clone(*c.messages)
	}
	return v
}

// restore undoes changes in place.
func (c cells) restore(v *cellValues) {
	if c.input != nil && *c.input != v.input {
		*c.input = v.input
	}
	if c.output != nil && *c.output != v.output {
		*c.output = v.output
	}
	if c.prompt != nil && *c.prompt != v.prompt {
		*c.prompt = v.prompt
	}
	if c.messages != nil {
		*c.messages = v.messages
	}
}

// takeChanges turns what a hook changed in place into its answer. What the hook returned
// goes before what it changed.
func (c cells) takeChanges(before *cellValues, res *Result) {
	if c.input != nil && *c.input != before.input && res.UpdatedInput.IsZero() {
		res.UpdatedInput = *c.input
	}
	if c.output != nil && *c.output != before.output && res.UpdatedOutput.IsZero() {
		res.UpdatedOutput = *c.output
	}
	if c.prompt != nil && *c.prompt != before.prompt && res.UpdatedPrompt == nil {
		changed := *c.prompt
		res.UpdatedPrompt = &changed
	}
	if c.messages != nil && res.Messages == nil && !slices.EqualFunc(*c.messages, before.messages, sameMessage) {
		res.Messages = append([]Message{}, *c.messages...)
	}
}

func sameMessage(a, b Message) bool {
	return a.Role == b.Role && a.Content == b.Content && string(a.Extra) == string(b.Extra)
}
