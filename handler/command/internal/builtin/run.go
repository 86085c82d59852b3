package builtin

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"runtime/debug"
	"sync"
	"time"
	"unicode/utf8"

	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/interp"

	"github.com/hookline-dev/hookline/handler/process"
)

// Run runs the program with the directory, environment, standard input, limits and
// OnOutput of a spec, and says what became of it as [process.Run] does. Path, Args and
// what is for processes only have no effect. The context is looked at between any two
// commands, and by those that wait.
//
// The error is non-nil, and the exit nil, when the script did not run or not to its
// end for a reason of this package: its context had ended before, it met at run time what
// is unsupported, or took more memory than it may.
func (p *Program) Run(ctx context.Context, spec process.Spec) (exit *process.Exit, err error) {
	if ctx.Err() != nil {
		return nil, fmt.Errorf("start the script: %w", context.Cause(ctx))
	}
	if !utf8.Valid(spec.Stdin) || bytes.IndexByte(spec.Stdin, 0) >= 0 {
		return nil, errors.New("start the script: its input is not UTF-8, which the built-in shell would change")
	}
	began := time.Now()
	stretch(0)
	input, err := inputFile(spec.Stdin)
	if err != nil {
		return nil, fmt.Errorf("keep the input of the script: %w", err)
	}
	defer closeInput(input)
	if spec.Env == nil {
		spec.Env, _ = process.Environ(os.Environ(), nil, process.EnvPolicy{})
	}
	var lock sync.Mutex
	stdout := &output{stream: process.Stdout, limit: limit(spec.StdoutLimit), notify: spec.OnOutput, shared: &lock}
	stderr := &output{stream: process.Stderr, limit: limit(spec.StderrLimit), notify: spec.OnOutput, shared: &lock}
	bounded, watcher, stop := watch(ctx, p.Memory)
	s := &session{spec: spec, watcher: watcher}
	started := time.Now()
	sc := script{env: p.kept.env.get(spec.Env), dir: spec.Dir, stdin: input, stdout: stdout, stderr: stderr, arg0: p.file.Name}
	run := p
	if file, with := (&caller{session: s, program: p}).called(sc); file != nil {
		run, sc = file, with
	}
	code, err := s.interpret(bounded, run, sc)
	if failed := stop(); failed != nil {
		return nil, failed
	}
	exit = &process.Exit{Pid: os.Getpid(), Code: code}
	switch {
	case err == nil: // it ended by itself, however late
	case ctx.Err() == nil:
		return nil, err
	default:
		exit.Code, exit.Cause = -1, context.Cause(ctx)
		exit.TimedOut = errors.Is(ctx.Err(), context.DeadlineExceeded) || errors.Is(exit.Cause, context.DeadlineExceeded)
		exit.Cancelled = !exit.TimedOut
	}
	exit.Stdout, exit.StdoutBytes, exit.StdoutTruncated = stdout.result()
	exit.Stderr, exit.StderrBytes, exit.StderrTruncated = stderr.result()
	exit.StdinBytes = int64(len(spec.Stdin))
	exit.Phases.Start, exit.Phases.Run = started.Sub(began), time.Since(started)
	exit.Duration = time.Since(began)
	return exit, nil
}

// stretch makes room on the goroutine's stack while there is little on it: the
// interpreter goes deep, and to grow a stack is to copy what is on it.
//
//go:noinline
func stretch(i int) byte {
	var room [24 << 10]byte
	room[i] = 1
	return room[len(room)-1-i]
}

// limit resolves a limit as package process does.
func limit(n int) int {
	switch {
	case n == 0:
		return process.DefaultOutputLimit
	case n < 0:
		return 0
	}
	return n
}

// session is one run of a program, with the scripts that it calls.
type session struct {
	spec    process.Spec
	watcher *watcher
}

// script is what one script of a session runs with.
type script struct {
	env            *environ
	dir            string
	stdin          *os.File
	stdout, stderr anyWriter
	arg0           string
	args           []string
	depth          int // how many scripts in this process called it, one the other
}

// interpret runs a script and returns its exit code. The error is one that is not the
// script's: the code means nothing then.
func (s *session) interpret(ctx context.Context, p *Program, sc script) (code int, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("the built-in shell failed: %v\n%s", r, debug.Stack())
		}
	}()
	c := &caller{session: s, program: p, name: sc.arg0, depth: sc.depth}
	runner, err := interp.New(
		interp.Env(sc.env), interp.Dir(sc.dir), interp.StdIO(sc.stdin, sc.stdout, sc.stderr), interp.Params(append([]string{"--"}, sc.args...)...),
		interp.CallHandler(c.call), interp.OpenHandler(c.open), interp.ReadDirHandler2(c.readDir),
		interp.ExecHandlers(func(interp.ExecHandlerFunc) interp.ExecHandlerFunc { return c.exec }),
	)
	if err != nil {
		return 0, fmt.Errorf("start the built-in shell: %w", err)
	}
	// The interpreter leaves a copy of all variables there, which nobody needs: it is
	// cheaper with room from before.
	vars, _ := p.kept.vars.Get().(map[string]expand.Variable)
	runner.Vars = vars
	err = runner.Run(ctx, p.file)
	clear(runner.Vars)
	p.kept.vars.Put(runner.Vars)
	if status, ok := errors.AsType[interp.ExitStatus](err); ok {
		return int(status), nil
	}
	return 0, err
}
