package worker

import (
	"context"
	"errors"
	"fmt"

	"github.com/hookline-dev/hookline/hook"
	"github.com/hookline-dev/hookline/ui"
)

// maxRequests bounds how many requests of a process are answered at once.
const maxRequests = 64

// errNoCall is the answer to a request that belongs to no call.
var errNoCall = errors.New("the request belongs to no call that is being worked on")

// request answers what the worker asks of its host, in a goroutine of its own.
func (c *conn) request(r *Request) {
	c.mu.Lock()
	p := c.asker(r.Call)
	ctx := c.w.ctx
	var caller context.Context
	if p != nil {
		if p.asks == nil {
			p.asks, p.stopAsks = context.WithCancelCause(p.ctx)
		}
		ctx, caller = p.asks, p.ctx
	}
	busy := c.asking >= maxRequests
	if !busy {
		c.asking++
	}
	c.mu.Unlock()
	if busy {
		c.tryReply(r, fmt.Errorf("there are %d requests already", maxRequests))
		return
	}
	c.w.wg.Go(func() {
		res, err := c.serve(ctx, caller, p, r)
		c.mu.Lock()
		c.asking--
		c.mu.Unlock()
		// A worker that ends meanwhile needs no reply.
		_ = c.send(context.Background(), c.w.spec.Wire.Reply(r, res, err))
	})
}

// tryReply answers without waiting: the reader must not wait for the writer.
func (c *conn) tryReply(r *Request, err error) {
	select {
	case c.out <- outgoing{text: c.w.spec.Wire.Reply(r, Response{}, err)}:
	default:
		c.kill(hook.Failf(hook.FailureError, "it asks without reading the answers"))
	}
}

// asker finds the call on whose behalf a worker asks. One that does not say means the
// only one there is. The lock is held.
func (c *conn) asker(id uint64) *pending {
	if id == 0 && len(c.calls) == 1 {
		for only := range c.calls {
			id = only
		}
	}
	if p := c.calls[id]; p != nil && !p.left {
		return p
	}
	return nil
}

// serve answers a request. The context ends with the call; caller is the call's own,
// nil without one.
func (c *conn) serve(ctx, caller context.Context, p *pending, r *Request) (Response, error) {
	switch {
	case r.Err != nil:
		return Response{}, r.Err
	case r.Method == MethodNotify:
		if person := c.w.spec.Host.UI(); person != nil {
			person.Notify(r.Message, ui.Level(r.Level))
		}
		return Response{}, nil
	case p == nil:
		return Response{}, errNoCall
	}
	switch r.Method {
	case MethodConfirm, MethodSelect, MethodInput:
		return c.ask(ctx, caller, r)
	case MethodExec:
		ex, ok := c.w.spec.Host.(Executor)
		if !ok {
			return Response{}, errors.New("not supported by this host: exec")
		}
		e := r.Exec
		if e.Dir == "" {
			e.Dir = p.dir
		}
		res, err := ex.Exec(ctx, e, c.w.spec.Wall)
		return Response{Exec: res}, err
	case MethodMessages:
		if p.live == nil {
			return Response{}, errors.New("this host offers no session")
		}
		return Response{Messages: p.live.Messages()}, nil
	case MethodMetadata:
		return metadata(p.live, r.Key)
	}
	return Response{}, fmt.Errorf("unknown method %q", r.Method)
}

// ask asks the person. The call's clock stands still meanwhile.
func (c *conn) ask(ctx, caller context.Context, r *Request) (res Response, err error) {
	person := c.w.spec.Host.UI()
	if person == nil || !person.HasUI() {
		return Response{NoUI: true}, nil
	}
	defer hook.PauseClock(caller)()
	d := ui.Dialog{Source: c.w.Name()}
	switch r.Method {
	case MethodConfirm:
		res.Confirmed, err = person.Confirm(ctx, r.Title, r.Message, d)
		res.Answered = err == nil
	case MethodSelect:
		res.Index, res.Answered, err = person.Select(ctx, r.Title, r.Options, d)
		if res.Answered && res.Index >= 0 && res.Index < len(r.Options) {
			res.Text = r.Options[res.Index]
		}
	case MethodInput:
		res.Text, res.Answered, err = person.Input(ctx, r.Title, r.Placeholder, d)
	}
	if errors.Is(err, ui.ErrNoUI) {
		return Response{NoUI: true}, nil
	}
	return res, err
}

// metadata reads a value of the session.
func metadata(s hook.Session, key string) (Response, error) {
	if s == nil {
		return Response{}, errors.New("this host offers no session")
	}
	v, ok := s.Metadata(key)
	if !ok {
		return Response{}, nil
	}
	value, err := hook.ToJSON(v)
	if err != nil {
		return Response{}, fmt.Errorf("metadata %q: %w", key, err)
	}
	return Response{Answered: true, Value: value}, nil
}
