package executable

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"github.com/hookline-dev/hookline/handler"
	"github.com/hookline-dev/hookline/handler/internal/procrun"
	"github.com/hookline-dev/hookline/handler/process"
	"github.com/hookline-dev/hookline/hook"
	"github.com/hookline-dev/hookline/sandbox"
)

// The verbs.
const (
	verbType = "hook"
	verbRun  = "run"
)

// Hook is a hook that runs a program's second verb. Set its fields before its
// first use and none after it; it is then safe for concurrent use. It must not be
// copied after its first use.
type Hook struct {
	// Path is the program.
	Path string
	// Name is the hook's name, which the program finds in HOOKLINE_HOOK; "" stands
	// for the registration's name.
	Name string
	// Dir is the directory to work in, "" for the event's.
	Dir string
	// ProjectDir is the project, which the program finds in HOOKLINE_PROJECT_DIR.
	ProjectDir string
	// Trusted says whether a program with this content may be run. The digest is
	// "sha256:" and the sum in hexadecimal. Nil trusts nothing.
	Trusted func(path, digest string) bool

	// Dirs are the directories to work in when the event's cannot be used, in
	// order. When none can, the hook does not start.
	Dirs []string
	// Base is the environment as KEY=VALUE to which HOOKLINE=1 and the facts above
	// are added. Nil is this program's own without credentials, loader variables
	// and the like; see process.Environ.
	Base []string

	// Codec translates the input and the answer.
	Codec handler.Codec
	// Limiter bounds how many hooks run at once; nil means no bound. Waiting does not
	// count against the hook's time.
	Limiter *process.Limiter
	// StdoutLimit and StderrLimit bound what is kept of the output, in bytes; 0 is
	// process.DefaultOutputLimit.
	StdoutLimit, StderrLimit int
	// KillAfter is the time between SIGTERM and SIGKILL; 0 is
	// process.DefaultGrace.
	KillAfter time.Duration

	// Wall, when not nil, is what the program stays within.
	Wall *sandbox.Wall
	// Prewarm is how many processes are kept in Pool that were started ahead of the next
	// event and wait for their input. A program is admitted by Trusted before it is
	// started ahead and again when its event comes, and one that was changed in between,
	// even if only for a moment, is thrown away. What the program does before it reads its input
	// happens ahead of the event. 0 keeps none.
	Prewarm int
	// Pool keeps the processes that were started ahead, for this hook and others. It
	// is the caller's, to close when the session ends.
	Pool *process.Pool
	// WarmFiles are further files that the program reads when it starts, such as helper
	// modules: when one has changed, what was started ahead is thrown away. Names are
	// absolute or relative to the working directory.
	WarmFiles []string
	// Copies, if not "", is a directory of private copies that the program runs from, and
	// Original the one that they are copies of: what the hook's record says about files
	// names the latter.
	Copies, Original string

	env   procrun.Environment
	ahead procrun.Ahead
	file  content
}

var (
	_ hook.Handler    = (*Hook)(nil)
	_ hook.Identifier = (*Hook)(nil)
	_ hook.Graceful   = (*Hook)(nil)
)

// Handle runs the program for an event. A program that is not trusted, cannot be
// read or cannot be started is a *hook.Failure of kind FailureLaunch; its cause
// is an *UntrustedError in the first case. What ends with the context is an error
// of its cause.
func (h *Hook) Handle(ctx context.Context, call *hook.Call) (hook.Result, error) {
	job, err := h.job(call)
	if err != nil {
		return hook.Result{}, err
	}
	return procrun.Run(ctx, call, job)
}

// Warm starts the processes ahead for events like that of call, before the first one
// comes, and returns at once. Without Prewarm and Pool it does nothing. The errors are
// those of Handle.
func (h *Hook) Warm(call *hook.Call) error {
	job, err := h.job(call)
	if err != nil || job.Ahead == nil {
		return err
	}
	return job.Ahead.Fill(job.Spec, job.Files)
}

// job returns what a call runs, if the program may be run.
func (h *Hook) job(call *hook.Call) (procrun.Job, error) {
	path, err := filepath.Abs(h.Path)
	if err != nil {
		return procrun.Job{}, hook.Failf(hook.FailureLaunch, "find %s: %w", strconv.Quote(h.Path), err)
	}
	seen, err := h.file.admit(path, h.Trusted)
	if err != nil {
		return procrun.Job{}, &hook.Failure{Kind: hook.FailureLaunch, Err: err}
	}
	dir, note, err := procrun.WorkDir(cmp.Or(h.Dir, call.Input.Base().CWD), h.Dirs)
	if err != nil {
		return procrun.Job{}, err
	}
	job := procrun.Job{
		Codec: h.Codec, Limiter: h.Limiter, Text: path,
		Spec: process.Spec{
			Path: path, Args: []string{verbRun}, Dir: dir, Env: h.env.With(h.Base, slices.Concat(handler.EnvironOf(call.Input), h.facts(call))),
			StdoutLimit: h.StdoutLimit, StderrLimit: h.StderrLimit, Grace: h.KillAfter, Wall: h.Wall,
		},
		Ahead: h.ahead.Of(h.Pool, h.Prewarm, func() error {
			_, err := h.file.admit(path, h.Trusted)
			return err
		}),
		Verify: func() error { return unchanged(path, seen) },
		Copies: h.Copies, Original: h.Original,
	}
	if job.Ahead != nil {
		job.Files = append([]string{path}, h.WarmFiles...)
	}
	if note != "" {
		job.Notes = []string{note}
	}
	return job, nil
}

// facts are the variables that a run gets beyond the ordinary environment.
func (h *Hook) facts(call *hook.Call) []string {
	name := h.Name
	if name == "" && call.Hook != nil {
		name = call.Hook.Name
	}
	set := []string{
		"HOOKLINE=1",
		"HOOKLINE_EVENT=" + call.Input.Event().String(),
		"HOOKLINE_HOOK=" + name,
	}
	if h.ProjectDir != "" {
		set = append(set, "HOOKLINE_PROJECT_DIR="+h.ProjectDir)
	}
	return set
}

// Identity tells hooks apart by their program.
func (h *Hook) Identity() string {
	path, err := filepath.Abs(h.Path)
	if err != nil {
		path = h.Path
	}
	return fmt.Sprintf("executable:%s", path)
}

// Grace returns how long ending the program may take after its deadline.
func (h *Hook) Grace() time.Duration { return procrun.EndTime(h.KillAfter) }
