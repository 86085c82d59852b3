package mcpproxy

import (
	"context"

	"github.com/hookline-dev/hookline/bridge/jsonrpc"
	"github.com/hookline-dev/hookline/hook"
)

// The methods that hooks see.
const (
	methodInitialize = "initialize"
	methodCall       = "tools/call"
	methodList       = "tools/list"
	methodRead       = "resources/read"
	methodPrompt     = "prompts/get"
	methodElicit     = "elicitation/create"
	methodCancelled  = "notifications/cancelled"
)

// call is a request of the client on its way to its answer.
type call struct {
	request jsonrpc.Message
	guard   *guard // nil when no hook cares
	ctx     context.Context
	cancel  context.CancelFunc // ends the hooks that are asked before it goes to the server

	// What follows belongs to the goroutine that has the call: hooks are asked before the
	// server gets it, or after the server's answer.
	params          hook.JSON // as the server is to get them
	input, original hook.JSON // what hooks see of them; original is absent when none changed it
	notes           []string  // what hooks add to the result

	// With the proxy's lock:
	sent, back bool // the server has got it, and has answered
}

// guard is how hooks see the requests of one method.
type guard struct {
	// before asks the hooks, and returns the answer in the server's place, nil when the
	// request goes on.
	before func(p *proxy, c *call) []byte
	// after shows hooks the server's answer, and returns what the client gets.
	after func(p *proxy, c *call, m *jsonrpc.Message) []byte
}

// guardOf returns the guard of a method that a hook cares about, nil when none does.
func (p *proxy) guardOf(method string) *guard {
	switch method {
	case methodCall, methodRead:
		for _, ev := range []hook.Event{hook.EventPreToolUse, hook.EventPostToolUse, hook.EventPostToolUseFailure, hook.EventToolOffered} {
			if p.Hears(ev) {
				return &toolGuard
			}
		}
	case methodList:
		if p.Memory != nil || p.Hears(hook.EventToolOffered) {
			return &listGuard
		}
	case methodPrompt:
		if p.Hears(hook.EventUserPromptExpansion) {
			return &promptGuard
		}
	}
	return nil
}

// begin takes a request of the client.
func (p *proxy) begin(m *jsonrpc.Message) error {
	ctx, cancel := context.WithCancel(p.ctx)
	c := &call{request: *m, guard: p.guardOf(m.Method), params: m.Content(), ctx: ctx, cancel: cancel}
	if m.Method == methodInitialize {
		p.noteClient(c.params)
	}
	if c.guard != nil && !m.Clear() {
		cancel()
		return p.client.Write(jsonrpc.Failure(m.RawID, jsonrpc.CodeInvalidRequest, "hookline: the request can be read in more than one way, and hooks guard the server"))
	}
	if !p.register(c) {
		cancel()
		return p.client.Write(jsonrpc.Failure(m.RawID, jsonrpc.CodeInvalidRequest, "hookline: the id "+m.RawID+" belongs to a request that has no answer yet"))
	}
	if c.guard == nil {
		return p.server.Write(m.Raw)
	}
	select {
	case p.before.slots <- struct{}{}:
	default: // waiting here would keep the answers to questions from being read
		p.done(c)
		return p.client.Write(jsonrpc.Failure(m.RawID, jsonrpc.CodeRefused, "hookline: too many requests wait for their hooks"))
	}
	p.before.run(func() { p.ask(c) })
	return nil
}

// register notes a request, unless its id is taken.
func (p *proxy) register(c *call) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.calls[c.request.ID] != nil {
		return false
	}
	c.sent = c.guard == nil
	p.calls[c.request.ID] = c
	return true
}

// done forgets a request that has its answer. It reports whether the client still wants
// that.
func (p *proxy) done(c *call) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.calls[c.request.ID] != c {
		return false
	}
	delete(p.calls, c.request.ID)
	c.cancel()
	return true
}

// ask asks hooks about a request, and sends it on or answers it.
func (p *proxy) ask(c *call) {
	answer := c.guard.before(p, c)
	if answer != nil {
		if p.done(c) {
			write(p.client, answer)
		}
		return
	}
	p.mu.Lock()
	wanted := p.calls[c.request.ID] == c
	c.sent = wanted
	p.mu.Unlock()
	if !wanted {
		return
	}
	raw := c.request.Raw
	if c.params != c.request.Content() {
		raw = c.request.With(c.params)
	}
	write(p.server, raw)
}

// finish takes an answer of the server.
func (p *proxy) finish(m *jsonrpc.Message) error {
	p.mu.Lock()
	c := p.calls[m.ID]
	waits := c != nil && c.sent && !c.back
	if waits {
		c.back = true
	}
	p.mu.Unlock()
	switch {
	case !waits:
		p.Notify("MCP server " + p.Server + ": a response was dropped, since nobody waits for one to " + m.RawID)
		return nil
	case c.guard == nil:
		p.done(c)
		return p.client.Write(m.Raw)
	}
	answer := *m
	p.after.slots <- struct{}{}
	p.after.run(func() {
		out := jsonrpc.Failure(c.request.RawID, jsonrpc.CodeRefused, "hookline: the server's answer can be read in more than one way, and hooks guard the server")
		if answer.Clear() {
			out = c.guard.after(p, c, &answer)
		}
		if p.done(c) {
			write(p.client, out)
		}
	})
	return nil
}

// cancelled takes the client's word that it does not want an answer any more. It reports
// whether the server need not know.
func (p *proxy) cancelled(m *jsonrpc.Message) bool {
	id, ok := m.Content().Get("requestId")
	if !ok {
		return false
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	c := p.calls[jsonrpc.Canonical([]byte(id.Raw()))]
	if c == nil || c.sent {
		return false // a late answer is still taken, and the client knows to ignore it
	}
	delete(p.calls, c.request.ID)
	c.cancel()
	return true
}

// noteClient notes what a client can do that says so once.
func (p *proxy) noteClient(params hook.JSON) {
	caps, _ := params.Get("capabilities")
	p.mu.Lock()
	defer p.mu.Unlock()
	p.canAsk = asksForms(caps)
}

// asksForms reports whether a client with these capabilities can put a form to a person.
func asksForms(caps hook.JSON) bool {
	e, ok := caps.Get("elicitation")
	return ok && (len(e.Keys()) == 0 || e.Has("form")) // without modes it is forms
}
