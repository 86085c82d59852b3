package hook

import (
	"errors"
	"fmt"
	"math/bits"
	"slices"
)

// record waits for a run, folds what its hook said into the outcome, and puts it on
// record.
func (f *fire) record(r *run) {
	if r.done != nil {
		<-r.done
	}
	if r.Report != nil {
		r.Notes = append(r.Notes, r.Report.Notes...)
	}
	switch {
	case r.Status == StatusSkipped:
		f.spoken, r.saw, r.left = true, -1, -1
		if r.Why == r.reg.Inactive {
			f.inactive++
			f.why = r.Why
		}
	case r.Status == StatusPending:
		f.spoken = true
		f.out.Pending = append(f.out.Pending, r.late)
		if r.reg.Async != AsyncNo {
			f.hasRun(r.reg)
		}
	case r.Err != nil:
		f.spoken = true
		f.foldFailure(r)
	default:
		f.hasRun(r.reg)
		f.foldAnswer(r)
	}
	f.out.Runs = append(f.out.Runs, r.Run)
	f.looks = append(f.looks, look{r.reg, r.saw, r.left})
}

// hasRun remembers a hook that runs once a session.
func (f *fire) hasRun(e *entry) {
	if e.Once {
		f.eng.once.Store(onceKey{e.seq, f.base.SessionID}, struct{}{})
	}
}

// foldAnswer makes an answer part of the outcome.
func (f *fire) foldAnswer(r *run) {
	if r.res.isZero() {
		return
	}
	f.spoken = true
	parts := r.res.Fields()
	if parts == 0 {
		return
	}
	parts = f.normalise(r, parts)
	r.Decision, r.Reason = r.res.Decision, r.res.Reason
	if parts&^fieldDecisions != 0 {
		whole := r.res
		r.Answer = &whole
	}
	for ; parts != 0; parts &= parts - 1 {
		answerTable()[bits.TrailingZeros64(uint64(parts))].fold(f, r)
	}
}

// normalise drops from an answer what has no effect here, notes it, and returns what
// is left.
func (f *fire) normalise(r *run, parts Fields) Fields {
	if f.spec.cancels() && (r.res.Cancel || r.res.Decision == DecisionDeny) {
		r.res.Cancel, r.res.Decision = true, DecisionDeny
		parts = parts&^fieldDecisions | FieldCancel | FieldDeny
	}
	takes := f.spec.Honours | fieldEverywhere
	switch {
	case r.reg.Observe:
		takes = fieldSpeech
	case r.Again:
		takes &= fieldDecisions | FieldContext | fieldEverywhere
	}
	if extra := parts &^ takes; extra != 0 {
		f.ignore(r, extra)
	}
	if r.res.Decision == DecisionDeny && r.res.Reason == "" {
		r.res.Reason = DefaultReason(r.Hook.Name)
		r.Notes = append(r.Notes, "the hook gave no reason")
	}
	return parts & takes
}

// DefaultReason is the reason of a refusal for which the hook of this name gave none.
func DefaultReason(name string) string { return "blocked by hook " + name }

func (f *fire) ignore(r *run, extra Fields) {
	because := fmt.Sprintf("%v does not take it", f.spec.Event)
	switch {
	case r.reg.Observe:
		because = "the hook only observes"
	case r.Again:
		because = "a second look only decides"
	}
	for _, name := range extra.Names() {
		r.Ignored = append(r.Ignored, fmt.Sprintf("%s (%s)", name, because))
	}
	r.res.drop(extra)
}

// foldFailure decides what a hook that could not answer counts as. A cancelled hook
// counts as nothing: Fire itself fails then.
func (f *fire) foldFailure(r *run) {
	if r.Status == StatusCancelled {
		return
	}
	policy := f.eng.policy(r.reg)
	if fail, ok := errors.AsType[*Failure](r.Err); ok && fail.Closed {
		policy = FailClosed
	}
	reason := fmt.Sprintf("hook %s could not answer: %s", r.Hook.Name, firstLine(r.Err.Error()))
	switch {
	case r.reg.Observe || policy == FailOpen || !f.spec.CanFailClosed():
		f.out.Notices = append(f.out.Notices, reason+" (went on without it)")
		return
	case policy == FailAsk && f.spec.Honours&FieldAsk != 0:
		r.res = Ask(reason)
	default:
		r.res = Deny(reason)
	}
	r.FailedClosed = true
	f.decide(r)
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
func (f *fire) decide(r *run) {
	if r.res.Decision > f.out.Decision {
		f.out.Decision, f.out.Reason, f.out.DecidedBy = r.res.Decision, r.res.Reason, r.Hook.Name
	}
}

var errPatchTarget = errors.New("the input is not a JSON object")

// foldInput makes an answer's change of the tool input, so that later hooks and the
// caller see it.
func (f *fire) foldInput(r *run) {
	cell, next := f.cells.input, r.res.UpdatedInput
	if r.res.InputPatch {
		next = *cell
		if err := next.Merge(r.res.UpdatedInput); err != nil {
			r.Ignored = append(r.Ignored, fmt.Sprintf("updatedInput (%v)", errPatchTarget))
			return
		}
	} else if !next.Valid() {
		r.Ignored = append(r.Ignored, "updatedInput (it is not valid JSON)")
		return
	}
	if next != *cell {
		if f.version == 0 {
			f.out.OriginalInput = *cell
		} else if w := f.lastWriter(); w != "" && !r.res.InputPatch && r.saw < f.version {
			r.Notes = append(r.Notes, "its updated input replaces that of "+w+", which ran at the same time")
		}
		f.version++
		*cell = next
	}
	r.left = f.version
}

// lastWriter names the hook that left the current version of the input.
func (f *fire) lastWriter() string {
	for _, l := range slices.Backward(f.looks) {
		if l.left == f.version && l.saw < f.version {
			return l.reg.info.Name
		}
	}
	return ""
}
