package worker

import (
	"context"
	"fmt"
	"time"

	"github.com/hookline-dev/hookline/handler/process"
	"github.com/hookline-dev/hookline/sandbox"
	"github.com/hookline-dev/hookline/ui"
)

// Host is what a worker may ask of the agent around it. Implementations are safe
// for concurrent use. Messages and metadata of the session come from the call's own
// input, see hook.Session.
type Host interface {
	// UI returns who answers dialogs; nil is nobody.
	UI() ui.UI
}

// Executor is implemented by hosts that run programs for workers. Without it a
// worker that asks for one is told that this host does not.
type Executor interface {
	// Exec runs a program to its end, within the wall that the worker stays within, nil for
	// none. That it failed is in the result; an error means that it could not be run.
	Exec(ctx context.Context, e Exec, wall *sandbox.Wall) (ExecResult, error)
}

// Exec is a program to run.
type Exec struct {
	Command string   `json:"command" doc:"the program; no shell sees it"`
	Args    []string `json:"args,omitempty" doc:"its arguments"`
	Dir     string   `json:"dir,omitzero" doc:"its working directory; the session's by default"`
	Stdin   string   `json:"stdin,omitzero" doc:"its input"`
	// TimeoutMS bounds it, in milliseconds; 0 leaves that to the call.
	TimeoutMS int64 `json:"timeout_ms,omitzero" doc:"how long it may take, in milliseconds; as long as the call by default"`
}

// ExecResult is what became of it.
type ExecResult struct {
	Code      int    `json:"code" doc:"its exit code, -1 when a signal ended it"`
	Stdout    string `json:"stdout" doc:"its output"`
	Stderr    string `json:"stderr" doc:"the end of its standard error"`
	TimedOut  bool   `json:"timed_out,omitzero" doc:"whether it was ended because it took too long"`
	Truncated bool   `json:"truncated,omitzero" doc:"whether output was cut"`
}

// noHost is a host with no person that runs nothing.
type noHost struct{}

// UI returns nil.
func (noHost) UI() ui.UI { return nil }

// Local is a host that runs programs on this machine. Its zero value has no person
// and the environment of the command.
type Local struct {
	// Person answers dialogs; nil is nobody.
	Person ui.UI
	// Env is the environment of programs, as process.Spec has it.
	Env []string
}

var (
	_ Host     = Local{}
	_ Executor = Local{}
)

// UI returns the person.
func (l Local) UI() ui.UI { return l.Person }

// Exec runs a program and its children within the bounds of ctx and e.
func (l Local) Exec(ctx context.Context, e Exec, wall *sandbox.Wall) (ExecResult, error) {
	if e.TimeoutMS > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, time.Duration(e.TimeoutMS)*time.Millisecond)
		defer cancel()
	}
	exit, err := process.Run(ctx, process.Spec{Path: e.Command, Args: e.Args, Dir: e.Dir, Env: l.Env, Stdin: []byte(e.Stdin), Wall: wall})
	if err != nil {
		return ExecResult{}, fmt.Errorf("run %q: %w", e.Command, err)
	}
	return ExecResult{
		Code: exit.Code, Stdout: string(exit.Stdout), Stderr: string(exit.Stderr),
		TimedOut: exit.TimedOut, Truncated: exit.StdoutTruncated || exit.StderrTruncated,
	}, nil
}
