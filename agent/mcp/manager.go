package mcp

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"sync"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/hookline-dev/hookline/agent/tool"
	"github.com/hookline-dev/hookline/sandbox"
)

// Options say how servers are run.
type Options struct {
	// Servers are the servers there are.
	Servers []Server
	// Trusted decides whether a server may be started or asked. It is called for each
	// before anything of the server is used, and again before one is started once more, then
	// in a goroutine of its own; nil trusts none. One that is not trusted is not tried again.
	Trusted func(Server) bool
	// Dir is the working directory of started servers; "" is the process's.
	Dir string
	// Wall, when not nil, is what started servers stay within.
	Wall *sandbox.Wall
	// Around, when not nil, is called before each call of a tool of a started server, and
	// what it returns after it; that text is added to the result. Its error ends the call.
	Around func() (over func() string, err error)
	// Env is the environment that servers start from and that variables are
	// filled in with; nil is the process's. Started servers get it without
	// credentials, but for those that their own env names.
	Env []string
	// StartTimeout limits connecting, CallTimeout a call; 0 is 30 seconds and
	// 5 minutes.
	StartTimeout, CallTimeout time.Duration
	// KeepAlive is how often a server is asked whether it is alive; 0 is 30
	// seconds, negative is never. One that is not is connected to again.
	KeepAlive time.Duration
	// Backoff is the wait before the second attempt to connect; it doubles
	// each time. 0 is one second.
	Backoff time.Duration
	// TrustHints believes a server that says that a tool is read-only.
	TrustHints bool
	// OutputDir gets the full text of results that are too long for a model;
	// "" is the system's directory for temporary files.
	OutputDir string
	// HTTPClient, when not nil, gives the transport for servers reached by HTTP.
	HTTPClient *http.Client
	// Elicit, when not nil, answers what servers ask the person in the middle of
	// a call; without it servers are told that they can not ask.
	Elicit func(ctx context.Context, e Elicitation) (ElicitationAnswer, error)
	// Offer, when not nil, is asked about each tool that a server lists, by its full name and
	// with what the server says of it, before Tools has it. It returns that as it is to be
	// offered; a tool whose Offer fails is left out. It may wait: the server is connected
	// meanwhile, and Call reaches it.
	Offer func(ctx context.Context, s Server, name string, listed jsontext.Value) (jsontext.Value, error)
	// OnChange, when not nil, is called after a server's state or tools have
	// changed. It must not block.
	OnChange func(Status)
	// Version is what servers are told about this program.
	Version string
}

// State says what a server is doing.
type State string

// The states.
const (
	Untrusted  State = "untrusted"
	Connecting State = "connecting"
	Connected  State = "connected"
	Failed     State = "failed" // given up until somebody calls it
	Closed     State = "closed"
)

// Status is what is known of a server.
type Status struct {
	Name  string
	State State
	// Err says why it is not connected.
	Err error
	// Tools are the full names of its tools. A server that was lost keeps them.
	Tools []string
}

// Manager keeps servers connected. It is safe for concurrent use.
type Manager struct {
	opts   Options
	conns  []*conn
	cancel context.CancelFunc
	wg     sync.WaitGroup
	once   sync.Once
}

// New starts the servers that are trusted and returns at once; Wait waits until
// they are there. Close the manager.
func New(o Options) *Manager {
	if o.StartTimeout <= 0 {
		o.StartTimeout = 30 * time.Second
	}
	if o.CallTimeout <= 0 {
		o.CallTimeout = 5 * time.Minute
	}
	if o.KeepAlive == 0 {
		o.KeepAlive = 30 * time.Second
	}
	if o.Backoff <= 0 {
		o.Backoff = time.Second
	}
	if o.Env == nil {
		o.Env = os.Environ()
	}
	if o.Version == "" {
		o.Version = "0"
	}
	m := &Manager{opts: o}
	ctx, cancel := context.WithCancel(context.Background())
	m.cancel = cancel
	for _, s := range o.Servers {
		c := newConn(s, &m.opts)
		m.conns = append(m.conns, c)
		if o.Trusted == nil || !o.Trusted(s) {
			c.set(Untrusted, errUntrusted)
			continue
		}
		m.wg.Go(func() { c.run(ctx) })
	}
	return m
}

var errUntrusted = errors.New("the server has not been approved")

// Wait waits until each trusted server is connected or has failed once, or the
// context ends. It returns the errors of those that failed.
func (m *Manager) Wait(ctx context.Context) error {
	var errs []error
	for _, c := range m.conns {
		select {
		case <-c.tried:
		case <-ctx.Done():
			return errors.Join(append(errs, ctx.Err())...)
		}
		if st := c.status(); st.State != Connected && st.State != Untrusted && st.Err != nil {
			errs = append(errs, fmt.Errorf("server %q: %w", st.Name, st.Err))
		}
	}
	return errors.Join(errs...)
}

// Status returns what is known of each server, in the order of the options.
func (m *Manager) Status() []Status {
	var out []Status
	for _, c := range m.conns {
		out = append(out, c.status())
	}
	return out
}

// Tools returns the tools of all servers.
func (m *Manager) Tools() []tool.Tool {
	var out []tool.Tool
	for _, c := range m.conns {
		for _, t := range c.toolList() {
			out = append(out, t)
		}
	}
	return out
}

// Relist asks the connected servers for their tools again, which Offer then sees anew. It does
// not wait for that.
func (m *Manager) Relist() {
	for _, c := range m.conns {
		c.askAgain()
	}
}

// Call calls a tool of a server by the server's own name for it. isError says
// that the tool reports text as an error; err is for calls that could not be
// made.
func (m *Manager) Call(ctx context.Context, server, name string, input jsontext.Value) (text string, isError bool, err error) {
	for _, c := range m.conns {
		if c.server.Name != server {
			continue
		}
		r, err := c.call(ctx, name, input)
		if toolErr, ok := errors.AsType[*ToolError](err); ok {
			return toolErr.Text, true, nil
		}
		return r.Text(), false, err
	}
	return "", false, fmt.Errorf("there is no MCP server %q", server)
}

// Close ends all servers and waits for that, a few seconds at most.
func (m *Manager) Close() error {
	m.once.Do(func() {
		m.cancel()
		m.wg.Wait()
		for _, c := range m.conns {
			c.set(Closed, errClosed)
		}
	})
	return nil
}

var errClosed = errors.New("the connection has been closed")
