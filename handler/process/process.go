package process

import (
	"context"
	"errors"
	"io"
	"os"
	"runtime"
	"sync"
	"sync/atomic"
	"time"
)

// Process is a started process. All methods may be called concurrently.
//
// Its context ends it; so does Kill. One of both, or the process's own end, has
// to come: until then its goroutines run.
type Process struct {
	spec    Spec
	cmd     *os.Process
	release func() // lets go of the wall; nil without one
	tree    *tree
	stdin   *feeder   // nil if the input was empty or fitted the pipe at once
	input   *inputEnd // our end of the input's pipe until the process has started
	rest    []byte    // input still to be written then
	out     *reader   // nil if the caller reads standard output
	err     *reader   // never nil
	stdout  *os.File  // the caller's, if it asked for it

	began     time.Time // before the first attempt to start
	started   time.Time // once the program runs
	prefilled int64     // input that the pipe took at once
	pumped    bool      // the supervisor reads the output itself
	reading   atomic.Int32
	drained   chan struct{} // closed when the last reader beside it has ended
	gone      chan struct{} // closed when the process itself has ended
	done      chan struct{} // closed when exit is set

	mu       sync.Mutex
	govern   int         // counts the contexts that governed it
	unwatch  func() bool // releases the present one
	exited   bool
	hurry    bool // the context ended while the output was drained
	stopping bool
	cause    error
	timedOut bool
	stopped  chan struct{} // closed when the tree has been killed
	left     []int         // what survived that

	exit *Exit
	over time.Time // when it ended; valid once done
}

// Run runs a process to its end and returns what became of it. The error is
// non-nil, and the Exit nil, only if the process never started: a [*StartError],
// or the cause of a context that had ended before. That a process failed,
// timed out or was cancelled is told by the Exit.
//
// The context bounds the whole run, writing and reading included; Run returns
// at most the grace, the drain and a moment for killing after it. Only a process
// that the system itself cannot kill, blocked inside the kernel, takes longer.
func Run(ctx context.Context, spec Spec) (*Exit, error) {
	runtime.LockOSThread() // see supervise
	p, err := launch(ctx, spec)
	if err != nil {
		runtime.UnlockOSThread()
		return nil, err
	}
	p.Govern(ctx)
	p.supervise()
	return p.exit, nil
}

// Start starts a process and returns while it runs. The error is as for [Run].
// The context governs the process, not the start alone; see [Process.Govern].
func Start(ctx context.Context, spec Spec) (*Process, error) {
	type result struct {
		p   *Process
		err error
	}
	started := make(chan result, 1)
	go func() {
		runtime.LockOSThread() // see supervise
		p, err := launch(ctx, spec)
		if err == nil {
			p.Govern(ctx)
		}
		started <- result{p, err}
		if err != nil {
			runtime.UnlockOSThread()
			return
		}
		p.supervise()
	}()
	r := <-started
	return r.p, r.err
}

// Pid returns the process id. It means nothing once the process is done.
func (p *Process) Pid() int { return p.cmd.Pid }

// ended reports whether the process has ended, as far as the system tells.
func (p *Process) ended() bool {
	select {
	case <-p.gone:
		return true
	default:
		return hasEnded(p.cmd)
	}
}

// Done is closed when the process has ended, its output has been read, and Wait
// returns at once.
func (p *Process) Done() <-chan struct{} { return p.done }

// Wait waits for the end and returns it. It may be called any number of times.
// The Exit is shared: do not change it.
func (p *Process) Wait() *Exit {
	<-p.done
	return p.exit
}

// Feed writes payload to a process that was started with [Spec.StdinLater] and
// closes its standard input. It returns at once; payload must not be changed
// until the process is done. A second call returns [ErrFed].
func (p *Process) Feed(payload []byte) error {
	if p.stdin == nil || !p.spec.StdinLater {
		return ErrFed
	}
	return p.stdin.feed(payload)
}

// Writer is the hand on a process's standard input.
type Writer interface {
	io.WriteCloser
	// SetWriteDeadline bounds writes, and fails where pipes have no deadlines; see
	// [os.File.SetWriteDeadline].
	SetWriteDeadline(t time.Time) error
}

// Reader is the hand on a process's standard output.
type Reader interface {
	io.ReadCloser
	// SetReadDeadline bounds reads, and fails where pipes have no deadlines; see
	// [os.File.SetReadDeadline].
	SetReadDeadline(t time.Time) error
}

// Stdin returns the open standard input of a process that was started with
// [Spec.StdinLater], or nil. Writes fail once the process has ended.
func (p *Process) Stdin() Writer {
	if p.stdin == nil || !p.spec.StdinLater {
		return nil
	}
	return stdinWriter{p.stdin}
}

// Stdout returns the standard output of a process that was started with
// [Spec.StdoutPipe], or nil. The caller reads and closes it. What the process
// wrote can be read after its end too; if a child holds the pipe open, a read
// that finds nothing fails with os.ErrDeadlineExceeded once [Spec.Drain] is over
// (not on Windows, where it goes on to wait). SetReadDeadline is for use before the
// end.
func (p *Process) Stdout() Reader {
	if p.stdout == nil {
		return nil
	}
	return stdoutReader{p.stdout}
}

// head waits until enough is true of the standard output so far, and returns
// that. It also returns when there will be no more, when the limit is reached,
// and, with the cause as error, when ctx ends; the process goes on. The slice
// must not be changed.
func (p *Process) head(ctx context.Context, enough func([]byte) bool) ([]byte, error) {
	if p.out == nil {
		return nil, errors.New("standard output belongs to the caller")
	}
	return p.out.capture.await(ctx, enough)
}

// FirstLine waits for the first line of standard output that is not blank, and
// returns it without its line ending. A last line needs none: at the end of the
// output what there is counts, which may be nothing.
func (p *Process) FirstLine(ctx context.Context) ([]byte, error) {
	head, err := p.head(ctx, func(b []byte) bool {
		_, complete := firstLine(b)
		return complete
	})
	line, _ := firstLine(head)
	return line, err
}

// Govern puts the process under ctx in place of the context before: that one's
// end or deadline no longer touches it. It reports whether the process could
// still be taken over: not if it has ended or is being ended.
//
// A caller that lets a process go on in the background calls it with the
// context of the background run; one that started it ahead of time, with the
// context of the run that uses it.
func (p *Process) Govern(ctx context.Context) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.exited || p.stopping {
		return false
	}
	if p.unwatch != nil {
		p.unwatch()
		p.unwatch = nil
	}
	p.govern++
	if ctx.Done() == nil {
		return true
	}
	turn := p.govern
	p.unwatch = context.AfterFunc(ctx, func() {
		cause := context.Cause(ctx)
		timedOut := errors.Is(ctx.Err(), context.DeadlineExceeded) || errors.Is(cause, context.DeadlineExceeded)
		p.stop(turn, cause, timedOut)
	})
	return true
}

// Kill begins to end the process: SIGTERM, the grace, SIGKILL for its tree. It
// does not wait; Wait does. The cause, or [ErrKilled] if it is nil, ends up in
// the Exit; a process that had already ended keeps its own end.
func (p *Process) Kill(cause error) {
	if cause == nil {
		cause = ErrKilled
	}
	timedOut := errors.Is(cause, context.DeadlineExceeded)
	go p.stop(0, cause, timedOut)
}
