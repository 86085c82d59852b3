package acpproxy

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/hookline-dev/hookline/bridge/jsonrpc"
	"github.com/hookline-dev/hookline/dialect"
	"github.com/hookline-dev/hookline/hook"
)

// Hooks are those of a directory. They are safe for concurrent use.
type Hooks struct {
	// Fire fires an event. An error means that hooks could not be asked.
	Fire func(context.Context, hook.Input) (hook.Outcome, error)
	// Hears reports whether there is a hook for an event.
	Hears func(hook.Event) bool
	// Guards reports whether a hook would be asked about an input.
	Guards func(hook.Input) bool
	// Lost is told of a part of an outcome for which the protocol has no place.
	Lost func(in hook.Input, what string)
}

// Options say how a proxy works.
type Options struct {
	// Open returns the hooks of a session's directory, "" where the session names none. It
	// may be called by several goroutines.
	Open func(ctx context.Context, dir string) (Hooks, error)
	// RequireGate ends a turn in which the agent does, without asking, what hooks guard,
	// and refuses agents that are known to.
	RequireGate bool
	// Hosts are those whose agents are known, with what they ask permission for.
	Hosts []*dialect.Host
	// MaxStops is how often in a row Stop hooks may send the agent on; 0 is 8.
	MaxStops int
	// Notify, when not nil, is told what the person should know that belongs to no session.
	// It may be called by several goroutines.
	Notify func(text string)
	// Grace is how long the agent may go on when the client has no more to say; 0 is five
	// seconds.
	Grace time.Duration
}

// ErrAgentGone says that the agent ended before its client did.
var ErrAgentGone = errors.New("the ACP agent has ended")

// maxWaiting bounds the requests of one side that hooks see and that have no answer yet.
const maxWaiting = 256

// proxy is one client with its agent.
type proxy struct {
	Options
	client, agent *peer
	ctx           context.Context // ends with the proxy

	mu       sync.Mutex
	sessions map[string]*session
	asked    map[string]chan<- jsonrpc.Message // questions of ours to the client, nil when it has gone
	host     *dialect.Host                     // what the agent is, nil when it is not known
	told     bool                              // the person knows what can be stopped
}

// peer is one of the two sides.
type peer struct {
	jsonrpc.Conn
	calls map[string]*call // its requests that have no answer yet
	work  sync.WaitGroup   // what is done with its messages beside the passing
}

// Run passes messages between a client and an agent until one of them has no more. It
// returns nil when the client ended first and all that it asked was answered, and
// ErrAgentGone when the agent did; what that leaves unanswered is answered with an error.
// Both ends are closed when it returns.
func Run(ctx context.Context, o Options, client, agent jsonrpc.Conn) error {
	if o.Notify == nil {
		o.Notify = func(string) {}
	}
	if o.MaxStops == 0 {
		o.MaxStops = 8
	}
	work, cancel := context.WithCancel(ctx)
	p := &proxy{
		Options: o, ctx: work, client: &peer{Conn: client, calls: map[string]*call{}}, agent: &peer{Conn: agent, calls: map[string]*call{}},
		sessions: map[string]*session{}, asked: map[string]chan<- jsonrpc.Message{},
	}
	err := (&jsonrpc.Relay{
		Client:  jsonrpc.End{Conn: client, Take: p.fromClient, Over: p.deaf},
		Server:  jsonrpc.End{Conn: agent, Take: p.fromAgent, Over: p.silent},
		Abandon: p.abandon, Cancel: cancel, Gone: ErrAgentGone, ClientFault: "the ACP client", Grace: o.Grace,
	}).Run(ctx)
	p.endSessions(context.WithoutCancel(ctx))
	return err
}

// fromClient takes a message of the client.
func (p *proxy) fromClient(raw []byte) error {
	m := jsonrpc.Parse(raw)
	switch {
	case p.doubtful(&m):
		id := cmp.Or(m.RawID, "null")
		return p.client.Write(jsonrpc.Failure(id, jsonrpc.CodeInvalidRequest, "hookline: this is not one JSON-RPC message that is read alike by everybody, and hooks guard the agent"))
	case m.Request():
		return p.begin(p.client, p.agent, &m)
	case m.Response():
		return p.finish(p.agent, p.client, &m)
	case m.Method == methodCancelRequest && p.cancelRequest(p.client, &m):
		return nil
	case m.Method == methodCancel:
		return p.cancelSession(&m, raw)
	}
	return p.agent.Write(raw)
}

// fromAgent takes a message of the agent.
func (p *proxy) fromAgent(raw []byte) error {
	m := jsonrpc.Parse(raw)
	switch {
	case p.doubtful(&m):
		p.Notify("a message of the agent was dropped, since it is not JSON that is read alike by everybody and hooks guard the agent")
		return nil
	case m.Request():
		return p.begin(p.agent, p.client, &m)
	case m.Response():
		return p.finish(p.client, p.agent, &m)
	case m.Method == methodCancelRequest && p.cancelRequest(p.agent, &m):
		return nil
	case m.Method == methodUpdate:
		if s := p.known(m.Content().String("sessionId")); s != nil && s.active() {
			return s.update(&m)
		}
	}
	return p.client.Write(raw)
}

// doubtful reports whether a message is not passed on since somebody could read it otherwise
// than hooks are shown it. Responses are answered for.
func (p *proxy) doubtful(m *jsonrpc.Message) bool {
	if m.Response() || !p.guarded() {
		return false
	}
	return m.Doubtful || m.ID+m.Method == "" || m.Method == methodUpdate && !m.Clear()
}

// guarded reports whether any session has hooks.
func (p *proxy) guarded() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, s := range p.sessions {
		if s.active() {
			return true
		}
	}
	return false
}

// abandon gives up what the agent leaves unanswered, and returns the ids of those requests.
func (p *proxy) abandon() (ids []string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, c := range p.client.calls {
		c.cancel()
		ids = append(ids, c.request.RawID)
	}
	clear(p.client.calls)
	return ids
}

// deaf gives up the questions that the client has not answered.
func (p *proxy) deaf() {
	p.mu.Lock()
	for _, answer := range p.asked {
		close(answer)
	}
	p.asked = nil
	p.mu.Unlock()
	p.client.work.Wait()
}

// silent ends what is asked for the agent, which has gone.
func (p *proxy) silent() {
	p.mu.Lock()
	for _, c := range p.agent.calls {
		c.cancel()
	}
	p.mu.Unlock()
	p.agent.work.Wait()
}

// say tells the person something in a session.
func (s *session) say(format string, args ...any) {
	s.chunk("\n\n[hookline] " + fmt.Sprintf(format, args...) + "\n\n")
}

// chunk shows the person a text as one of the agent.
func (s *session) chunk(text string) {
	s.tell(s.p.client, methodUpdate, map[string]any{"sessionId": s.id, "update": map[string]any{
		"sessionUpdate": "agent_message_chunk", "content": textBlock(text),
	}})
}

// tell sends one side a notification.
func (s *session) tell(to *peer, method string, params any) {
	write(to, jsonrpc.Notification(method, hook.MustJSON(params)))
}

// write writes beside the pumps, which notice themselves when a side is gone.
func write(to *peer, msg []byte) { _ = to.Write(msg) }

// block is a block of content that is a text.
type block struct {
	Type string `json:"type"`
	Text string `json:"text"`
}

func textBlock(text string) block { return block{"text", text} }
