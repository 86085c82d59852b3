package script

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/hookline-dev/hookline/handler/process"
	"github.com/hookline-dev/hookline/handler/script/internal/node"
)

// execGrace is the time between TERM and KILL for a program that pi.exec ends.
const execGrace = 5 * time.Second

// execOutput bounds each stream of a program, in bytes.
const execOutput = 64 << 20

type execArgs struct {
	Command string   `json:"command"`
	Args    []string `json:"args"`
	Cwd     string   `json:"cwd"`
	Timeout float64  `json:"timeout"` // milliseconds
}

type execResult struct {
	Stdout string `json:"stdout"`
	Stderr string `json:"stderr"`
	Code   int    `json:"code"`
	Killed bool   `json:"killed"`
	// Truncated says that there was more output than is kept.
	Truncated bool `json:"truncated"`
}

// exec runs a program for pi.exec: no shell, nothing on its standard input,
// both streams whole. It fails when the module may not run programs, and in modules of
// oh-my-pi when the program could not be started; in those of pi that has code 1 and
// says why on standard error. One that a signal ended has 128 and its number, as in a shell.
func (i *instance) exec(ctx context.Context, text []byte) ([]byte, error) {
	if g := i.m.opts.Grants; !g.Exec && !g.All {
		return nil, &node.Error{
			Code: "ERR_ACCESS_DENIED", Permission: "exec", Resource: "pi.exec",
			Message: "Access to this API has been restricted: the hook needs the grant \"exec\"",
		}
	}
	var a execArgs
	if err := json.Unmarshal(text, &a); err != nil {
		return nil, fmt.Errorf("reading the command: %w", err)
	}
	run := ctx
	if a.Timeout > 0 {
		var cancel context.CancelFunc
		run, cancel = context.WithTimeout(ctx, time.Duration(a.Timeout*float64(time.Millisecond)))
		defer cancel()
	}
	exit, err := process.Run(run, process.Spec{
		Path: a.Command, Args: a.Args, Dir: i.execDir(a.Cwd), Env: i.m.opts.Env,
		StdoutLimit: execOutput, StderrLimit: execOutput, Grace: execGrace,
	})
	if err != nil {
		e, ok := errors.AsType[*process.StartError](err)
		switch {
		case ok && i.m.opts.Family == FamilyOMP: // as oh-my-pi 17.3.5 does: a guard without its program has failed
			return nil, errors.New(notStarted(e))
		case ok:
			return value(execResult{Code: 1, Stderr: notStarted(e)})
		}
		return value(execResult{Code: signalCode + node.Signals()["SIGTERM"], Killed: true})
	}
	r := execResult{
		Stdout: strings.ToValidUTF8(string(exit.Stdout), "\ufffd"),
		Stderr: strings.ToValidUTF8(string(exit.Stderr), "\ufffd"),
		Code:   exit.Code, Killed: exit.Ended(), Truncated: exit.StdoutTruncated || exit.StderrTruncated,
	}
	if exit.Code < 0 {
		r.Code = signalCode + node.Signals()[exit.Signal]
	}
	if r.Truncated && r.Code == 0 {
		r.Code = 1 // what is not whole must not pass for success
	}
	return value(r)
}

// signalCode is what the code of a program has besides the number of the signal that
// ended it.
const signalCode = 128

// notStarted says why a program could not be started, in Node's words where they are
// what modules look for.
func notStarted(e *process.StartError) string {
	switch e.Reason {
	case process.ReasonNotFound, process.ReasonNoInterpreter, process.ReasonBadDir:
		return "spawn " + e.Path + " ENOENT"
	case process.ReasonNotExecutable:
		return "spawn " + e.Path + " EACCES"
	}
	return e.Error()
}

// execDir is where a program runs: what the module said, relative to the
// session's directory.
func (i *instance) execDir(cwd string) string {
	base := i.m.opts.Cwd
	if s, ok := i.m.opts.Host.(SessionReader); ok {
		base = s.Cwd()
	}
	switch {
	case cwd == "":
		return base
	case filepath.IsAbs(cwd):
		return cwd
	default:
		return filepath.Join(base, cwd)
	}
}
