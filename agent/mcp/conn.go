package mcp

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/go-json-experiment/json"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

const (
	maxBackoff   = time.Minute
	maxAttempts  = 5               // in a row, then it waits for a call
	callPatience = 5 * time.Second // how long a call waits for a connection that was lost
)

// conn keeps one server connected.
type conn struct {
	server Server
	opts   *Options
	tried  chan struct{} // closed after the first attempt
	wake   chan struct{} // asks for an attempt now
	relist chan struct{} // asks for the tools again

	mu      sync.Mutex
	state   State
	err     error
	link    *link // nil unless connected
	tools   []*mcpTool
	changed chan struct{} // closed and replaced with every change
}

func newConn(s Server, o *Options) *conn {
	return &conn{
		server: s, opts: o, state: Connecting, tried: make(chan struct{}), changed: make(chan struct{}),
		wake: make(chan struct{}, 1), relist: make(chan struct{}, 1),
	}
}

func (c *conn) status() Status {
	c.mu.Lock()
	defer c.mu.Unlock()
	st := Status{Name: c.server.Name, State: c.state, Err: c.err}
	for _, t := range c.tools {
		st.Tools = append(st.Tools, t.full)
	}
	return st
}

func (c *conn) toolList() []*mcpTool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.tools)
}

// update changes the connection's fields and tells those who wait.
func (c *conn) update(change func()) {
	c.mu.Lock()
	change()
	close(c.changed)
	c.changed = make(chan struct{})
	c.mu.Unlock()
	if c.opts.OnChange != nil {
		c.opts.OnChange(c.status())
	}
}

func (c *conn) set(state State, err error) {
	c.update(func() {
		c.state, c.err = state, err
		if state != Connected {
			c.link = nil
		}
		if state == Untrusted || state == Closed || state == Failed {
			c.hasTried()
		}
	})
}

// hasTried is called with the lock held.
func (c *conn) hasTried() {
	select {
	case <-c.tried:
	default:
		close(c.tried)
	}
}

// run connects, and again whenever the connection is lost, until the context
// ends.
func (c *conn) run(ctx context.Context) {
	attempts := 0
	for again := false; ctx.Err() == nil; again = true {
		if again && c.server.Command != "" && !c.opts.Trusted(c.server) { // what it runs may have changed
			c.set(Untrusted, errUntrusted)
			return
		}
		l, err := c.connect(ctx)
		if err == nil {
			start := time.Now()
			err = c.attend(ctx, l)
			if time.Since(start) > maxBackoff {
				attempts = 0
			}
		}
		if ctx.Err() != nil {
			return
		}
		attempts++
		state := Connecting
		if attempts >= maxAttempts {
			state = Failed
		}
		c.update(func() {
			c.state, c.err, c.link = state, err, nil
			c.hasTried()
		})
		c.pause(ctx, attempts)
		if attempts >= maxAttempts {
			attempts = 0
		}
	}
}

// pause waits before the next attempt, or until somebody asks for one.
func (c *conn) pause(ctx context.Context, attempts int) {
	var timer <-chan time.Time
	if attempts < maxAttempts {
		t := time.NewTimer(min(c.opts.Backoff<<(attempts-1), maxBackoff))
		defer t.Stop()
		timer = t.C
	}
	select {
	case <-timer:
	case <-c.wake:
	case <-ctx.Done():
	}
}

// connect opens a connection and asks for the tools.
func (c *conn) connect(ctx context.Context) (*link, error) {
	startCtx, cancel := context.WithTimeoutCause(ctx, c.opts.StartTimeout,
		fmt.Errorf("the server did not answer within %s", c.opts.StartTimeout))
	defer cancel()
	l, err := c.open(startCtx)
	if err != nil {
		return nil, err
	}
	listed, err := c.list(startCtx, l)
	if err != nil {
		l.close()
		return nil, l.explain(err)
	}
	c.update(func() { c.state, c.err, c.link = Connected, nil, l })
	tools := c.offered(ctx, listed)
	c.update(func() {
		c.tools = tools
		c.hasTried()
	})
	return l, nil
}

// attend stays with a connection until it ends, and says why it did.
func (c *conn) attend(ctx context.Context, l *link) error {
	defer l.close()
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-l.done:
			err := l.waitErr
			if err == nil {
				err = errors.New("the server has closed the connection")
			}
			c.update(func() { c.state, c.err, c.link = Connecting, err, nil })
			l.close()
			return l.explain(err)
		case <-c.relist:
			listCtx, cancel := context.WithTimeout(ctx, c.opts.StartTimeout)
			listed, err := c.list(listCtx, l)
			cancel()
			if err == nil {
				tools := c.offered(ctx, listed)
				c.update(func() { c.tools = tools })
			}
		}
	}
}

// askAgain makes the connection ask for the tools again.
func (c *conn) askAgain() {
	select {
	case c.relist <- struct{}{}:
	default:
	}
}

func (c *conn) list(ctx context.Context, l *link) ([]*sdk.Tool, error) {
	var tools []*sdk.Tool
	err := l.do(ctx, func(ctx context.Context) error {
		const maxTools = 1000
		seen := make(map[string]bool)
		for t, err := range l.session.Tools(ctx, nil) {
			if err != nil {
				return err
			}
			if full := ToolName(c.server.Name, t.Name); seen[full] {
				continue
			} else {
				seen[full] = true
			}
			if tools = append(tools, t); len(tools) == maxTools {
				break
			}
		}
		return nil
	})
	if err != nil {
		if errors.Is(err, context.DeadlineExceeded) {
			err = context.Cause(ctx)
		}
		return nil, fmt.Errorf("asking for its tools: %w", err)
	}
	return tools, nil
}

// offered returns the tools that models may have, as Offer leaves them. One odd tool does not
// cost the others.
func (c *conn) offered(ctx context.Context, listed []*sdk.Tool) []*mcpTool {
	var tools []*mcpTool
	for _, t := range listed {
		t, err := c.offer(ctx, t)
		if err != nil {
			continue
		}
		if mt, err := c.newTool(t); err == nil {
			tools = append(tools, mt)
		}
	}
	return tools
}

func (c *conn) offer(ctx context.Context, t *sdk.Tool) (*sdk.Tool, error) {
	if c.opts.Offer == nil {
		return t, nil
	}
	says, err := json.Marshal(t, json.Deterministic(true))
	if err != nil {
		return nil, err
	}
	now, err := c.opts.Offer(ctx, c.server, ToolName(c.server.Name, t.Name), says)
	if err != nil || bytes.Equal(now, says) {
		return t, err
	}
	changed := &sdk.Tool{}
	if err := json.Unmarshal(now, changed); err != nil {
		return nil, fmt.Errorf("tool %s as it is to be offered: %w", t.Name, err)
	}
	if changed.Name != t.Name {
		return nil, fmt.Errorf("tool %s is to be offered as %q, which the server does not know", t.Name, changed.Name)
	}
	return changed, nil
}

// ready returns the connection. When it is lost it asks for a new one and waits
// a little.
func (c *conn) ready(ctx context.Context) (*link, error) {
	timeout := time.NewTimer(callPatience)
	defer timeout.Stop()
	for {
		c.mu.Lock()
		l, state, err, changed := c.link, c.state, c.err, c.changed
		c.mu.Unlock()
		switch {
		case l != nil:
			return l, nil
		case state == Untrusted || state == Closed:
			return nil, err
		}
		select {
		case c.wake <- struct{}{}:
		default:
		}
		select {
		case <-changed:
		case <-timeout.C:
			if err == nil {
				err = errors.New("it is still being connected to")
			}
			return nil, err
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

func (c *conn) clientOptions() *sdk.ClientOptions {
	o := &sdk.ClientOptions{
		Capabilities:           &sdk.ClientCapabilities{},
		ToolListChangedHandler: func(context.Context, *sdk.ToolListChangedRequest) { c.askAgain() },
	}
	if c.opts.Elicit != nil {
		o.ElicitationHandler = c.elicit
	}
	if c.opts.KeepAlive > 0 {
		o.KeepAlive = c.opts.KeepAlive
	}
	return o
}
