package procrun

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/hookline-dev/hookline/handler"
	"github.com/hookline-dev/hookline/handler/internal/text"
	"github.com/hookline-dev/hookline/handler/process"
	"github.com/hookline-dev/hookline/hook"
)

// deadlineVariable is the environment variable that tells a hook how many
// milliseconds it has from its start. It is absent when there is no deadline.
const deadlineVariable = "HOOK_DEADLINE_MS"

// perRun are variables that differ from run to run, which a process that was started
// ahead does without.
func perRun() []string { return []string{deadlineVariable, "TRACEPARENT", "TRACESTATE"} }

// Ahead makes the hook's share of a pool when it is first asked for. The zero value is
// ready; it must not be copied after use.
type Ahead struct {
	once sync.Once
	a    *process.Ahead
}

// Of returns the share, nil without a pool or with n of 0.
func (a *Ahead) Of(pool *process.Pool, n int, check func() error) *process.Ahead {
	a.once.Do(func() {
		if pool != nil && n > 0 {
			a.a = &process.Ahead{Pool: pool, N: n, Without: perRun(), Check: check}
		}
	})
	return a.a
}

// Job is one run of a hook.
type Job struct {
	// Spec says what to run. Stdin and OnOutput are set by Run, which also puts the
	// deadline into Env and so takes that slice over.
	Spec process.Spec
	// Codec translates the input and the answer.
	Codec handler.Codec
	// Limiter bounds how many hooks run at once; nil means no bound.
	Limiter *process.Limiter
	// Notes are the first remarks of the record.
	Notes []string
	// Text is the command as a person wrote it, PlainSh says that a shell ran it
	// which need not be bash. Both serve to explain failures.
	Text    string
	PlainSh bool
	// Run runs the spec in place of process.Run, nil. Its error is as process.Run's.
	Run func(context.Context, process.Spec) (*process.Exit, error)
	// Ahead, if not nil, runs the spec by a process that was started ahead, as long as
	// Files have not changed.
	Ahead *process.Ahead
	Files []string
	// Copies, if not "", is the directory of private copies that the spec runs from, and
	// Original the one that they are copies of. What a shell or an interpreter says on
	// stderr about the former names the latter: that is where the hook's author looks.
	Copies, Original string
	// Verify, if not nil, is called when the program has ended; its error says that
	// the answer does not count.
	Verify func() error
}

// run is a job with its call.
type run struct {
	Job
	call    *hook.Call
	release func() // gives the limiter's place back, once
	how     string // what start says about how it ran
}

// Run runs the job. The error is a *hook.Failure when the hook could not answer,
// and the cause of the context when that ended first.
func Run(ctx context.Context, call *hook.Call, job Job) (hook.Result, error) {
	call.Report = &hook.Report{Notes: slices.Clone(job.Notes)}
	if job.Codec == nil {
		return hook.Result{}, hook.Failf(hook.FailureLaunch, "the hook has no codec")
	}
	input, err := job.Codec.EncodeInput(call)
	if err != nil {
		return hook.Result{}, hook.Failf(hook.FailureError, "encode the input: %w", err)
	}
	r := &run{Job: job, call: call}
	r.Spec.Stdin = input
	release, err := r.queue(ctx)
	if err != nil {
		return hook.Result{}, fmt.Errorf("wait for a free place: %w", err)
	}
	r.release = release
	defer release()
	r.prepare(ctx)
	if codec, ok := job.Codec.(handler.AsyncCodec); ok {
		return r.watched(ctx, codec)
	}
	exit, err := r.start(ctx)
	return r.ended(turn{exit, err}, 0)
}

// start runs the spec to its end.
func (r *run) start(ctx context.Context) (*process.Exit, error) {
	exit, err := r.launch(ctx)
	if r.Copies == "" {
		return exit, err
	}
	if exit != nil {
		exit.Stderr = bytes.ReplaceAll(exit.Stderr, []byte(r.Copies), []byte(r.Original))
	}
	if err != nil && strings.Contains(err.Error(), r.Copies) {
		err = &renamed{strings.ReplaceAll(err.Error(), r.Copies, r.Original), err}
	}
	return exit, err
}

// renamed is an error in other words.
type renamed struct {
	text string
	err  error
}

func (e *renamed) Error() string { return e.text }
func (e *renamed) Unwrap() error { return e.err }

func (r *run) launch(ctx context.Context) (exit *process.Exit, err error) {
	switch {
	case r.Job.Run != nil:
		return r.Job.Run(ctx, r.Spec)
	case r.Ahead != nil:
		exit, r.how, err = r.Ahead.Run(ctx, r.Spec, r.Files)
		return exit, err
	}
	return process.Run(ctx, r.Spec)
}

// queue waits for a place. The hook's clock stands still meanwhile: its time
// counts from its start.
func (r *run) queue(ctx context.Context) (release func(), err error) {
	if r.Limiter == nil {
		return func() {}, nil
	}
	resume := hook.PauseClock(ctx)
	defer resume()
	release, waited, err := r.Limiter.Acquire(ctx, process.Urgency(!r.call.Background))
	if waited > 0 {
		r.note("waited %v for a free place", waited.Round(time.Millisecond))
	}
	return release, err
}

// prepare completes the spec.
func (r *run) prepare(ctx context.Context) {
	// What an outer hook was told is not true of this one.
	r.Spec.Env = slices.DeleteFunc(r.Spec.Env, func(kv string) bool { return strings.HasPrefix(kv, deadlineVariable+"=") })
	if at, ok := ctx.Deadline(); ok {
		left := max(time.Until(at).Milliseconds(), 1)
		r.Spec.Env = append(r.Spec.Env, deadlineVariable+"="+strconv.FormatInt(left, 10))
	}
	if r.call.Observed() {
		r.Spec.OnOutput = func(s process.Stream, chunk []byte) {
			if s == process.Stderr {
				r.call.Progress(hook.Stderr, chunk)
			} else {
				r.call.Progress(hook.Stdout, chunk)
			}
		}
	}
}

func (r *run) note(format string, args ...any) {
	r.call.Report.Notes = append(r.call.Report.Notes, fmt.Sprintf(format, args...))
}

// settle turns the end of the process into an answer. What stands in stdout
// before offset has been read already.
func (r *run) settle(exit *process.Exit, offset int) (hook.Result, error) {
	r.report(exit)
	if r.how != "" {
		r.note("%s", r.how)
	}
	if exit.Ended() {
		return hook.Result{}, endedFailure(exit)
	}
	if r.Verify != nil {
		if err := r.Verify(); err != nil {
			return hook.Result{}, &hook.Failure{Kind: hook.FailureLaunch, Err: err}
		}
	}
	found := r.diagnose(exit)
	r.call.Report.Notes = append(r.call.Report.Notes, found.notes...)
	res, notes, err := r.Codec.DecodeResult(r.call, handler.Answer{
		ExitCode: exit.Code, Signal: exit.Signal,
		Stdout: exit.Stdout[min(offset, len(exit.Stdout)):], Stderr: exit.Stderr, StdoutTruncated: exit.StdoutTruncated,
	})
	r.call.Report.Notes = append(r.call.Report.Notes, notes...)
	switch {
	case err != nil && found.launch != "":
		r.note("it did not start: %s", found.launch)
		return hook.Result{}, hook.Failf(hook.FailureLaunch, "%s: %w", found.launch, err)
	case err != nil:
		return hook.Result{}, err
	case found.launch != "" && exit.Code == exitBlocks && refuses(&res):
		// It refuses as the exit code says, but nobody decided it.
		r.note("it did not start: %s", found.launch)
		if r.call.Input.Event().Spec().CanFailClosed() {
			return hook.Result{}, &hook.Failure{Kind: hook.FailureLaunch, Err: errors.New(found.launch), Closed: true}
		}
	case exit.Code < 0 && !refuses(&res):
		// A crash is not consent, whatever was printed before it.
		return hook.Result{}, hook.Failf(hook.FailureSignal, "%v; what it answered before does not count", exit)
	case exit.Code < 0:
		r.note("%v after it had refused", exit)
	}
	return res, nil
}

func refuses(res *hook.Result) bool {
	return res.Decision == hook.DecisionDeny || res.Cancel || res.Continue == hook.No
}

// launchFailure is the error of a process that never ran.
func launchFailure(err error) error {
	if start, ok := errors.AsType[*process.StartError](err); ok {
		return &hook.Failure{Kind: hook.FailureLaunch, Err: err, Closed: start.Reason == process.ReasonSandbox}
	}
	return err // its context had ended
}

// endedFailure is the error of a process that was ended from here. What it
// printed is not an answer.
func endedFailure(exit *process.Exit) error {
	how := "its process was ended"
	if exit.Signal != "" {
		how += " by " + exit.Signal
	}
	if line := text.LastLine(exit.Stderr); line != "" {
		how += "; the last line of its stderr: " + line
	}
	if len(exit.Survivors) > 0 {
		how += fmt.Sprintf("; still running: %v", exit.Survivors)
	}
	if exit.TimedOut || errors.Is(exit.Cause, hook.ErrTimeout) {
		return hook.Failf(hook.FailureTimeout, "%s: %w", how, exit.Cause)
	}
	return fmt.Errorf("%s: %w", how, exit.Cause)
}

// endMargin is what ending a process may take beyond its grace, on a machine that has
// a lot else to do.
const endMargin = time.Second

// EndTime returns how long ending a process may take whose Spec has this grace.
func EndTime(grace time.Duration) time.Duration {
	if grace == 0 {
		grace = process.DefaultGrace
	}
	return max(grace, 0) + endMargin
}
