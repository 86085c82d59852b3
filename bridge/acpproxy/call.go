package acpproxy

import (
	"context"

	"github.com/hookline-dev/hookline/bridge/jsonrpc"
	"github.com/hookline-dev/hookline/hook"
)

// The methods that are looked at.
const (
	methodInitialize     = "initialize"
	methodNew            = "session/new"
	methodLoad           = "session/load"
	methodResume         = "session/resume"
	methodClose          = "session/close"
	methodDelete         = "session/delete"
	methodSetMode        = "session/set_mode"
	methodSetOption      = "session/set_config_option"
	methodPrompt         = "session/prompt"
	methodCancel         = "session/cancel"
	methodUpdate         = "session/update"
	methodPermission     = "session/request_permission"
	methodRead           = "fs/read_text_file"
	methodWrite          = "fs/write_text_file"
	methodTerminal       = "terminal/create"
	methodTerminalOutput = "terminal/output"
	methodCancelRequest  = "$/cancel_request"
)

// codeCancelled is the error of a request that its sender cancelled.
const codeCancelled = -32800

// call is a request of one side on its way to its answer by the other.
type call struct {
	from, to *peer
	request  jsonrpc.Message
	guard    *guard // nil when no hook cares
	ctx      context.Context
	cancel   context.CancelFunc // ends the hooks that are asked about it

	// What follows belongs to the goroutine that has the call: hooks are asked before the
	// other side gets it, or after its answer.
	session *session
	params  hook.JSON // as the other side is to get them
	tool    tool      // what hooks see of it
	stops   int       // how often hooks sent the agent on
	last    string    // the agent's last message

	// With the proxy's lock:
	sent, back bool // the other side has got it, and has answered
}

// guard is how hooks see the requests of one method.
type guard struct {
	// before asks hooks, and returns the answer in the other side's place, nil when the
	// request goes on.
	before func(p *proxy, c *call) []byte
	// after, when not nil, shows hooks the answer, and returns what is passed on; nil when
	// the request has been sent again.
	after func(p *proxy, c *call, m *jsonrpc.Message) []byte
	// arrived, when not nil, is called with each answer before what comes after it is looked at.
	arrived func(c *call)
	// cancelled is the answer to one that was cancelled while hooks were asked.
	cancelled func(c *call) []byte
	// always says that it is looked at without hooks, too, and inOrder that what comes after
	// the answer waits for it.
	always, inOrder bool
}

// guards are those of the client's and of the agent's methods.
var guards = map[string]*guard{
	methodInitialize:     {before: beforeInitialize, after: afterInitialize, always: true, inOrder: true},
	methodNew:            {before: beforeSession, after: afterSession, always: true, inOrder: true},
	methodLoad:           {before: beforeSession, after: afterSession, always: true, inOrder: true},
	methodResume:         {before: beforeSession, after: afterSession, always: true, inOrder: true},
	methodClose:          {before: goOn, after: afterClose, always: true},
	methodDelete:         {before: goOn, after: afterClose, always: true},
	methodSetMode:        {before: goOn, after: afterSetMode, inOrder: true},
	methodSetOption:      {before: goOn, after: afterSetMode, inOrder: true},
	methodPrompt:         {before: beforePrompt, arrived: promptArrived, after: afterPrompt, cancelled: cancelledPrompt},
	methodPermission:     {before: beforePermission, cancelled: cancelledPermission},
	methodRead:           {before: beforeTool, after: afterRead},
	methodWrite:          {before: beforeTool, after: afterWrite},
	methodTerminal:       {before: beforeTool, after: afterTerminal},
	methodTerminalOutput: {before: goOn, after: afterTerminalOutput},
}

func goOn(*proxy, *call) []byte { return nil }

// refuse answers a request with an error.
func (c *call) refuse(why string) []byte {
	return jsonrpc.Failure(c.request.RawID, jsonrpc.CodeRefused, "hookline: "+why)
}

// guardOf returns the guard of a request, nil when no hook cares. The session may be one
// whose hooks are not loaded yet.
func (p *proxy) guardOf(m *jsonrpc.Message) *guard {
	g := guards[m.Method]
	if g == nil || g.always {
		return g
	}
	if s := p.known(m.Content().String("sessionId")); s != nil && !s.active() {
		return nil
	}
	return g
}

// begin takes a request.
func (p *proxy) begin(from, to *peer, m *jsonrpc.Message) error {
	ctx, cancel := context.WithCancel(p.ctx)
	c := &call{from: from, to: to, request: *m, guard: p.guardOf(m), ctx: ctx, cancel: cancel}
	refused := func(why string) error {
		cancel()
		return from.Write(jsonrpc.Failure(m.RawID, jsonrpc.CodeInvalidRequest, "hookline: "+why))
	}
	if c.guard != nil {
		if !m.Clear() {
			return refused("the request can be read in more than one way, and hooks guard the agent")
		}
		c.params = m.Content()
	}
	p.mu.Lock()
	taken, full := from.calls[m.ID] != nil, c.guard != nil && waiting(from) >= maxWaiting
	if !taken && !full {
		c.sent = c.guard == nil
		from.calls[m.ID] = c
	}
	p.mu.Unlock()
	switch {
	case taken:
		return refused("the id " + m.RawID + " belongs to a request that has no answer yet")
	case full: // waiting here would keep cancellations and answers from being read
		return refused("too many requests wait for an answer")
	case c.guard == nil:
		return to.Write(m.Raw)
	}
	if m.Method == methodInitialize { // what follows counts on it
		p.ask(c)
		return nil
	}
	from.work.Go(func() { p.ask(c) })
	return nil
}

// waiting is how many requests of a side hooks see.
func waiting(from *peer) (n int) {
	for _, c := range from.calls {
		if c.guard != nil {
			n++
		}
	}
	return n
}

// done forgets a request that has its answer. It reports whether its sender waits for one.
func (p *proxy) done(c *call) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if c.from.calls[c.request.ID] != c {
		return false
	}
	delete(c.from.calls, c.request.ID)
	c.cancel()
	return true
}

// ask asks hooks about a request, and sends it on or answers it.
func (p *proxy) ask(c *call) {
	answer := c.guard.before(p, c)
	switch {
	case answer == nil && p.send(c):
		return
	case c.ctx.Err() != nil && c.guard.cancelled != nil:
		answer = c.guard.cancelled(c)
	case answer == nil || c.ctx.Err() != nil:
		answer = jsonrpc.Failure(c.request.RawID, codeCancelled, "hookline: cancelled while hooks were asked")
	}
	if p.done(c) {
		write(c.from, answer)
	}
}

// send sends a request on, once more when it has been answered. It reports whether its
// sender still wants that.
func (p *proxy) send(c *call) bool {
	p.mu.Lock()
	wanted := c.from.calls[c.request.ID] == c && c.ctx.Err() == nil
	if wanted {
		c.sent, c.back = true, false
	}
	p.mu.Unlock()
	if !wanted {
		return false
	}
	raw := c.request.Raw
	if c.params != c.request.Content() {
		raw = c.request.With(c.params)
	}
	write(c.to, raw)
	return true
}

// finish takes an answer to a request of a side.
func (p *proxy) finish(asker, from *peer, m *jsonrpc.Message) error {
	p.mu.Lock()
	ours := p.asked[m.ID]
	if from == p.client && ours != nil {
		delete(p.asked, m.ID)
		p.mu.Unlock()
		ours <- *m
		return nil
	}
	c := asker.calls[m.ID]
	waits := c != nil && c.sent && !c.back
	broken := waits && c.guard == nil && m.Doubtful // it may be half of the answer
	if waits && !broken {
		c.back = true
	}
	p.mu.Unlock()
	switch {
	case !waits:
		p.Notify("a response was dropped, since nobody waits for one to " + m.RawID)
		return nil
	case broken:
		return asker.Write(m.Raw)
	case c.guard == nil || c.guard.after == nil && m.Clear():
		p.done(c)
		return asker.Write(m.Raw)
	}
	if c.guard.arrived != nil {
		c.guard.arrived(c)
	}
	if c.guard.inOrder {
		p.answered(c, m)
		return nil
	}
	answer := *m
	from.work.Go(func() { p.answered(c, &answer) })
	return nil
}

// answered shows hooks an answer and passes it on.
func (p *proxy) answered(c *call, m *jsonrpc.Message) {
	out := c.refuse("the answer can be read in more than one way, and hooks guard the agent")
	if m.Clear() {
		out = c.guard.after(p, c, m)
	}
	if out != nil && p.done(c) {
		write(c.from, out)
	}
}

// cancelRequest takes the word of a side that it does not want an answer any more. It
// reports whether the other side need not know.
func (p *proxy) cancelRequest(from *peer, m *jsonrpc.Message) bool {
	id, _ := m.Content().Get("requestId")
	p.mu.Lock()
	defer p.mu.Unlock()
	c := from.calls[jsonrpc.Canonical([]byte(id.Raw()))]
	if c == nil || c.guard == nil {
		return false
	}
	c.cancel()
	return !c.sent
}

// cancelSession takes the client's word that the turns of a session are to end, and tells
// the agent before it gets answers that follow from that. An agent that has no turn need not
// know: it may take that for its next one.
func (p *proxy) cancelSession(m *jsonrpc.Message, raw []byte) error {
	asked, known := p.cancelPrompts(m.Content().String("sessionId"))
	var err error
	if known {
		err = p.agent.Write(raw)
	}
	for _, c := range asked {
		c.cancel()
	}
	return err
}

// cancelPrompts cancels the prompts of a session. It returns what the agent asks of the
// client and hooks are still asked about, and whether the agent may know of a prompt.
func (p *proxy) cancelPrompts(session string) (asked []*call, known bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	unsent, sent := 0, 0
	for _, c := range p.client.calls {
		if c.request.Method != methodPrompt || c.request.Content().String("sessionId") != session {
			continue
		}
		if c.sent {
			sent++
		} else {
			unsent++
		}
		c.cancel()
	}
	for _, c := range p.agent.calls {
		if !c.sent && c.request.Content().String("sessionId") == session {
			asked = append(asked, c)
		}
	}
	return asked, unsent == 0 || sent > 0
}
