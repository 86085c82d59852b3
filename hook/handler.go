package hook

import (
	"context"
	"fmt"
	"time"
)

// Handler runs one hook.
//
//   - Handle is called from any goroutine, and at the same time for different
//     events and for parallel hooks of one event.
//   - The context ends at the hook's deadline, when the caller gives up and when
//     the engine closes; context.Cause tells them apart (ErrTimeout, ErrClosed).
//     Handle returns soon after, having ended what it started.
//   - An error means that the hook could not answer. It is never a refusal and
//     never consent: the registration's failure policy says what it counts as.
//     Return a *Failure to say what kind of failure it was.
//   - A panic counts as an error.
//   - In a group that is not parallel the input may be changed in place; in a
//     parallel group and in the background the hook has a copy.
type Handler interface {
	Handle(ctx context.Context, call *Call) (Result, error)
}

// HandlerFunc is a function that is a Handler.
type HandlerFunc func(ctx context.Context, call *Call) (Result, error)

// Handle calls f.
func (f HandlerFunc) Handle(ctx context.Context, call *Call) (Result, error) { return f(ctx, call) }

// Identifier is implemented by handlers of which two may be the same hook found
// in two places. In a parallel group, of registrations with the same identity
// only the first runs.
type Identifier interface{ Identity() string }

// Graceful is implemented by handlers that need time after their deadline to end
// what they started. The engine waits that much longer.
type Graceful interface{ Grace() time.Duration }

// Call is one run of a hook. A handler must not keep it after Handle has
// returned, save for the background part of an asynchronous answer.
type Call struct {
	// ID is unique among the runs of an engine.
	ID string
	// Hook describes the registration.
	Hook *Info
	// Input is the event's input.
	Input Input
	// Strict says that noise around an answer and unknown words count as failures.
	Strict bool
	// Background says that the hook was declared asynchronous: nobody waits for
	// its decision.
	Background bool
	// Report is what the handler wants the run's record to say; it may be set up
	// to the return of Handle.
	Report *Report

	progress func(Stream, []byte)
	goOn     func(time.Duration) bool
	base     Emission // what observers are told of every run, when there are any
}

// Stream is an output stream of a hook.
type Stream uint8

// The streams.
const (
	Stdout Stream = iota + 1
	Stderr
)

// Progress passes on output while the hook runs. The chunk is not kept. It does
// nothing when nobody observes.
func (c *Call) Progress(s Stream, chunk []byte) {
	if c.progress != nil && len(chunk) > 0 {
		c.progress(s, chunk)
	}
}

// GoOn tells the engine, while Handle still runs, that the hook goes on in the
// background: nobody waits any more, the run's context ends after the timeout (0
// means DefaultAsyncTimeout) or with the engine and no longer with the caller's, and
// what Handle returns in the end is the late answer. From then on Handle must not
// touch the input. It returns false when the run cannot go on like that, or is over
// already: return a Result with Async then. Call it at most once.
func (c *Call) GoOn(timeout time.Duration) bool { return c.goOn != nil && c.goOn(timeout) }

// Observed reports whether anybody would see progress.
func (c *Call) Observed() bool { return c.progress != nil }

// Report describes how a hook ran, for its record.
type Report struct {
	// ExitCode is a process's exit code, nil when there was no process or it was
	// ended by a signal.
	ExitCode *int
	// Signal names the signal that ended the process.
	Signal string
	// Stdout and Stderr are the output up to a cap; the byte counts are of all of
	// it.
	Stdout, Stderr           string
	StdoutBytes, StderrBytes int64
	// Truncated says that output was cut at the cap.
	Truncated bool
	// Notes are remarks on the answer, such as a key that means nothing.
	Notes []string
	// Asked says that the answer is a model's.
	Asked bool
	// Phases says where the time went.
	Phases Phases
}

// Phases is where a process's time went. A zero phase was not measured.
type Phases struct {
	Start time.Duration // until the process ran
	Stdin time.Duration // until it had taken its input
	Run   time.Duration // until it ended
	Drain time.Duration // until its output was read
}

// FailureKind says in what way a hook could not answer.
type FailureKind string

// The kinds of failure.
const (
	FailureError   FailureKind = "error"   // the hook reported an error
	FailureLaunch  FailureKind = "launch"  // it could not be started
	FailureExit    FailureKind = "exit"    // it ended with a code that means nothing
	FailureSignal  FailureKind = "signal"  // it was ended by a signal
	FailureTimeout FailureKind = "timeout" // it took too long
	FailureAnswer  FailureKind = "answer"  // what it said is not an answer
	FailurePanic   FailureKind = "panic"   // it panicked
	FailureLoad    FailureKind = "load"    // its registration could not be loaded
)

// Failure is the error of a hook that could not answer.
type Failure struct {
	Kind FailureKind
	Err  error
	// Closed has it count as a deny whatever the hook's policy says: the one whom the
	// hook guards against kept it from running.
	Closed bool
}

// Failf returns a *Failure with a formatted message.
func Failf(kind FailureKind, format string, args ...any) *Failure {
	return &Failure{Kind: kind, Err: fmt.Errorf(format, args...)}
}

func (f *Failure) Error() string { return f.Err.Error() }

// Unwrap returns the cause.
func (f *Failure) Unwrap() error { return f.Err }

// FailurePolicy says what the failure of a hook counts as.
type FailurePolicy uint8

// The policies.
const (
	FailDefault FailurePolicy = iota // as the event's row says, closed in strict mode
	FailOpen                         // no opinion; the failure is on record
	FailClosed                       // a deny, with the failure as its reason
	FailAsk                          // a question to the person
)

// String returns default, open, closed or ask.
func (p FailurePolicy) String() string {
	switch p {
	case FailOpen:
		return "open"
	case FailClosed:
		return "closed"
	case FailAsk:
		return "ask"
	}
	return "default"
}

// MarshalText returns the policy's word.
func (p FailurePolicy) MarshalText() ([]byte, error) { return []byte(p.String()), nil }
