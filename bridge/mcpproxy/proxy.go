package mcpproxy

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/hookline-dev/hookline/bridge/jsonrpc"
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
	// Memory, when not nil, knows the tools of the server that were approved.
	Memory *Memory
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
	client, server jsonrpc.Conn
	ctx            context.Context // ends with the proxy

	before, after *side // messages of the client and of the server that are with their hooks

	mu      sync.Mutex
	calls   map[string]*call                  // requests of the client that have no answer yet
	asked   map[string]chan<- jsonrpc.Message // questions of ours to the client
	heard   map[string]*elicited              // questions of the server to the client
	open    map[string]*round                 // calls that the client is to send again
	dropped map[string]string                 // tools that are left out, and why
	canAsk  bool                              // the client can put a form to a person
	counter int
}

// Run passes messages between a client and a server until one of them has no more. It
// returns nil when the client ended first and all that it asked was answered, and
// ErrServerGone when the server did; what that leaves unanswered is answered with an error.
// Both ends are closed when it returns.
func Run(ctx context.Context, o Options, client, server jsonrpc.Conn) error {
	if o.Notify == nil {
		o.Notify = func(string) {}
	}
	o.Common.MCPServer = &hook.MCPServer{Name: o.Server}
	hooks, cancel := context.WithCancel(ctx)
	p := &proxy{
		Options: o, client: client, server: server, ctx: hooks, before: newSide(), after: newSide(),
		calls: map[string]*call{}, asked: map[string]chan<- jsonrpc.Message{}, heard: map[string]*elicited{}, open: map[string]*round{},
		dropped: map[string]string{},
	}
	return (&jsonrpc.Relay{
		Client:  jsonrpc.End{Conn: client, Take: p.fromClient, Over: func() { p.deaf(); p.before.work.Wait() }},
		Server:  jsonrpc.End{Conn: server, Take: p.fromServer, Over: p.after.work.Wait},
		Abandon: p.abandon, Cancel: cancel, Gone: ErrServerGone, ClientFault: "the MCP client", Grace: o.Grace,
	}).Run(ctx)
}

// fromClient takes a message of the client.
func (p *proxy) fromClient(raw []byte) error {
	m := jsonrpc.Parse(raw)
	switch {
	case (m.Doubtful || m.ID+m.Method == "") && p.guards():
		id := cmp.Or(m.RawID, "null")
		return p.client.Write(jsonrpc.Failure(id, jsonrpc.CodeInvalidRequest, "hookline: this is not one JSON-RPC message that is read alike by everybody, and hooks guard the server"))
	case m.Request():
		return p.begin(&m)
	case m.Response():
		if p.answered(&m) {
			return nil
		}
	case m.Method == methodCancelled:
		if p.cancelled(&m) {
			return nil
		}
	}
	return p.server.Write(raw)
}

// fromServer takes a message of the server.
func (p *proxy) fromServer(raw []byte) error {
	m := jsonrpc.Parse(raw)
	switch {
	case m.Response():
		return p.finish(&m)
	case m.Method == methodElicit && m.Request() && (p.Hears(hook.EventElicitation) || p.Hears(hook.EventElicitationResult)):
		p.after.slots <- struct{}{}
		p.after.run(func() { p.elicit(m) })
		return nil
	case m.Doubtful && p.guards():
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
func write(to jsonrpc.Conn, msg []byte) { _ = to.Write(msg) }

// abandon gives up what the server leaves unanswered, and returns the ids of those requests.
func (p *proxy) abandon() (ids []string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, c := range p.calls {
		c.cancel()
		ids = append(ids, c.request.RawID)
	}
	clear(p.calls)
	return ids
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
