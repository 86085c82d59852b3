package hook

import (
	"context"
	"runtime/debug"
	"slices"
	"time"
)

// answer is what came of one run.
type answer struct {
	res          Result
	err          error
	status       Status
	report       *Report
	duration     time.Duration
	seq          uint64
	async        *AsyncRun
	leaked       bool
	again        bool
	failedClosed bool
}

// call runs a hook of a sequential group on the live input.
func (f *fire) call(e *entry, in Input, a *answer) {
	if e.Timeout > 0 {
		// A hook that outlives its deadline must not share memory with the caller.
		f.ensureMeta()
		in = f.spec.clone(in)
		f.eng.call(f.ctx, e, in, a)
		return
	}
	before := f.cells.values()
	f.eng.call(f.ctx, e, in, a)
	f.restore(before)
}

// silent runs an in-process hook the short way. Of a hook that has nothing to say
// it leaves a record and returns true; what any other hook said is in f.taken. The
// short way does not look at the clock: that costs as much as the hook.
func (f *fire) silent(e *entry, why string, uncertain bool) bool {
	before := f.cells.values()
	var res Result
	err := protect(f.ctx, e.direct, f.in, &res)
	if err == nil && !e.Once && res.isZero() && f.unchanged(before) {
		f.add(e, Run{Hook: e.info, Status: StatusRan, Why: why, Uncertain: uncertain}, mark{e: e, saw: f.version, left: f.version})
		return true
	}
	a := &answer{res: res, err: err}
	a.settle(f.ctx.Err() != nil)
	if a.res.Async != nil {
		a.seq = f.eng.seq.Add(1)
		f.eng.goOn(e, &Call{ID: f.eng.runID(a.seq), Hook: e.info, Input: f.spec.clone(f.in)}, a, func() {})
	}
	takeChanges(before, f.cells, a)
	f.restore(before)
	f.taken = a
	return false
}

// unchanged reports whether the input's cells are as they were.
func (f *fire) unchanged(v values) bool {
	c := f.cells
	return (c.input == nil || *c.input == v.input) && (c.output == nil || *c.output == v.output) &&
		(c.prompt == nil || *c.prompt == v.prompt) && (c.messages == nil || slices.EqualFunc(*c.messages, v.messages, sameMessage))
}

func protect(ctx context.Context, fn func(context.Context, Input) (Result, error), in Input, res *Result) (err error) {
	defer func() {
		if p := recover(); p != nil {
			*res, err = Result{}, panicked(p)
		}
	}()
	*res, err = fn(ctx, in)
	return err
}

func panicked(p any) *Failure {
	return Failf(FailurePanic, "the hook panicked: %v\n%s", p, debug.Stack())
}

func recoverInto(a *answer) {
	if p := recover(); p != nil {
		a.res, a.err = Result{}, panicked(p)
	}
}

// settle derives the status of a run that has returned.
func (a *answer) settle(cancelled bool) {
	switch {
	case a.err == nil:
		a.status = StatusRan
	case cancelled:
		a.status = StatusCancelled
	default:
		a.status = StatusFailed
	}
	if a.err != nil {
		a.res = Result{}
	}
}

// values are the contents of an input's cells.
type values struct {
	input, output JSON
	prompt        string
	messages      []Message
}

func (c cells) values() (v values) {
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

// restore undoes changes in place; record makes them again where the event
// honours them.
func (f *fire) restore(v values) {
	if c := f.cells.input; c != nil && *c != v.input {
		*c = v.input
	}
	if c := f.cells.output; c != nil && *c != v.output {
		*c = v.output
	}
	if c := f.cells.prompt; c != nil && *c != v.prompt {
		*c = v.prompt
	}
	if c := f.cells.messages; c != nil {
		*c = v.messages
	}
}

// takeChanges turns what a hook changed in place into its answer. What the hook
// returned goes before what it changed; a hook that failed changed nothing.
func takeChanges(before values, c cells, a *answer) {
	if a.err != nil {
		return
	}
	if c.input != nil && *c.input != before.input && a.res.UpdatedInput.IsZero() {
		a.res.UpdatedInput = *c.input
	}
	if c.output != nil && *c.output != before.output && a.res.UpdatedOutput.IsZero() {
		a.res.UpdatedOutput = *c.output
	}
	if c.prompt != nil && *c.prompt != before.prompt && a.res.UpdatedPrompt == nil {
		changed := *c.prompt
		a.res.UpdatedPrompt = &changed
	}
	if c.messages != nil && a.res.Messages == nil && !slices.EqualFunc(*c.messages, before.messages, sameMessage) {
		a.res.Messages = append([]Message{}, *c.messages...)
	}
}

func sameMessage(a, b Message) bool {
	return a.Role == b.Role && a.Content == b.Content && string(a.Extra) == string(b.Extra)
}

// call runs a hook on an input that is its own, in a goroutine when it has a
// deadline, and reports to the observers.
func (e *Engine) call(ctx context.Context, en *entry, in Input, a *answer) {
	if en.Timeout > 0 {
		e.start(ctx, en, in).wait(a)
		return
	}
	before := in.cells().values()
	c := e.newCall(en, in, a)
	start := now()
	e.callInline(ctx, en, c, a)
	a.duration = now() - start
	if a.async != nil {
		return // the background run reports when it ends
	}
	a.report = c.Report
	takeChanges(before, in.cells(), a)
	e.emitResponse(c, a)
}

// newCall numbers a run and tells the observers that it starts.
func (e *Engine) newCall(en *entry, in Input, a *answer) *Call {
	a.seq = e.seq.Add(1)
	c := &Call{ID: e.runID(a.seq), Hook: en.info, Input: in, Strict: e.strict}
	e.emitStarted(c)
	return c
}

// callInline runs a hook without a deadline in this goroutine.
func (e *Engine) callInline(ctx context.Context, en *entry, c *Call, a *answer) {
	func() {
		defer recoverInto(a)
		a.res, a.err = en.Handler.Handle(ctx, c)
	}()
	a.settle(ctx.Err() != nil)
	if a.err == nil && a.res.Async != nil {
		e.goOn(en, c, a, func() {})
	}
}

func (e *Engine) graceOf(en *entry) time.Duration {
	if g, ok := en.Handler.(Graceful); ok {
		return e.grace + g.Grace()
	}
	return e.grace
}

// judge settles a run that returned. An answer that came after the deadline is
// thrown away, save for a refusal.
func (a *answer) judge(late, cancelled bool, en *entry) {
	if late && (a.err != nil || a.res.Decision != DecisionDeny) {
		a.res, a.err, a.status = Result{}, timeoutFailure(en, a.err), StatusTimedOut
		return
	}
	a.settle(cancelled)
}

func timeoutFailure(en *entry, why error) *Failure {
	if why == nil {
		return Failf(FailureTimeout, "no answer within %v", en.Timeout)
	}
	return Failf(FailureTimeout, "no answer within %v: %w", en.Timeout, why)
}
