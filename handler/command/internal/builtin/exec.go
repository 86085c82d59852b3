package builtin

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"mvdan.cc/sh/v3/interp"

	"github.com/hookline-dev/hookline/handler/process"
)

const (
	codeCannotRun = 126
	codeNotFound  = 127
	codeSignal    = 128
)

func aLongTimeAgo() time.Time { return time.Unix(1, 0) }

// exec runs a command that is neither a function nor one of the shell's.
func (c *caller) exec(ctx context.Context, args []string) error {
	hc := interp.HandlerCtx(ctx)
	if run := toolOf(args[0]); run != nil {
		t := &call{ctx: ctx, hc: hc, args: args, kept: c.program.kept}
		code, ok := t.run(run)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if ok {
			return status(code)
		}
		if t.replay != nil {
			again, err := inputFile(t.replay)
			if err != nil {
				return err
			}
			defer closeInput(again)
			hc.Stdin = again
		}
	}
	if p, sc := c.script(hc, args); p != nil {
		code, err := c.session.interpret(ctx, p, sc)
		if err != nil {
			return err
		}
		return status(code)
	}
	return c.external(ctx, hc, args[0], args[1:])
}

func status(code int) error {
	if code == 0 {
		return nil
	}
	return interp.ExitStatus(uint8(code))
}

// external starts a program. It gets the script's own files where it has such, so
// that programs read on where others stopped, and a pipe ends as pipes do.
func (c *caller) external(ctx context.Context, hc interp.HandlerContext, path string, args []string) error {
	spec := process.Spec{
		Path: path, Args: args, Dir: hc.Dir, Env: exported(hc.Env),
		StdoutLimit: -1, StderrLimit: -1, Through: true,
		Grace: c.session.spec.Grace, Drain: c.session.spec.Drain,
	}
	spec.StdinFile, _ = hc.Stdin.(*os.File)
	spec.StdoutFile, _ = hc.Stdout.(*os.File)
	spec.OnOutput = func(s process.Stream, b []byte) {
		if s == process.Stderr {
			hc.Stderr.Write(b)
		} else {
			hc.Stdout.Write(b)
		}
	}
	exit, err := process.Run(ctx, spec)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil:
		return c.notStarted(ctx, hc, path, args, err)
	case exit.Signal != "":
		return status(codeSignal + signalNumber(exit.Signal))
	}
	return status(exit.Code)
}

// notStarted reports what could not be started in the words of the shell.
func (c *caller) notStarted(ctx context.Context, hc interp.HandlerContext, path string, args []string, err error) error {
	start, ok := errors.AsType[*process.StartError](err)
	if !ok {
		return err
	}
	if len(args) > 1 && args[1] == reallyLine {
		c.session.watcher.fail(err) // the script would get an answer that is none
		return err
	}
	if start.Reason == process.ReasonBadFormat && path != "/bin/sh" {
		if !strings.Contains(path, "/") {
			if found, err := interp.LookPathDir(hc.Dir, hc.Env, path); err == nil {
				path = found
			}
		}
		return c.external(ctx, hc, "/bin/sh", append([]string{path}, args...)) // a script without its first line
	}
	code, what := codeCannotRun, start.Reason.String()
	switch start.Reason {
	case process.ReasonNotFound, process.ReasonUnsafePath:
		code, what = codeNotFound, "not found"
		if c.program.lang == Bash {
			what = "command not found"
			if strings.Contains(path, "/") {
				what = "No such file or directory"
			}
		}
	case process.ReasonNotExecutable:
		what = "Permission denied"
	}
	fmt.Fprintf(hc.Stderr, "%s%s: %s\n", c.where(hc), path, what)
	return status(code)
}

// where is how the shell begins its messages.
func (c *caller) where(hc interp.HandlerContext) string {
	if c.program.lang == Bash {
		return fmt.Sprintf("%s: line %d: ", c.name, hc.Pos.Line())
	}
	return fmt.Sprintf("%s: %d: ", c.name, hc.Pos.Line())
}

// call is one call of a command that runs in this process.
type call struct {
	ctx  context.Context
	hc   interp.HandlerContext
	args []string // with the name
	kept *cache

	replay []byte // standard input that was read before it was known that the tool cannot do it
}

// tool runs a command. It reports false, having written nothing, when it is called in a
// way that it does not know: then the real one runs.
type tool func(t *call) (code int, ok bool)

// run runs a tool. A write that failed because nobody reads ends it as a signal ends a
// process.
func (t *call) run(fn tool) (code int, ok bool) {
	if f, isFile := t.hc.Stdin.(*os.File); isFile {
		defer interrupt(t.ctx, f)()
	}
	return fn(t)
}

func (t *call) stdin() io.Reader {
	if t.hc.Stdin == nil {
		return strings.NewReader("")
	}
	return checked{t.ctx, t.hc.Stdin}
}

// checked reads until its context ends.
type checked struct {
	ctx context.Context
	r   io.Reader
}

func (c checked) Read(b []byte) (int, error) {
	if err := c.ctx.Err(); err != nil {
		return 0, err
	}
	return c.r.Read(b)
}

// errorf writes a message as the tool's.
func (t *call) errorf(format string, args ...any) {
	fmt.Fprintf(t.hc.Stderr, t.args[0]+": "+format+"\n", args...)
}

// write writes, and returns the exit code of the tool if that fails.
func (t *call) write(b []byte) (code int, ok bool) {
	if _, err := t.hc.Stdout.Write(b); err != nil {
		return codeSignal + 13, false
	}
	return 0, true
}
