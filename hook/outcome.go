package hook

import (
	"context"
	"time"
)

// Outcome is what all hooks of one event came to.
//
// An allow counts only for the input that will really be used: when a hook
// allowed a call and a later one changed it, the decision is none again, and the
// host authorises the new input as usual.
type Outcome struct {
	Event Event
	// Decision is the strictest decision; Reason and DecidedBy belong to the first
	// hook that gave it.
	Decision  Decision
	Reason    string
	DecidedBy string
	// Halt ends the whole run; StopReason tells the person why.
	Halt       bool
	StopReason string
	// KeepGoing says that the agent goes on instead of stopping; Continuation is
	// what it is told.
	KeepGoing bool
	// SuppressOutput keeps the hooks' own output out of the transcript.
	SuppressOutput bool
	// Cancel stops a session operation. It is set along with a deny.
	Cancel bool
	// InputChanged says that a hook changed the tool input.
	InputChanged            bool
	SkipConversationRestore bool
	Interrupt               bool
	IsError                 Tri

	// Context goes into the next model call, once. SystemMessages go there too and
	// are shown to the person. Notices are for the person only: what hooks wanted
	// to say and what the engine has to report.
	// ContextFiles are paths that hooks offer the model; Context says so to it.
	Context        []string
	ContextFiles   []string
	SystemMessages []string
	Notices        []string

	// UpdatedInput is the input after all changes and OriginalInput the one
	// before, both absent when no hook changed it. The input struct holds the
	// changed one too.
	UpdatedInput  JSON
	OriginalInput JSON
	// UpdatedOutput replaces the tool's output; absent when no hook changed it.
	UpdatedOutput JSON
	// UpdatedPrompt replaces the prompt; nil when no hook changed it.
	UpdatedPrompt *string
	// Messages replaces the messages of this call; nil when no hook changed them.
	Messages  []Message
	Inject    []CustomMessage
	FollowUps []string

	Compaction        *Compaction
	Summary           *BranchSummary
	Compacting        *CompactingAnswer
	PermissionUpdates []PermissionUpdate
	Host              *HostEffects

	// Runs has one record for each registration whose matcher matched; with
	// WithTrace, for every registration of the event.
	Runs []Run
	// Pending are hooks that go on in the background.
	Pending []*AsyncRun
}

// Blocked reports whether a hook refused, in whatever way the event has.
func (o *Outcome) Blocked() bool { return o.Decision == DecisionDeny || o.Cancel }

// Continuation returns what the model is told when KeepGoing is set: the reason
// and the follow-ups, or a default text; nil otherwise.
func (o *Outcome) Continuation() []string {
	if !o.KeepGoing {
		return nil
	}
	var out []string
	if o.Reason != "" && o.Decision == DecisionDeny {
		out = append(out, o.Reason)
	}
	out = append(out, o.FollowUps...)
	if len(out) == 0 {
		out = append(out, DefaultContinuation)
	}
	return out
}

// DefaultContinuation is what the model is told when a hook keeps it going without
// saying why.
const DefaultContinuation = "A hook asked you to continue."

// Status says how a run went. Failed, silent, decided and cancelled are different
// things.
type Status uint8

// The statuses.
const (
	StatusSkipped   Status = iota // it did not run; Why says why
	StatusRan                     // it answered, if only with no opinion
	StatusFailed                  // it could not answer
	StatusTimedOut                // it did not answer in time
	StatusCancelled               // the caller gave up before it answered
	StatusPending                 // it goes on in the background
)

var statusNames = [...]string{"skipped", "ran", "failed", "timed_out", "cancelled", "pending"}

// String returns the status's word.
func (s Status) String() string {
	if int(s) < len(statusNames) {
		return statusNames[s]
	}
	return "invalid"
}

// MarshalText returns the status's word.
func (s Status) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// Run is the record of one registration in one event.
type Run struct {
	// Hook describes the registration.
	Hook *Info
	// Seq numbers the runs of an engine.
	Seq    uint64
	Status Status
	// Decision and Reason are the hook's own; a failure that counts as a deny
	// leaves them empty and sets FailedClosed.
	Decision Decision
	// Uncertain says that it could not be decided whether the hook should run.
	Uncertain bool
	// Again marks the second look of a guard at the final input.
	Again bool
	// FailedClosed says that a failure counted against the call.
	FailedClosed bool
	// Leaked says that the hook was still running when the engine gave up on it.
	Leaked bool
	// Unmatched says that the hook was skipped because its matcher or condition does not
	// match the event: it was not asked for.
	Unmatched bool
	// Why says why the hook was skipped, or why it ran though it might not have.
	Why    string
	Reason string
	Err    error
	// Ignored names parts of the answer that had no effect and why; Notes are
	// other remarks, such as an update that another hook's replaced.
	Ignored []string
	Notes   []string
	// Answer is the whole answer when it was more than a decision.
	Answer *Result
	// Report is what the handler reported, nil for Go functions.
	Report *Report
	// Duration is how long the hook ran. It is not measured of a Go function
	// without a deadline that had nothing to say, unless the engine observes,
	// records or traces: looking at the clock costs as much as such a hook.
	Duration time.Duration
}

// AsyncRun is a hook that goes on in the background.
type AsyncRun struct {
	Hook      *Info
	SessionID string

	cwd    string
	limit  time.Duration // it may take so long
	done   chan struct{}
	result LateResult
}

// Wait waits for the result. It fails only when ctx ends first. A result that
// Wait returned is delivered by Engine.CollectLate too.
func (r *AsyncRun) Wait(ctx context.Context) (LateResult, error) {
	select {
	case <-r.done:
		return r.result, nil
	case <-ctx.Done():
		return LateResult{}, context.Cause(ctx)
	}
}

// Done is closed when the result is there.
func (r *AsyncRun) Done() <-chan struct{} { return r.done }

// LateResult is the answer of a hook that ran in the background. Its decision has
// no effect any more; its context and messages go into the next model call.
type LateResult struct {
	Hook      *Info
	Seq       uint64
	SessionID string
	// CWD is the working directory that the event had.
	CWD    string
	Status Status
	Result Result
	Report *Report
	// Err says why there is no answer.
	Err error
	// Rewake says that an idle agent should be woken with the result's reason.
	Rewake   bool
	Duration time.Duration
}
