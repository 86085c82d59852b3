package hook

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"
)

// fire is one event on its way through the hooks.
type fire struct {
	eng   *Engine
	ctx   context.Context
	in    Input
	base  *Common
	spec  *Spec
	cells cells
	out   Outcome
	marks []mark // beside out.Runs: what folding needs to know later

	plain bool    // nobody observes, records or traces: the short way may be taken
	dirty bool    // the outcome holds more than records of silent hooks
	taken *answer // what a hook said that took the short way and was not silent

	version  int  // of the tool input: how often hooks changed it
	ended    bool // only observers run from here on
	inactive int  // how many hooks did not run because they are not active
	why      string
}

// mark remembers of a run which version of the input it looked at and which it
// left.
type mark struct {
	e         *entry
	saw, left int
}

// run goes through the groups in order.
func (f *fire) run(p *plan) {
	f.out.Runs = slices.Grow(f.out.Runs, p.count)
	for i := range p.groups {
		g := &p.groups[i]
		if g.group.flow == Parallel && len(g.runs) > 1 && !f.ended {
			f.runParallel(g)
		} else {
			f.runSequential(g)
		}
	}
	if f.version > 0 && (p.guards || f.eng.strict) {
		f.secondLook()
	}
}

func (f *fire) runSequential(g *groupPlan) {
	groupEnded := false
	for _, pl := range g.runs {
		e := pl.e
		if (f.ended || groupEnded) && !e.Observe {
			f.skip(e, "a hook before it ended the "+f.scopeEnded(groupEnded))
			continue
		}
		why, state := f.gate(e, pl.uncertain)
		if !state.runs() {
			f.skip(e, why).Unmatched = state == gateUnmatched
			continue
		}
		uncertain := state == gateUncertain
		if f.ctx.Err() != nil {
			f.skip(e, "the caller gave up")
			continue
		}
		if e.Async != AsyncNo {
			f.startBackground(e, why)
			continue
		}
		if e.direct != nil && f.plain && f.silent(e, why, uncertain) {
			continue
		}
		a := f.taken
		f.taken = nil
		if a == nil {
			a = &answer{}
			f.call(e, f.in, a)
		}
		f.record(e, a, why, uncertain, f.version)
		if a.res.Continue == No {
			groupEnded = true
		}
		handled := a.res.Host != nil && a.res.Host.Handled
		if f.out.blockedBy(a) && (g.group.flow == DenyFast || f.eng.short) || handled && g.group.flow == DenyFast || a.res.Cancel && f.spec.cancels() {
			f.ended = true
		}
	}
}

func (f *fire) scopeEnded(group bool) string {
	if group && !f.ended {
		return "group"
	}
	return "event"
}

// blockedBy reports whether this answer, or what its failure counted as, was a
// deny.
func (o *Outcome) blockedBy(a *answer) bool {
	return a.res.Decision == DecisionDeny || a.failedClosed
}

// gateState says what the gate lets a hook do whose matcher matched, or may match.
type gateState uint8

const (
	gateRuns      gateState = iota
	gateUncertain           // it runs, since what could not be decided may hold
	gateUnmatched           // its condition does not hold
	gateSkipped             // something else keeps it from running
)

func (s gateState) runs() bool { return s <= gateUncertain }

// gate says whether a hook runs whose matcher matched, or with maybe set may have
// matched; and why not, or what could not be decided.
func (f *fire) gate(e *entry, maybe bool) (why string, state gateState) {
	switch {
	case e.gone.Load():
		return "it was removed", gateSkipped
	case e.AgentID != "" && e.AgentID != f.base.AgentID:
		return "it belongs to agent " + e.AgentID, gateSkipped
	case e.MainOnly && f.base.AgentID != "":
		return "it does not run in subagents", gateSkipped
	}
	if maybe {
		why, state = fmt.Sprintf("uncertain whether matcher %q matches", e.Matcher.String()), gateUncertain
	}
	if e.Condition != nil {
		switch m, reason := e.Condition(f.in); m {
		case MatchNo:
			return "its condition does not hold: " + reason, gateUnmatched
		case MatchUncertain:
			why, state = "uncertain whether its condition holds: "+reason, gateUncertain
		}
	}
	if e.Inactive != "" {
		return e.Inactive, gateSkipped
	}
	if e.Once {
		if _, done := f.eng.once.Load(onceKey{e.seq, f.base.SessionID}); done {
			return "it runs once a session and has run", gateSkipped
		}
	}
	return why, state
}

func (f *fire) skip(e *entry, why string) *Run {
	f.dirty = true
	if e.Inactive != "" && why == e.Inactive {
		f.inactive++
		f.why = e.Inactive
	}
	r := Run{Hook: e.info, Status: StatusSkipped, Why: why}
	return f.add(e, r, mark{e: e, saw: -1, left: -1})
}

func (f *fire) add(e *entry, r Run, m mark) *Run {
	if r.Seq == 0 {
		r.Seq = f.eng.seq.Add(1)
	}
	f.out.Runs = append(f.out.Runs, r)
	f.marks = append(f.marks, m)
	return &f.out.Runs[len(f.out.Runs)-1]
}

// traceUnmatched records the registrations whose matcher does not match.
func (f *fire) traceUnmatched(t *eventTable) {
	for _, e := range t.entries {
		if t.match(e, f.in.Subject()) == MatchNo {
			f.skip(e, unmatched(e, f.in.Subject())).Unmatched = true
		}
	}
}

// runParallel starts all hooks of a group on the group's input and folds their
// answers in declared order.
func (f *fire) runParallel(g *groupPlan) {
	type slot struct {
		planned
		why    string
		state  gateState
		answer answer
		done   chan struct{} // without a deadline: closed when answered
		run    *bounded      // with a deadline
	}
	f.ensureMeta()
	slots := make([]slot, len(g.runs))
	seen := map[string]*entry{}
	for i, pl := range g.runs {
		s := &slots[i]
		s.planned = pl
		s.why, s.state = f.gate(pl.e, pl.uncertain)
		if key := dupKey(pl.e); key != "" && s.state.runs() {
			if first, dup := seen[key]; dup {
				s.state, s.why = gateSkipped, sameHook(pl.e, first)
			} else {
				seen[key] = pl.e
			}
		}
		if !s.state.runs() || pl.e.Async != AsyncNo {
			continue
		}
		copied := f.spec.clone(f.in)
		if pl.e.Timeout > 0 && len(f.eng.observers) == 0 {
			s.run = f.eng.start(f.ctx, pl.e, copied)
			continue
		}
		// With observers each run reports as it ends, not in its turn.
		s.done = make(chan struct{})
		go func() {
			defer close(s.done)
			f.eng.call(f.ctx, pl.e, copied, &s.answer)
		}()
	}
	saw := f.version
	for i := range slots {
		s := &slots[i]
		switch {
		case !s.state.runs():
			f.skip(s.e, s.why).Unmatched = s.state == gateUnmatched
		case s.done == nil && s.run == nil:
			f.startBackground(s.e, s.why)
		default:
			if s.run != nil {
				s.run.wait(&s.answer)
			} else {
				<-s.done
			}
			f.record(s.e, &s.answer, s.why, s.state == gateUncertain, saw)
			if f.out.blockedBy(&s.answer) && f.eng.short {
				f.ended = true
			}
		}
	}
}

// secondLook runs guards once more that have seen an earlier version of the input
// than the final one. Their deny and ask count from either look.
func (f *fire) secondLook() {
	final := f.version
	for i := range len(f.marks) {
		m := f.marks[i]
		want := m.e.Guard || f.eng.strict && !m.e.Observe
		if !want || m.saw < 0 || m.saw == final || m.left == final || m.e.Async != AsyncNo || f.ctx.Err() != nil {
			continue
		}
		_, state := f.gate(m.e, false)
		if !state.runs() {
			continue
		}
		f.ensureMeta()
		var a answer
		f.eng.call(f.ctx, m.e, f.spec.clone(f.in), &a)
		a.again = true
		f.record(m.e, &a, "the input was changed after it had looked", state == gateUncertain, final)
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
		if r := &o.Runs[i]; r.Decision == DecisionAllow && f.marks[i].left == f.version {
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

var processStart = time.Now()

// now is a cheap monotonic clock.
func now() time.Duration { return time.Since(processStart) }
