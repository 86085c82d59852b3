package mcpproxy

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hookline-dev/hookline/hook"
)

// Options say how a proxy works.
type Options struct {
	// Server is the name under which hooks know the server.
	Server string
	// ToolName returns the name under which hooks know one of its tools.
	ToolName func(tool string) string
	// Fire fires an event. An error means that hooks could not be asked.
	Fire func(context.Context, hook.Input) (hook.Outcome, error)
	// Hears reports whether there is a hook for an event.
	Hears func(hook.Event) bool
	// Common has what every event carries, but for the server.
	Common hook.Common
	// Notify, when not nil, is told what the person should know: messages of hooks, and
	// messages of the server that nobody can understand. It may be called by several
	// goroutines.
	Notify func(text string)
	// Grace is how long the server may go on when the client has no more to say; 0 is
	// five seconds.
	Grace time.Duration
}

// ErrServerGone says that the server ended before its client did.
var ErrServerGone = errors.New("the MCP server has ended")

// maxWaiting bounds the messages that wait for their hooks at one time.
const maxWaiting = 256

// proxy is one client with its server.
type proxy struct {
	Options
	client, server Conn
	ctx            context.Context // ends with the proxy

	before, after *side // messages of the client and of the server that are with their hooks

	heardAll atomic.Bool // the client has no more to say

	mu      sync.Mutex
	calls   map[string]*call          // requests of the client that have no answer yet
	asked   map[string]chan<- message // questions of ours to the client
	heard   map[string]*elicited      // questions of the server to the client
	open    map[string]*round         // calls that the client is to send again
	canAsk  bool                      // the client can put a form to a person
	counter int
}

// Run passes messages between a client and a server until one of them has no more. It
// returns nil when the client ended first and all that it asked was answered, and
// ErrServerGone when the server did; what that leaves unanswered is answered with an error.
// Both ends are closed when it returns.
func Run(ctx context.Context, o Options, client, server Conn) error {
	if o.Notify == nil {
		o.Notify = func(string) {}
	}
	if o.Grace == 0 {
		o.Grace = 5 * time.Second
	}
	o.Common.MCPServer = &hook.MCPServer{Name: o.Server}
	hooks, cancel := context.WithCancel(ctx)
	p := &proxy{
		Options: o, client: client, server: server, ctx: hooks, before: newSide(), after: newSide(),
		calls: map[string]*call{}, asked: map[string]chan<- message{}, heard: map[string]*elicited{}, open: map[string]*round{},
	}
	fromClient, fromServer := make(chan error, 1), make(chan error, 1)
	var sides sync.WaitGroup
	sides.Go(func() {
		err := pump(client, p.fromClient)
		p.deaf()
		p.before.work.Wait()
		p.heardAll.Store(err == nil)
		fromClient <- errors.Join(err, server.CloseWrite())
	})
	sides.Go(func() {
		err := pump(server, p.fromServer)
		p.after.work.Wait()
		fromServer <- err
	})
	err := p.attend(ctx, fromClient, fromServer)
	cancel()
	err = errors.Join(err, server.Close(), client.Close())
	sides.Wait()
	return err
}

// pump hands over messages until there are no more.
func pump(from Conn, take func([]byte) error) error {
	for {
		raw, err := from.Read()
		if err == nil {
			err = take(raw)
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// attend waits for the end of one side, and lets the other one finish.
func (p *proxy) attend(ctx context.Context, fromClient, fromServer <-chan error) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case err := <-fromServer:
		if p.abandon() == 0 && p.heardAll.Load() { // it ended because its client did
			return err
		}
		return errors.Join(ErrServerGone, err)
	case err := <-fromClient:
		if err != nil {
			return fmt.Errorf("messages of the MCP client: %w", err)
		}
	}
	limit := time.NewTimer(p.Grace)
	defer limit.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-limit.C:
		return nil
	case err := <-fromServer:
		if p.abandon() > 0 {
			err = errors.Join(ErrServerGone, err)
		}
		return err
	}
}

// fromClient takes a message of the client.
func (p *proxy) fromClient(raw []byte) error {
	m := parse(raw)
	switch {
	case (m.doubtful || m.id+m.method == "") && p.guards():
		id := first(m.rawID, "null")
		return p.client.Write(failure(id, codeInvalidRequest, "hookline: this is not one JSON-RPC message that is read alike by everybody, and hooks guard the server"))
	case m.request():
		return p.begin(&m)
	case m.response():
		if p.answered(&m) {
			return nil
		}
	case m.method == methodCancelled:
		if p.cancelled(&m) {
			return nil
		}
	}
	return p.server.Write(raw)
}

// fromServer takes a message of the server.
func (p *proxy) fromServer(raw []byte) error {
	m := parse(raw)
	switch {
	case m.response():
		return p.finish(&m)
	case m.method == methodElicit && m.request() && (p.Hears(hook.EventElicitation) || p.Hears(hook.EventElicitationResult)):
		p.after.slots <- struct{}{}
		p.after.run(func() { p.elicit(m) })
		return nil
	case m.doubtful && p.guards():
		p.Notify(fmt.Sprintf("MCP server %s: a message was dropped, since it is not JSON and hooks guard the server", p.Server))
		return nil
	}
	return p.client.Write(raw)
}

// guards reports whether any hook sees what passes.
func (p *proxy) guards() bool { return p.guardOf(methodCall) != nil || p.guardOf(methodPrompt) != nil }

// side are messages that come from one side and wait for hooks, beside those that do not.
type side struct {
	work  sync.WaitGroup
	slots chan struct{} // one for each that waits
}

func newSide() *side { return &side{slots: make(chan struct{}, maxWaiting)} }

// run lets hooks see a message that has a slot.
func (s *side) run(f func()) {
	s.work.Go(func() {
		defer func() { <-s.slots }()
		f()
	})
}

// write writes beside the pumps, which notice themselves when a side is gone.
func write(to Conn, msg []byte) { _ = to.Write(msg) }

// abandon answers what the server leaves unanswered, and returns how many requests that are.
func (p *proxy) abandon() int {
	p.mu.Lock()
	calls := slices.Collect(maps.Values(p.calls))
	clear(p.calls)
	p.mu.Unlock()
	for _, c := range calls {
		c.cancel()
		write(p.client, failure(c.request.rawID, codeServerGone, ErrServerGone.Error()))
	}
	return len(calls)
}

// deaf gives up the questions that the client has not answered.
func (p *proxy) deaf() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.canAsk = false
	for id, answer := range p.asked {
		close(answer)
		delete(p.asked, id)
	}
}
