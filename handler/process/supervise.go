package process

import (
	"bytes"
	"runtime"
	"time"
)

// supervise follows the process to its end and sets the exit. The calling
// goroutine has started the process on a locked thread and stays on it: the
// parent-death signal of Linux is bound to that thread. The thread is blocked
// waiting for the process in any case, so this costs nothing.
func (p *Process) supervise() {
	state, err := p.attend()
	ended := time.Now()

	p.mu.Lock()
	p.exited = true
	stopped := p.stopped
	p.mu.Unlock()
	close(p.gone)
	if stopped != nil {
		<-stopped // the tree is killed while the leader still keeps its id
	}
	if state == nil && err == nil {
		state, err = p.cmd.Wait()
	}
	runtime.UnlockOSThread()
	if p.release != nil {
		p.release()
	}

	p.drain()
	var left []int
	if stopped == nil && !p.spec.Leave {
		left = p.tree.clear(p.pipeHeld())
	}
	if p.stdin != nil {
		p.stdin.stop()
	}

	p.mu.Lock()
	unwatch := p.unwatch
	p.unwatch = nil
	p.mu.Unlock()
	if unwatch != nil {
		unwatch()
	}

	e := &Exit{Pid: p.cmd.Pid, Code: -1, Left: left}
	if err == nil {
		e.Code, e.Signal = describe(state)
	}
	p.report(e, ended)
	if p.out != nil {
		p.out.file.Close()
	}
	p.err.file.Close()
	p.tree.release()
	p.exit, p.over = e, ended
	close(p.done)
}

// drain reads to the end, with bounded patience for pipes that somebody else
// keeps open.
func (p *Process) drain() {
	if p.pumped {
		p.expire(span(p.spec.Drain, defaultDrain))
		p.pumpRest()
		return
	}
	select {
	case <-p.drained:
		if p.stdout == nil {
			return
		}
	default:
	}
	p.expire(span(p.spec.Drain, defaultDrain))
	if p.hurries() {
		p.expire(0)
	}
	<-p.drained
}

// hurries reports whether the context ended while the output was drained.
func (p *Process) hurries() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.hurry
}

// expire gives up the pipes after idle of silence. A pumped stream is given up
// by pumpRest.
func (p *Process) expire(idle time.Duration) {
	if p.stdout != nil {
		p.stdout.SetReadDeadline(time.Now().Add(idle))
	}
	if p.pumped {
		return
	}
	until := time.Now().Add(drainCap * idle)
	if p.out != nil {
		p.out.expire(idle, until)
	}
	p.err.expire(idle, until)
}

// pipeHeld reports whether an output was given up while somebody else kept it open.
func (p *Process) pipeHeld() bool { return p.out != nil && p.out.held || p.err.held }

// report fills in all that is known at the end.
func (p *Process) report(e *Exit, ended time.Time) {
	if p.out != nil {
		e.Stdout, e.StdoutBytes, e.StdoutTruncated = p.out.capture.result()
	}
	e.Stderr, e.StderrBytes, e.StderrTruncated = p.err.capture.result()
	e.PipeHeld = p.pipeHeld()

	e.StdinBytes = p.prefilled
	if p.stdin != nil {
		e.StdinBytes += p.stdin.written.Load()
		e.Phases.Stdin = p.stdin.duration()
	}
	p.mu.Lock()
	if p.stopping {
		e.Cause, e.TimedOut, e.Cancelled = p.cause, p.timedOut, !p.timedOut
		e.Survivors = p.left
	}
	p.mu.Unlock()
	if e.PipeHeld && e.Survivors == nil {
		e.Survivors = p.tree.members()
	}
	now := time.Now()
	e.Phases.Start = p.started.Sub(p.began)
	e.Phases.Run = ended.Sub(p.started)
	e.Phases.Drain = now.Sub(ended)
	e.Duration = now.Sub(p.began)
}

// stop ends the process and its tree. It is called on a goroutine of its own;
// turn is the context it acts for, 0 for none.
func (p *Process) stop(turn int, cause error, timedOut bool) {
	p.mu.Lock()
	if p.stopping || turn != 0 && turn != p.govern {
		p.mu.Unlock()
		return
	}
	if p.exited {
		p.hurry = true
		p.mu.Unlock()
		p.expire(0)
		return
	}
	p.stopping = true
	p.cause, p.timedOut = cause, timedOut
	stopped := make(chan struct{})
	p.stopped = stopped
	p.mu.Unlock()
	defer close(stopped)

	if grace := span(p.spec.Grace, DefaultGrace); grace > 0 && p.tree.terminate() {
		timer := time.NewTimer(grace)
		defer timer.Stop()
		select {
		case <-p.gone:
			p.tree.settle(timer.C)
		case <-timer.C:
		}
	}
	left := p.tree.kill()
	p.mu.Lock()
	p.left = left
	p.mu.Unlock()
}

// firstLine returns the first line of b that is not blank, and whether its end
// has been seen.
func firstLine(b []byte) (line []byte, complete bool) {
	for len(b) > 0 {
		var found bool
		line, b, found = bytes.Cut(b, []byte{'\n'})
		if trimmed := bytes.TrimSpace(line); len(trimmed) > 0 {
			return bytes.TrimSuffix(line, []byte{'\r'}), found
		}
	}
	return nil, false
}
