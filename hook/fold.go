package hook

import (
	"errors"
	"fmt"
)

// record puts a run on record and folds its answer into the outcome. saw is the
// version of the input that the hook looked at.
func (f *fire) record(e *entry, a *answer, why string, uncertain bool, saw int) {
	f.dirty = true
	run := f.add(e, Run{
		Hook: e.info, Seq: a.seq, Status: a.status, Why: why, Uncertain: uncertain, Again: a.again, Leaked: a.leaked,
		Err: a.err, Report: a.report, Duration: a.duration,
	}, mark{e: e, saw: saw, left: saw})
	if a.report != nil {
		run.Notes = append(run.Notes, a.report.Notes...)
	}
	if a.async != nil {
		run.Status = StatusPending
		f.out.Pending = append(f.out.Pending, a.async)
		return
	}
	if a.err != nil {
		f.foldFailure(e, a, run)
		return
	}
	if e.Once {
		f.eng.once.Store(onceKey{e.seq, f.base.SessionID}, struct{}{})
	}
	used := a.res.Fields()
	if used == 0 {
		return
	}
	used = f.normalise(e, &a.res, run, used)
	run.Decision, run.Reason = a.res.Decision, a.res.Reason
	if used&^fieldDecisions != 0 {
		kept := a.res
		run.Answer = &kept
	}
	f.fold(&a.res, run, used)
}

// normalise drops from an answer what has no effect here, notes it, and returns what
// is left.
func (f *fire) normalise(e *entry, res *Result, run *Run, used Fields) Fields {
	if f.spec.cancels() && (res.Cancel || res.Decision == DecisionDeny) {
		res.Cancel, res.Decision = true, DecisionDeny
		used = used&^fieldDecisions | FieldCancel | FieldDeny
	}
	takes := f.spec.Honours | fieldEverywhere
	switch {
	case e.Observe:
		takes = fieldSpeech
	case run.Again:
		takes &= fieldDecisions | FieldContext | fieldEverywhere
	}
	if extra := used &^ takes; extra != 0 {
		f.ignore(e, res, run, extra)
	}
	if res.Decision == DecisionDeny && res.Reason == "" {
		res.Reason = DefaultReason(e.info.Name)
		run.Notes = append(run.Notes, "the hook gave no reason")
	}
	return used & takes
}

// DefaultReason is the reason of a refusal for which the hook of this name gave none.
func DefaultReason(name string) string { return "blocked by hook " + name }

func (f *fire) ignore(e *entry, res *Result, run *Run, extra Fields) {
	because := fmt.Sprintf("%v does not take it", f.spec.Event)
	switch {
	case e.Observe:
		because = "the hook only observes"
	case run.Again:
		because = "a second look only decides"
	}
	for _, name := range extra.Names() {
		run.Ignored = append(run.Ignored, fmt.Sprintf("%s (%s)", name, because))
	}
	res.drop(extra)
}

// foldFailure decides what a hook that could not answer counts as. A cancelled
// hook counts as nothing: Fire itself fails then.
func (f *fire) foldFailure(e *entry, a *answer, run *Run) {
	if a.status == StatusCancelled {
		return
	}
	policy := f.eng.policy(e)
	if fail, ok := errors.AsType[*Failure](a.err); ok && fail.Closed {
		policy = FailClosed
	}
	reason := fmt.Sprintf("hook %s could not answer: %s", e.info.Name, firstLine(a.err.Error()))
	switch {
	case e.Observe || policy == FailOpen || !f.spec.CanFailClosed():
		f.out.Notices = append(f.out.Notices, reason+" (went on without it)")
	case policy == FailAsk && f.spec.Honours&FieldAsk != 0:
		run.FailedClosed = true
		f.decide(e, DecisionAsk, reason)
	default:
		run.FailedClosed, a.failedClosed = true, true
		f.decide(e, DecisionDeny, reason)
	}
}

// policy is what a failure of the hook counts as.
func (e *Engine) policy(en *entry) FailurePolicy {
	if e.strict && en.OnFailure == FailDefault && !en.Observe {
		return FailClosed
	}
	return en.info.Policy
}

func firstLine(s string) string {
	for i, r := range s {
		if r == '\n' {
			return s[:i]
		}
	}
	return s
}

// decide takes a decision when it is stricter than those before.
func (f *fire) decide(e *entry, d Decision, reason string) {
	if d > f.out.Decision {
		f.out.Decision, f.out.Reason, f.out.DecidedBy = d, reason, e.info.Name
	}
}

// current is what folding has to know of the run that it is at.
func (f *fire) current() *mark { return &f.marks[len(f.marks)-1] }

var errPatchTarget = errors.New("the input is not a JSON object")

// foldInput makes an answer's change of the tool input, so that later hooks and the
// caller see it.
func (f *fire) foldInput(res *Result, run *Run) {
	cell, next, m := f.cells.input, res.UpdatedInput, f.current()
	if res.InputPatch {
		next = *cell
		if err := next.Merge(res.UpdatedInput); err != nil {
			run.Ignored = append(run.Ignored, fmt.Sprintf("updatedInput (%v)", errPatchTarget))
			return
		}
	} else if !next.Valid() {
		run.Ignored = append(run.Ignored, "updatedInput (it is not valid JSON)")
		return
	}
	if next != *cell {
		if f.version == 0 {
			f.out.OriginalInput = *cell
		} else if w := f.lastWriter(); w != "" && !res.InputPatch && m.saw < f.version {
			run.Notes = append(run.Notes, "its updated input replaces that of "+w+", which ran at the same time")
		}
		f.version++
		*cell = next
	}
	m.left = f.version
}

// lastWriter names the hook that left the current version of the input.
func (f *fire) lastWriter() string {
	for i := len(f.marks) - 2; i >= 0; i-- {
		if f.marks[i].left == f.version && f.marks[i].saw < f.version {
			return f.marks[i].e.info.Name
		}
	}
	return ""
}
