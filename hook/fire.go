package hook

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
)

// maxDepth bounds hooks that fire events whose hooks fire events.
const maxDepth = 16

// ErrTooDeep is the error of an event that hooks fired from within hooks, too many
// levels deep.
var ErrTooDeep = errors.New("hooks fire hooks too many levels deep")

type depthKey struct{}

// fireContext is what hooks without a deadline get: the caller's context, and how
// deep it is.
type fireContext struct {
	context.Context
	depth int
}

func (c *fireContext) Value(key any) any {
	if _, ok := key.(depthKey); ok {
		return c
	}
	return c.Context.Value(key)
}

// Fire runs the hooks of an event and returns what they came to. Changes that the
// event honours are made in the input itself too.
//
// Fire fails only when the engine could not do its work: there is no input, the context
// ended (the error is its cause), the engine is closed (ErrClosed), or hooks fire hooks
// without end (ErrTooDeep). The outcome then holds what happened so far and never
// an allow. The failure of a hook is in the outcome.
func (e *Engine) Fire(ctx context.Context, in Input) (Outcome, error) {
	if in == nil {
		return Outcome{}, errNoInput
	}
	ev := in.Event()
	if e.closed.Load() {
		return Outcome{Event: ev}, ErrClosed
	}
	s := e.reg.snap.Load()
	if s == nil || s.events[ev] == nil {
		return Outcome{Event: ev}, cause(ctx)
	}
	t := s.events[ev]
	p := t.plan(in.Subject())
	if p == nil && !e.trace {
		return Outcome{Event: ev}, cause(ctx)
	}
	return e.dispatch(ctx, in, t, p)
}

var errNoInput = errors.New("hook: Fire needs an input")

func cause(ctx context.Context) error {
	if ctx.Err() == nil {
		return nil
	}
	return context.Cause(ctx)
}

func (e *Engine) dispatch(ctx context.Context, in Input, t *eventTable, p *plan) (Outcome, error) {
	depth := 1
	if up, ok := ctx.Value(depthKey{}).(*fireContext); ok {
		if depth = up.depth + 1; depth > maxDepth {
			return Outcome{Event: in.Event()}, ErrTooDeep
		}
	}
	f := fires.Get().(*fire)
	f.eng, f.in, f.spec, f.base = e, in, in.Event().spec(), in.Base()
	f.cells = in.cells()
	f.ctx = &fireContext{ctx, depth}
	if e.trace {
		f.traceUnmatched(t)
	}
	if p != nil {
		f.run(p)
	}
	if !f.spoken && !e.watched {
		out := Outcome{Event: f.spec.Event, Runs: f.out.Runs}
		f.out.Runs = nil
		f.release()
		return out, cause(ctx)
	}
	f.out.Event = f.spec.Event
	err := f.finish()
	for _, r := range e.recorders {
		r.Record(ctx, in, &f.out)
	}
	out := f.out
	f.out = Outcome{}
	f.release()
	return out, err
}

// fires recycles the state of Fire. Nothing that outlives a Fire refers to it.
var fires = sync.Pool{New: func() any { return new(fire) }}

// release clears the state, whose outcome has been taken, for the next event.
func (f *fire) release() {
	clear(f.looks)
	f.looks = f.looks[:0]
	f.eng, f.in, f.base, f.ctx, f.cells = nil, nil, nil, nil, cells{}
	f.ended, f.spoken, f.version, f.inactive, f.why = false, false, 0, 0, ""
	fires.Put(f)
}

// fire is one event on its way through the hooks.
type fire struct {
	eng   *Engine
	ctx   context.Context
	in    Input
	base  *Common
	spec  *Spec
	cells cells
	out   Outcome
	looks []look // beside out.Runs
	spare *run   // for the next hook that runs in this goroutine

	version  int  // of the tool input: how often hooks changed it
	ended    bool // only observers run from here on
	spoken   bool // the outcome holds more than records of hooks that had nothing to say
	inactive int  // how many hooks did not run because they are not active
	why      string
}

// look remembers of a run which version of the input it looked at and which it left.
type look struct {
	reg       *entry
	saw, left int // -1 when it did not run
}

// run goes through the groups in order.
func (f *fire) run(p *plan) {
	f.out.Runs = slices.Grow(f.out.Runs, p.count)
	for i := range p.groups {
		g := &p.groups[i]
		if g.group.flow == Parallel && len(g.candidates) > 1 && !f.ended {
			f.runTogether(g)
		} else {
			f.runInTurn(g)
		}
	}
	if f.version > 0 && (p.guards || f.eng.strict) {
		f.secondLook()
	}
}

// runInTurn runs the hooks of a group one after another.
func (f *fire) runInTurn(g *groupPlan) {
	ended := "" // the group or the event
	if f.ended {
		ended = "event"
	}
	for _, c := range g.candidates {
		r := f.newRun(c)
		if f.gateInTurn(r, ended); r.Status == statusConsidered {
			f.start(r)
		}
		f.record(r)
		if r.res.Continue == No && ended == "" {
			ended = "group"
		}
		if f.ends(r, g.group.flow) {
			f.ended, ended = true, "event"
		}
		f.recycle(r)
	}
}

// gateInTurn is gate for a hook whose turn it is.
func (f *fire) gateInTurn(r *run, ended string) {
	if ended != "" && !r.reg.Observe {
		r.skip("a hook before it ended the " + ended)
		return
	}
	if f.gate(r); r.Status == statusConsidered && f.ctx.Err() != nil {
		r.skip("the caller gave up")
	}
}

// ends reports whether what a hook said in its turn ends the event.
func (f *fire) ends(r *run, flow Flow) bool {
	blocked := r.res.Decision == DecisionDeny && (flow == DenyFast || f.eng.short)
	handled := flow == DenyFast && r.res.Host != nil && r.res.Host.Handled
	return blocked || handled || r.res.Cancel && f.spec.cancels()
}

// runTogether starts all hooks of a group on the group's input and folds their answers
// in declared order.
func (f *fire) runTogether(g *groupPlan) {
	runs := make([]run, len(g.candidates))
	first := map[string]*entry{}
	for i, c := range g.candidates {
		r := &runs[i]
		f.consider(r, c)
		f.gate(r)
		if key := dupKey(c.reg); key != "" && r.Status == statusConsidered {
			if same := first[key]; same != nil {
				r.skip(sameHook(c.reg, same))
			} else {
				first[key] = c.reg
			}
		}
		if r.Status == statusConsidered {
			f.startApart(r)
		}
	}
	for i := range runs {
		r := &runs[i]
		f.record(r)
		if f.eng.short && r.res.Decision == DecisionDeny {
			f.ended = true
		}
	}
}

// newRun returns the run of a candidate.
func (f *fire) newRun(c candidate) *run {
	r := f.spare
	if f.spare = nil; r == nil {
		r = new(run)
	}
	f.consider(r, c)
	return r
}

// consider makes an empty run that of a candidate.
func (f *fire) consider(r *run, c candidate) {
	r.Run = Run{Hook: c.reg.info, Seq: f.eng.seq.Add(1), Status: statusConsidered, Uncertain: c.maybe}
	r.eng, r.reg, r.saw, r.left = f.eng, c.reg, f.version, f.version
}

// recycle keeps a run for the next hook if nobody else knows of it.
func (f *fire) recycle(r *run) {
	switch {
	case r.done != nil || r.Status == StatusPending:
		return
	case r.call != nil || !r.res.isZero():
		*r = run{}
	}
	r.in = nil
	f.spare = r
}

// secondLook runs guards once more that have seen an earlier version of the input than
// the final one. Their deny and ask count from either look.
func (f *fire) secondLook() {
	final := f.version
	for i := range len(f.looks) {
		l := f.looks[i]
		want := l.reg.Guard || f.eng.strict && !l.reg.Observe
		if !want || l.saw < 0 || l.saw == final || l.left == final || l.reg.Async != AsyncNo || f.ctx.Err() != nil {
			continue
		}
		r := f.newRun(candidate{reg: l.reg})
		if f.gate(r); r.Status != statusConsidered {
			continue
		}
		r.Why, r.Again = "the input was changed after it had looked", true
		f.start(r)
		f.record(r)
	}
}

// ensureMeta makes the metadata that copies of the input share.
func (f *fire) ensureMeta() {
	if f.base.Live == nil && f.base.Meta == nil {
		f.base.Meta = &Metadata{}
	}
}

// finish completes the outcome.
func (f *fire) finish() error {
	o := &f.out
	if len(o.ContextFiles) > 0 {
		o.Context = append(o.Context, "Files that may help here, to be read when needed:\n- "+strings.Join(o.ContextFiles, "\n- "))
	}
	if f.inactive > 0 {
		o.Notices = append(o.Notices, fmt.Sprintf("%s not run: %s", plural(f.inactive, "hook"), f.why))
	}
	if o.Decision == DecisionAllow && f.version > 0 {
		f.checkAllow()
	}
	if f.spec.cancels() && o.Decision == DecisionDeny {
		o.Cancel = true // a failure that counts as a deny does too
	}
	if f.version > 0 {
		o.InputChanged = true
		o.UpdatedInput = *f.cells.input
	}
	o.KeepGoing = o.KeepGoing || f.spec.keepsGoing && (o.Decision == DecisionDeny || len(o.FollowUps) > 0)
	if o.Halt {
		o.KeepGoing = false
	}
	err := cause(f.ctx)
	if err != nil && o.Decision == DecisionAllow {
		o.Decision = DecisionNone
	}
	return err
}

// checkAllow keeps an allow only when some hook allowed the input as it is in the
// end; the reason is then that hook's.
func (f *fire) checkAllow() {
	o := &f.out
	for i := range o.Runs {
		if r := &o.Runs[i]; r.Decision == DecisionAllow && f.looks[i].left == f.version {
			o.Reason, o.DecidedBy = r.Reason, r.Hook.Name
			return
		}
	}
	o.Decision, o.Reason, o.DecidedBy = DecisionNone, "", ""
	o.Notices = append(o.Notices, "a hook allowed the call before another hook changed its input; the changed call is not allowed by that")
}

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
