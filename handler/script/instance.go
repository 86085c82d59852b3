package script

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hookline-dev/hookline/handler/script/internal/vm"
)

// queueSize is how many functions may wait for an instance's goroutine before
// those who post more have to wait themselves.
const queueSize = 64

// instance is one generation of a module: an engine, the goroutine that owns
// it, and everything that waits for it. When the engine is condemned the
// instance is dropped as a whole and the module starts the next one; whatever
// then still arrives for this one is ignored.
type instance struct {
	m     *Module
	gen   uint64
	eng   vm.Engine // set by the owner, used by the owner; Interrupt by all
	guard watchdog
	// shared is eng for other goroutines, which may only interrupt it.
	shared atomic.Pointer[vm.Engine]
	queue  chan func()

	ctx    context.Context // ends when the instance is dropped
	cancel context.CancelCauseFunc
	ended  chan struct{} // closed when the owner is gone and the engine freed
	dead   chan struct{} // closed when the instance is dropped
	owner  atomic.Int64  // id of the owner's goroutine
	heard  atomic.Bool   // another module emitted something to it
	inHost atomic.Int32  // depth of synchronous host calls of the owner

	bound    bool // the module is loaded: action methods work
	rejected bool // the engine noted a rejection since the last look
	// settlements are the outcomes of the current slice.
	settlements []settlement

	// ops counts goroutines that work for the instance; under mu, and not once
	// it is dropped, one may be added.
	ops sync.WaitGroup

	mu       sync.Mutex
	reason   error // why it was dropped
	calls    map[int64]*call
	pending  map[int64]*pendingOp
	timers   map[int64]*time.Timer
	shown    map[int64]*component
	nextCall int64
}

func newInstance(m *Module, gen uint64) *instance {
	i := &instance{
		m: m, gen: gen,
		queue:   make(chan func(), queueSize),
		ended:   make(chan struct{}),
		dead:    make(chan struct{}),
		calls:   map[int64]*call{},
		pending: map[int64]*pendingOp{},
		timers:  map[int64]*time.Timer{},
		shown:   map[int64]*component{},
	}
	i.ctx, i.cancel = context.WithCancelCause(context.Background())
	i.guard.interrupt = func() { i.eng.Interrupt() }
	i.guard.abandon = i.abandon
	i.guard.cpuTime = processCPU
	return i
}

// remote is an engine in another process, which calls the host also by itself.
type remote interface {
	vm.Engine
	calls() <-chan func()
	lost() <-chan struct{}
}

// heartbeat is how often a remote engine is asked whether it still answers while
// somebody waits for it: its JavaScript may run, and hang, by itself.
const heartbeat = time.Second

// run owns the engine until the instance is dropped.
func (i *instance) run(boot func() error) {
	defer close(i.ended)
	i.owner.Store(goroutineID())
	err := boot()
	if err != nil {
		i.drop(err)
	}
	var calls <-chan func()
	var lost <-chan struct{}
	var beat <-chan time.Time
	if r, ok := i.eng.(remote); ok {
		ticker := time.NewTicker(heartbeat)
		defer ticker.Stop()
		calls, lost, beat = r.calls(), r.lost(), ticker.C
	}
	for i.alive() {
		select {
		case <-i.dead:
		case f := <-i.queue:
			i.slice(i.budget(), f)
		case f := <-calls:
			f()
			i.deliver()
		case <-beat:
			if i.waiting() {
				i.slice(i.budget(), func() {}) // its jobs must come to an end
			}
		case <-lost:
			i.condemn(brokeEngine, "its Node process ended")
		}
	}
	i.owner.Store(0)
	if i.eng != nil {
		if err := i.eng.Close(); err != nil {
			i.report(Report{Kind: ReportCallback, Message: "closing the engine", Err: err})
		}
	}
	i.m.released(i)
}

func (i *instance) alive() bool {
	select {
	case <-i.dead:
		return false
	default:
		return true
	}
}

// waiting reports whether somebody waits for a call.
func (i *instance) waiting() bool {
	i.mu.Lock()
	defer i.mu.Unlock()
	return len(i.calls) > 0
}

// slice is one uninterrupted run of JavaScript: a call of a handler, a settled
// promise or a timer, and the jobs that follow from it. Waiting is never
// inside a slice.
func (i *instance) slice(budget time.Duration, f func()) {
	i.guard.start(budget)
	err := i.guarded(f)
	if err == nil && i.alive() {
		err = i.eng.RunJobs()
	}
	if err == nil && i.rejected && i.alive() {
		i.takeRejections()
	}
	over := i.guard.stop()
	switch {
	case over:
		i.condemn(overBudget, "")
	case err != nil:
		i.judge(err)
	}
	i.deliver() // which a condemned instance's calls no longer take
}

// guarded keeps a panic of our own code from ending the process.
func (i *instance) guarded(f func()) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("internal error: %v\n%s", p, debug.Stack())
		}
	}()
	f()
	return nil
}

// judge decides what an error that no call returned means for the engine.
func (i *instance) judge(err error) {
	js, ok := errors.AsType[*vm.Error](err)
	switch {
	case ok && js.OutOfMemory():
		i.condemn(outOfMemory, fmt.Sprintf("limit %d bytes", i.m.opts.memory()))
	case ok && js.Interrupted():
		i.condemn(overBudget, "")
	case ok:
		i.report(Report{Kind: ReportCallback, Message: "an error in a callback", Err: i.jsError(js.Name, js.Message, "", js.Stack)})
	default:
		i.condemn(brokeEngine, err.Error())
	}
}

// condemn drops the instance because of what its JavaScript did.
func (i *instance) condemn(reason condemnation, detail string) {
	if (reason == outOfMemory || reason == brokeEngine) && i.guard.over() {
		reason = overBudget // what it shows is how it was stopped
	}
	if reason == overBudget {
		detail = fmt.Sprintf("the budget is %v", i.budget())
	}
	err := &condemnedError{Path: i.m.path, Reason: reason, Detail: detail}
	if i.drop(err) {
		i.report(Report{Kind: ReportCondemned, Message: err.Error(), Err: err})
	}
}

// abandon gives up on an engine whose native code does not stop. Its goroutine
// is left behind with it, counted, and ends when that code does.
func (i *instance) abandon() {
	i.m.abandonedNow(i)
	i.condemn(stuck, "its goroutine was left behind")
}

// drop ends the instance: everything that waits for it fails with err. It
// reports whether this call did it.
func (i *instance) drop(err error) bool {
	i.mu.Lock()
	if i.reason != nil {
		i.mu.Unlock()
		return false
	}
	i.reason = err
	if _, ok := errors.AsType[*condemnedError](err); ok {
		i.m.condemned.Add(1) // before anybody is answered, who may look at it
	}
	calls, timers := i.calls, i.timers
	i.calls, i.timers, i.pending = nil, nil, nil
	close(i.dead)
	i.mu.Unlock()
	for _, t := range timers {
		t.Stop()
	}
	i.cancel(err)
	for _, c := range calls {
		c.finish(outcome{err: err})
	}
	return true
}

// post hands a function to the owner, and drops it when the instance is gone. It
// waits while the queue is full.
func (i *instance) post(f func()) {
	select {
	case i.queue <- f:
	case <-i.dead:
	}
}

// callRT calls a function of the runtime from within a slice; an error is what
// the engine itself has to say.
func (i *instance) callRT(name string, args ...any) {
	if _, err := i.eng.CallRT(name, args...); err != nil {
		i.judge(err)
	}
}

// reentrant reports whether the caller runs inside a synchronous host call of
// this instance. Only then is the cost of asking for the goroutine paid.
func (i *instance) reentrant() bool {
	return i.inHost.Load() > 0 && i.owner.Load() == goroutineID()
}

func (i *instance) report(r Report) {
	if i.m.opts.OnReport == nil {
		return
	}
	r.Path = i.m.path
	i.m.opts.OnReport(r)
}
