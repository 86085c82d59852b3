package executable

import (
	"context"
	"fmt"
	"path/filepath"
	"strconv"
	"time"

	"github.com/hookline-dev/hookline/handler"
	"github.com/hookline-dev/hookline/handler/internal/procrun"
	"github.com/hookline-dev/hookline/handler/process"
	"github.com/hookline-dev/hookline/hook"
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
	// Limiter bounds how many hooks run at once; nil is no bound. Waiting does not
	// count against the hook's time.
	Limiter *process.Limiter
	// StdoutLimit and StderrLimit bound what is kept of the output, in bytes; 0 is
	// process.DefaultOutputLimit.
	StdoutLimit, StderrLimit int
	// KillAfter is the time between SIGTERM and SIGKILL; 0 is
	// process.DefaultGrace.
	KillAfter time.Duration

	env  procrun.Environment
	file content
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
	path, err := filepath.Abs(h.Path)
	if err != nil {
		return hook.Result{}, hook.Failf(hook.FailureLaunch, "find %s: %w", strconv.Quote(h.Path), err)
	}
	seen, err := h.file.admit(path, h.Trusted)
	if err != nil {
		return hook.Result{}, &hook.Failure{Kind: hook.FailureLaunch, Err: err}
	}
	dir, note, err := procrun.WorkDir(call.Input.Base().CWD, h.Dirs)
	if err != nil {
		return hook.Result{}, err
	}
	job := procrun.Job{
		Codec: h.Codec, Limiter: h.Limiter, Text: path,
		Spec: process.Spec{
			Path: path, Args: []string{verbRun}, Dir: dir, Env: h.env.With(h.Base, h.facts(call)),
			StdoutLimit: h.StdoutLimit, StderrLimit: h.StderrLimit, Grace: h.KillAfter,
		},
		Verify: func() error { return unchanged(path, seen) },
	}
	if note != "" {
		job.Notes = []string{note}
	}
	return procrun.Run(ctx, call, job)
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
