package hook

import (
	"errors"
	"fmt"
	"slices"
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
	res := &a.res
	used := res.Fields()
	if used == 0 && !res.speaks() {
		return
	}
	f.normalise(e, res, run, used)
	run.Decision, run.Reason = res.Decision, res.Reason
	if res.speaks() || res.Fields()&^fieldDecisions != 0 {
		kept := *res
		run.Answer = &kept
	}
	f.foldSpeech(res)
	f.foldDecision(e, res.Decision, res.Reason)
	left := f.foldChanges(e, res, run)
	f.marks[len(f.marks)-1].left = left
	f.foldSession(res)
}

// speaks reports whether an answer uses what is honoured on every event.
func (r *Result) speaks() bool {
	return r.Continue == No || r.SystemMessage != "" || r.Notice != "" || r.StopReason != "" || r.SuppressOutput ||
		r.Host != nil && r.Host.TerminalSequence != ""
}

// normalise drops from an answer what has no effect here, and notes it.
func (f *fire) normalise(e *entry, res *Result, run *Run, used Fields) {
	if f.spec.cancels() && (res.Cancel || res.Decision == DecisionDeny) {
		res.Cancel, res.Decision = true, DecisionDeny
		used = res.Fields()
	}
	extra := used &^ f.spec.Honours
	if e.Observe {
		extra = used
	}
	if run.Again {
		extra |= used &^ (fieldDecisions | FieldContext)
	}
	if extra != 0 {
		f.ignore(e, res, run, extra)
	}
	if e.Observe && res.Continue == No {
		res.Continue = Unset
		run.Ignored = append(run.Ignored, "continue (the hook only observes)")
	}
	if res.Decision == DecisionDeny && res.Reason == "" {
		res.Reason = fmt.Sprintf("blocked by hook %s", e.info.Name)
		run.Notes = append(run.Notes, "the hook gave no reason")
	}
}

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

// drop clears the parts of an answer that are in the set.
func (r *Result) drop(f Fields) {
	if f&fieldDecisions != 0 {
		r.Decision, r.Reason = DecisionNone, ""
	}
	if f&FieldContinue != 0 {
		r.Continue = Unset
	}
	if f&FieldContext != 0 {
		r.Context, r.ContextFiles = nil, nil
	}
	if f&FieldUpdatedInput != 0 {
		r.UpdatedInput = JSON{}
	}
	if f&FieldUpdatedOutput != 0 {
		r.UpdatedOutput = JSON{}
	}
	if f&FieldIsError != 0 {
		r.IsError = Unset
	}
	if f&FieldUpdatedPrompt != 0 {
		r.UpdatedPrompt = nil
	}
	if f&FieldMessages != 0 {
		r.Messages = nil
	}
	if f&FieldInject != 0 {
		r.Inject = nil
	}
	if f&FieldFollowUps != 0 {
		r.FollowUps = nil
	}
	if f&FieldPermissionUpdates != 0 {
		r.PermissionUpdates = nil
	}
	if f&FieldInterrupt != 0 {
		r.Interrupt = false
	}
	r.dropSession(f)
}

func (r *Result) dropSession(f Fields) {
	if f&FieldCancel != 0 {
		r.Cancel = false
	}
	if f&FieldSkipRestore != 0 {
		r.SkipConversationRestore = false
	}
	if f&FieldCompaction != 0 {
		r.Compaction = nil
	}
	if f&FieldSummary != 0 {
		r.Summary = nil
	}
	if f&FieldCompacting != 0 {
		r.Compacting = nil
	}
	if r.Host != nil && r.Host.fields()&f != 0 {
		kept := r.Host.only(r.Host.fields() &^ f)
		r.Host = &kept
	}
}

// foldFailure decides what a hook that could not answer counts as. A cancelled
// hook counts as nothing: Fire itself fails then. A failure never keeps an agent
// from stopping, which would keep it going for ever.
func (f *fire) foldFailure(e *entry, a *answer, run *Run) {
	if a.status == StatusCancelled {
		return
	}
	policy := f.eng.policy(e)
	reason := fmt.Sprintf("hook %s could not answer: %s", e.info.Name, firstLine(a.err.Error()))
	switch {
	case e.Observe || policy == FailOpen || !f.spec.CanBlock() || f.spec.keepsGoing():
		f.out.Notices = append(f.out.Notices, reason+" (went on without it)")
	case policy == FailAsk && f.spec.Honours&FieldAsk != 0:
		run.FailedClosed = true
		f.foldDecision(e, DecisionAsk, reason)
	default:
		run.FailedClosed, a.failedClosed = true, true
		f.foldDecision(e, DecisionDeny, reason)
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

func (f *fire) foldDecision(e *entry, d Decision, reason string) {
	if d > f.out.Decision {
		f.out.Decision, f.out.Reason, f.out.DecidedBy = d, reason, e.info.Name
	}
}

// foldSpeech folds what is honoured on every event, and context.
func (f *fire) foldSpeech(res *Result) {
	o := &f.out
	if res.Continue == No && !o.Halt {
		o.Halt, o.StopReason = true, res.StopReason
	}
	if res.Continue == Yes {
		o.KeepGoing = true
	}
	if res.SystemMessage != "" {
		o.SystemMessages = append(o.SystemMessages, res.SystemMessage)
	}
	if res.Notice != "" {
		o.Notices = append(o.Notices, res.Notice)
	}
	o.SuppressOutput = o.SuppressOutput || res.SuppressOutput
	o.Context = append(o.Context, res.Context...)
	for _, path := range res.ContextFiles {
		if !slices.Contains(o.ContextFiles, path) {
			o.ContextFiles = append(o.ContextFiles, path)
		}
	}
	o.FollowUps = append(o.FollowUps, res.FollowUps...)
	o.PermissionUpdates = append(o.PermissionUpdates, res.PermissionUpdates...)
	o.Interrupt = o.Interrupt || res.Interrupt
}

// foldChanges makes an answer's changes in the input, so that later hooks and the
// caller see them, and returns the version that the hook left.
func (f *fire) foldChanges(e *entry, res *Result, run *Run) int {
	left := f.marks[len(f.marks)-1].saw
	if !res.UpdatedInput.IsZero() {
		left = f.foldInput(e, res, run)
	}
	o := &f.out
	if !res.UpdatedOutput.IsZero() {
		if !o.UpdatedOutput.IsZero() {
			run.Notes = append(run.Notes, "its updated output replaces that of an earlier hook")
		}
		o.UpdatedOutput = res.UpdatedOutput
		if c := f.cells.output; c != nil {
			*c = res.UpdatedOutput
		}
	}
	if res.IsError != Unset {
		o.IsError = res.IsError
	}
	if res.UpdatedPrompt != nil {
		if o.UpdatedPrompt != nil {
			run.Notes = append(run.Notes, "its updated prompt replaces that of an earlier hook")
		}
		o.UpdatedPrompt = res.UpdatedPrompt
		if c := f.cells.prompt; c != nil {
			*c = *res.UpdatedPrompt
		}
	}
	if res.Messages != nil {
		o.Messages = res.Messages
		if c := f.cells.messages; c != nil {
			*c = res.Messages
		}
	}
	return left
}

var errPatchTarget = errors.New("the input is no JSON object")

func (f *fire) foldInput(e *entry, res *Result, run *Run) int {
	cell := f.cells.input
	next := res.UpdatedInput
	if res.InputPatch {
		next = *cell
		if err := next.Merge(res.UpdatedInput); err != nil {
			run.Ignored = append(run.Ignored, fmt.Sprintf("updatedInput (%v)", errPatchTarget))
			return f.marks[len(f.marks)-1].saw
		}
	} else if !next.Valid() {
		run.Ignored = append(run.Ignored, "updatedInput (it is not valid JSON)")
		return f.marks[len(f.marks)-1].saw
	}
	if next == *cell {
		return f.version
	}
	if f.version == 0 {
		f.out.OriginalInput = *cell
	} else if w := f.lastWriter(); w != "" && !res.InputPatch && f.marks[len(f.marks)-1].saw < f.version {
		run.Notes = append(run.Notes, "its updated input replaces that of "+w+", which ran at the same time")
	}
	f.version++
	*cell = next
	return f.version
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

// foldSession folds what only session events and single hosts know.
func (f *fire) foldSession(res *Result) {
	o := &f.out
	o.Cancel = o.Cancel || res.Cancel
	o.SkipConversationRestore = o.SkipConversationRestore || res.SkipConversationRestore
	if res.Inject != nil && o.Inject == nil {
		o.Inject = res.Inject
	}
	if res.Compaction != nil {
		o.Compaction = res.Compaction
	}
	if res.Summary != nil {
		o.Summary = res.Summary
	}
	if res.Compacting != nil {
		o.Compacting = res.Compacting
	}
	if res.Host != nil {
		if o.Host == nil {
			o.Host = &HostEffects{}
		}
		o.Host.merge(res.Host)
	}
}
