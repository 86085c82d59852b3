package worker

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hookline-dev/hookline/handler/internal/text"
	"github.com/hookline-dev/hookline/handler/process"
	"github.com/hookline-dev/hookline/hook"
)

// outgoing is a message for a worker. The input is closed after the last one.
type outgoing struct {
	text []byte
	last bool
}

// conn is one process of a worker.
type conn struct {
	w      *Worker
	proc   *process.Process
	hello  Hello // set before anybody else sees the conn, as is to
	to     []int // index in hello of each registered hook, -1 for none
	hellos chan *Hello
	out    chan outgoing
	in     stdin
	gone   chan struct{} // closed when the process has ended; err is set then
	err    error         // a *hook.Failure
	tail   string        // of stderr, set with err
	code   *int          // exit code, set with err

	counted bool // as a failure; under the worker's lock
	healthy atomic.Bool

	mu      sync.Mutex
	next    uint64
	calls   map[uint64]*pending
	asking  int     // requests being answered
	greeted bool    // used by the reader alone
	retired bool    // takes no more calls
	ends    parting // how, once it is retired
	ending  bool    // was told, or is being killed
	cause   error   // why we ended it
	timer   *time.Timer
	stopped bool // nobody may start timers
}

func newConn(w *Worker, proc *process.Process) *conn {
	return &conn{
		w: w, proc: proc, in: stdin{pipe: proc.Stdin()}, next: FirstCall, calls: map[uint64]*pending{},
		hellos: make(chan *Hello, 1), out: make(chan outgoing, 64), gone: make(chan struct{}),
	}
}

func (c *conn) dead() bool {
	select {
	case <-c.gone:
		return true
	default:
		return false
	}
}

// write hands messages to the process until it has ended. Messages that wait are
// written at once.
func (c *conn) write() {
	defer c.in.pipe.Close()
	var batch []byte
	for {
		var m outgoing
		select {
		case m = <-c.out:
		case <-c.gone:
			return
		}
		batch = append(batch[:0], m.text...)
		for more := true; more && !m.last; {
			select {
			case m = <-c.out:
				batch = append(batch, m.text...)
			default:
				more = false
			}
		}
		if err := c.in.write(batch); err != nil {
			if !m.last {
				c.letEnd(hook.Failf(hook.FailureError, "it does not take its input: %w", err))
			}
			return
		}
		if m.last {
			return
		}
		if cap(batch) > 1<<20 {
			batch = nil
		}
	}
}

// send queues a message if the process takes any.
func (c *conn) send(ctx context.Context, text []byte) error {
	select {
	case c.out <- outgoing{text: text}:
		return nil
	case <-c.gone:
		return c.err
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// read takes messages until the process ends or breaks the protocol, and settles
// everything then.
func (c *conn) read() {
	out := c.proc.Stdout()
	defer out.Close()
	lines := bufio.NewReaderSize(out, 64<<10)
	ended, fault := false, error(nil)
	for fault == nil {
		raw, err := c.w.spec.Wire.Read(lines, c.w.spec.MaxMessage)
		if err != nil {
			ended, fault = outputEnded(err), err
			break
		}
		m, err := c.w.spec.Wire.Parse(raw)
		if err != nil {
			fault = fmt.Errorf("%w (it begins %q)", err, text.Quote(raw[:min(len(raw), 120)]))
			break
		}
		fault = c.take(m)
	}
	if ended {
		c.letEnd(hook.Failf(hook.FailureAnswer, "it closed its output and went on"))
	} else {
		c.kill(hook.Failf(hook.FailureAnswer, "it broke the protocol: %w", fault))
	}
	c.end(c.proc.Wait())
}

// outputEnded reports whether an error of reading is the end of the output, if need be
// within a message.
func outputEnded(err error) bool {
	return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, os.ErrDeadlineExceeded) || errors.Is(err, os.ErrClosed)
}

// letEnd gives a process that closed a pipe the time to end by itself, so that its own
// end is what is reported, and kills it after that.
func (c *conn) letEnd(cause error) {
	patience := time.NewTimer(process.DefaultGrace)
	defer patience.Stop()
	select {
	case <-c.proc.Done():
	case <-patience.C:
		c.kill(cause)
	}
}

// take deals with a message. The error is what is wrong with it.
func (c *conn) take(m Message) error {
	if m.Kind == KindHello {
		if c.greeted {
			return errors.New("a second hello")
		}
		c.greeted = true
		c.hellos <- m.Hello
		return nil
	}
	if !c.greeted && m.Kind != KindLog && m.Kind != KindIgnored {
		return errors.New("a message before the hello")
	}
	switch m.Kind {
	case KindResult, KindError:
		return c.answer(m)
	case KindProgress:
		return c.progress(m)
	case KindLog:
		c.w.log(m.Level, "%s", m.Text)
	case KindRequest:
		c.request(m.Request)
	}
	return nil
}

// answer passes an answer on to who waits for it.
func (c *conn) answer(m Message) error {
	c.mu.Lock()
	p := c.calls[m.ID]
	switch {
	case p == nil:
		c.mu.Unlock()
		return fmt.Errorf("an answer to call %d, which has none to come", m.ID)
	case m.Async && p.async:
		c.mu.Unlock()
		return fmt.Errorf("call %d goes on in the background for a second time", m.ID)
	case m.Async:
		p.async = true
	default:
		delete(c.calls, m.ID)
		p.stop(nil)
	}
	c.mu.Unlock()
	c.healthy.Store(true)
	p.free()
	a := answer{async: m.Async, timeout: m.AsyncTimeout}
	if m.Kind == KindError {
		a.err = hook.Failf(hook.FailureError, "%s", m.Text)
	} else {
		a.body = bytes.Clone(m.Body)
	}
	p.answers <- a // never more than two, and there is room for them
	c.settle()
	return nil
}

// progress passes on what a hook says while it works.
func (c *conn) progress(m Message) error {
	c.mu.Lock()
	p := c.calls[m.ID]
	c.mu.Unlock()
	if p == nil {
		return fmt.Errorf("progress of call %d, which is over", m.ID)
	}
	p.progress([]byte(m.Text))
	return nil
}

// parting is how a process ends that is retired.
type parting int

const (
	killed    parting = iota
	dismissed         // it is told to shut down
)

// retire keeps further calls from the process and ends it when those that it is
// working on are over.
func (c *conn) retire(why error, ends parting) {
	c.mu.Lock()
	if !c.retired {
		c.retired, c.ends = true, ends
		if c.cause == nil {
			c.cause = why
		}
	}
	c.mu.Unlock()
	c.settle()
}

// settle ends a retired process that nobody waits for any more.
func (c *conn) settle() {
	c.mu.Lock()
	if !c.retired || c.ending || c.live() > 0 {
		c.mu.Unlock()
		return
	}
	ends, cause := c.ends, c.cause
	c.mu.Unlock()
	if ends == dismissed {
		c.dismiss(cause)
	} else {
		c.kill(cause)
	}
}

// live counts the calls that somebody waits for. The lock is held.
func (c *conn) live() int {
	n := 0
	for _, p := range c.calls {
		if !p.left {
			n++
		}
	}
	return n
}

// dismiss tells the process to shut down, and kills it if it does not.
func (c *conn) dismiss(cause error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.ending || c.stopped {
		return
	}
	c.retired, c.ending = true, true
	if c.cause == nil {
		c.cause = cause
	}
	select {
	case c.out <- outgoing{c.w.spec.Wire.Shutdown(), true}:
		after := c.w.spec.KillAfter
		if after == 0 {
			after = process.DefaultGrace
		}
		c.timer = time.AfterFunc(max(after, 0), func() { c.proc.Kill(cause) })
	default:
		c.proc.Kill(cause) // it has not taken messages for long
	}
}

// kill ends the process.
func (c *conn) kill(cause error) {
	c.mu.Lock()
	c.retired, c.ending = true, true
	if c.cause == nil {
		c.cause = cause
	}
	c.mu.Unlock()
	c.proc.Kill(cause)
}

// end settles everything when the process has ended.
func (c *conn) end(exit *process.Exit) {
	// Of a process that we ended the children are gone too. One that ended by itself
	// leaves them behind, as far as it is known with what.
	for _, pid := range exit.Survivors {
		if child, err := os.FindProcess(pid); err == nil {
			_ = child.Kill()
		}
	}
	c.mu.Lock()
	c.retired, c.ending, c.stopped = true, true, true
	if c.timer != nil {
		c.timer.Stop()
	}
	c.err = c.describe(exit)
	c.tail = string(bytes.ToValidUTF8(exit.Stderr, []byte("\uFFFD")))
	if exit.Code >= 0 {
		c.code = &exit.Code
	}
	calls := c.calls
	c.calls = nil
	for _, p := range calls {
		p.stop(c.err)
		p.free()
	}
	cause, ends := c.cause, c.ends
	c.mu.Unlock()
	close(c.gone)
	w := c.w
	w.mu.Lock()
	delete(w.conns, c)
	expected := w.closed || ends == dismissed
	c.counted = c.counted || expected
	w.mu.Unlock()
	w.lost(c, c.err)
	switch {
	case !expected:
		w.log("error", "%v", c.err)
	case !errors.Is(cause, ErrClosed):
		w.log("info", "its process was ended: %v", cause)
	}
}

// describe says what ended the process. The lock is held.
func (c *conn) describe(exit *process.Exit) error {
	tail := ""
	if line := text.LastLine(exit.Stderr); line != "" {
		tail = "; the last line of its stderr: " + line
	}
	if f, ok := errors.AsType[*hook.Failure](c.cause); ok {
		return hook.Failf(f.Kind, "%w%s", f.Err, tail)
	}
	switch {
	case c.cause != nil:
		return hook.Failf(hook.FailureError, "its process was ended: %w%s", c.cause, tail)
	case exit.Signal != "":
		return hook.Failf(hook.FailureSignal, "its process was killed by %s%s", exit.Signal, tail)
	}
	return hook.Failf(hook.FailureExit, "its process ended with exit code %d%s", exit.Code, tail)
}
