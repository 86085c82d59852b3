package worker

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/hookline-dev/hookline/handler/process"
	"github.com/hookline-dev/hookline/hook"
)

// errChanged says that a file did not hold still.
var errChanged = errors.New("it was changed while the worker was started")

// open starts a process and waits for its hello. When a process ran, it is returned
// along with the error, and has ended.
func (w *Worker) open() (*conn, error) {
	if err := w.watch.look(w.spec.Trusted); err != nil {
		return nil, &hook.Failure{Kind: hook.FailureLaunch, Err: err}
	}
	greeting, err := w.spec.Wire.Greeting()
	if err != nil {
		return nil, hook.Failf(hook.FailureLaunch, "encode the greeting: %w", err)
	}
	proc, err := process.Start(context.Background(), process.Spec{
		Path: w.spec.Path, Args: w.spec.Args, Dir: w.spec.Dir,
		Env:        w.env.With(w.spec.Env, []string{"HOOKLINE=1", fmt.Sprintf("HOOKLINE_WORKER=%d", Protocol)}),
		StdinLater: true, StdoutPipe: true, StderrLimit: w.spec.StderrLimit, Grace: w.spec.KillAfter, Wall: w.spec.Wall,
	})
	if err != nil {
		start, ok := errors.AsType[*process.StartError](err)
		return nil, &hook.Failure{Kind: hook.FailureLaunch, Err: err, Closed: ok && start.Reason == process.ReasonSandbox}
	}
	w.starts.Add(1)
	c := newConn(w, proc)
	w.mu.Lock()
	w.conns[c] = struct{}{}
	closed := w.closed
	w.mu.Unlock()
	w.wg.Go(c.read)
	w.wg.Go(c.write)
	if closed {
		c.kill(ErrClosed)
	}
	if greeting != nil {
		c.out <- outgoing{text: greeting} // the first in an empty queue
	}
	if err := w.greet(c); err != nil {
		c.kill(err)
		<-c.gone
		return c, c.err
	}
	return c, nil
}

// greet waits for a process's hello. The error says why it is of no use.
func (w *Worker) greet(c *conn) error {
	timer := time.NewTimer(w.spec.HelloTimeout)
	defer timer.Stop()
	select {
	case h := <-c.hellos:
		if err := h.check(); err != nil {
			return hook.Failf(hook.FailureAnswer, "its hello cannot be used: %w", err)
		}
		if path := w.watch.changed(); path != "" {
			return hook.Failf(hook.FailureLaunch, "run %q: %w", path, errChanged)
		}
		c.hello = *h
		return nil
	case <-c.gone:
		return c.err
	case <-timer.C:
		return hook.Failf(hook.FailureLaunch, "it said no hello within %v", w.spec.HelloTimeout)
	case <-w.ctx.Done():
		return ErrClosed
	}
}
