package hook

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"
)

// bounded is a run with a deadline, in a goroutine of its own, so that the engine
// can go on without a hook that ignores its context.
type bounded struct {
	e      *Engine
	en     *entry
	c      *Call
	rc     *runContext
	unlink func() bool // stops following the engine's end
	before values
	began  time.Duration

	// state decides the race between the hook's end, its going on in the background
	// and the engine's giving up on it; whoever moves it from running has won.
	state atomic.Int32
	// Written before gone is closed, which is when the hook goes on in the
	// background.
	gone  chan struct{}
	async *AsyncRun
	limit time.Duration

	// Written before done is closed.
	done  chan struct{}
	inner answer
	late  bool // it ended after its deadline
	took  time.Duration
	seq   uint64
}

// The states of a bounded run.
const (
	stateRunning int32 = iota
	stateEnded
	stateGone
	stateLeaked
)

// start starts a hook with a deadline.
func (e *Engine) start(ctx context.Context, en *entry, in Input) *bounded {
	b := &bounded{e: e, en: en, done: make(chan struct{}), gone: make(chan struct{}), before: in.cells().values()}
	var a answer
	b.c = e.newCall(en, in, &a)
	b.seq = a.seq
	b.c.goOn = b.goOn
	b.rc = newRunContext(ctx, en.Timeout)
	b.unlink = context.AfterFunc(e.base, func() { b.rc.cancel(ErrClosed) })
	b.began = now()
	e.running.add()
	go b.run()
	return b
}

func (b *bounded) run() {
	stretch(0)
	defer b.e.running.done()
	func() {
		defer recoverInto(&b.inner)
		b.inner.res, b.inner.err = b.en.Handler.Handle(b.rc, b.c)
	}()
	b.late, b.took = b.rc.timedOut(), now()-b.began
	if b.state.CompareAndSwap(stateRunning, stateEnded) {
		b.rc.stop()
		close(b.done)
		return
	}
	defer b.finish()
	if b.state.Load() == stateGone {
		<-b.gone // the call of GoOn may come from another goroutine and not be through yet
		b.e.deliver(b.en, b.c, b.async, &b.inner, b.rc, b.limit, b.began)
	}
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

// finish releases what the run's context holds.
func (b *bounded) finish() {
	b.unlink()
	b.rc.end()
}

// goOn is Call.GoOn for this run.
func (b *bounded) goOn(limit time.Duration) bool {
	if limit <= 0 {
		limit = DefaultAsyncTimeout
	}
	if !b.state.CompareAndSwap(stateRunning, stateGone) {
		return false
	}
	b.async = b.e.late.begin(&AsyncRun{Hook: b.en.info, Seq: b.seq, SessionID: b.c.Input.Base().SessionID, done: make(chan struct{})})
	b.limit = limit
	b.rc.detach(limit)
	close(b.gone)
	return true
}

// wait waits until the hook has answered, goes on in the background, or is given
// up.
func (b *bounded) wait(a *answer) {
	a.seq = b.seq
	select {
	case <-b.done:
	case <-b.gone:
	case <-b.rc.Done():
		grace := time.NewTimer(b.e.graceOf(b.en))
		defer grace.Stop()
		select {
		case <-b.done:
		case <-b.gone:
		case <-grace.C:
			b.state.CompareAndSwap(stateRunning, stateLeaked)
		}
	}
	switch b.state.Load() {
	case stateGone:
		<-b.gone
		a.async, a.duration = b.async, now()-b.began
	case stateLeaked:
		b.giveUp(a)
	default:
		<-b.done
		b.answered(a)
	}
}

// answered takes the answer of a hook that ended.
func (b *bounded) answered(a *answer) {
	a.res, a.err, a.duration = b.inner.res, b.inner.err, b.took
	a.judge(b.late, b.rc.Err() != nil, b.en)
	if a.err == nil && a.res.Async != nil {
		b.e.goOn(b.en, b.c, a, b.finish)
		return
	}
	b.finish()
	a.report = b.c.Report
	takeChanges(b.before, b.c.Input.cells(), a)
	b.e.emitResponse(b.c, a)
}

// giveUp settles a run that the engine goes on without. Its goroutine releases the
// context when it ends.
func (b *bounded) giveUp(a *answer) {
	a.leaked, a.duration = true, now()-b.began
	if b.rc.timedOut() {
		a.status = StatusTimedOut
		a.err = timeoutFailure(b.en, fmt.Errorf("it ignores its context and was left running"))
	} else {
		a.status = StatusCancelled
		a.err = fmt.Errorf("cancelled: %w; the hook ignores its context and was left running", context.Cause(b.rc))
	}
	b.e.emitResponse(b.c, a)
}
