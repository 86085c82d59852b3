package mcpproxy

import (
	"context"

	"github.com/hookline-dev/hookline/hook"
)

// call is a request of the client on its way to its answer.
type call struct {
	request message
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
	after func(p *proxy, c *call, m *message) []byte
}

// guardOf returns the guard of a method that a hook cares about, nil when none does.
func (p *proxy) guardOf(method string) *guard {
	switch method {
	case methodCall, methodRead:
		for _, ev := range []hook.Event{hook.EventPreToolUse, hook.EventPostToolUse, hook.EventPostToolUseFailure} {
			if p.Hears(ev) {
				return &toolGuard
			}
		}
	case methodPrompt:
		if p.Hears(hook.EventUserPromptExpansion) {
			return &promptGuard
		}
	}
	return nil
}

// begin takes a request of the client.
func (p *proxy) begin(m *message) error {
	ctx, cancel := context.WithCancel(p.ctx)
	c := &call{request: *m, guard: p.guardOf(m.method), params: m.content(), ctx: ctx, cancel: cancel}
	if m.method == methodInitialize {
		p.noteClient(c.params)
	}
	if c.guard != nil && !m.clear() {
		cancel()
		return p.client.Write(failure(m.rawID, codeInvalidRequest, "hookline: the request can be read in more than one way, and hooks guard the server"))
	}
	if !p.register(c) {
		cancel()
		return p.client.Write(failure(m.rawID, codeInvalidRequest, "hookline: the id "+m.rawID+" belongs to a request that has no answer yet"))
	}
	if c.guard == nil {
		return p.server.Write(m.raw)
	}
	select {
	case p.before.slots <- struct{}{}:
	default: // waiting here would keep the answers to questions from being read
		p.done(c)
		return p.client.Write(failure(m.rawID, codeRefused, "hookline: too many requests wait for their hooks"))
	}
	p.before.run(func() { p.ask(c) })
	return nil
}

// register notes a request, unless its id is taken.
func (p *proxy) register(c *call) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.calls[c.request.id] != nil {
		return false
	}
	c.sent = c.guard == nil
	p.calls[c.request.id] = c
	return true
}

// done forgets a request that has its answer. It reports whether the client still wants
// that.
func (p *proxy) done(c *call) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.calls[c.request.id] != c {
		return false
	}
	delete(p.calls, c.request.id)
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
	wanted := p.calls[c.request.id] == c
	c.sent = wanted
	p.mu.Unlock()
	if !wanted {
		return
	}
	raw := c.request.raw
	if c.params != c.request.content() {
		raw = c.request.with(c.params)
	}
	write(p.server, raw)
}

// finish takes an answer of the server.
func (p *proxy) finish(m *message) error {
	p.mu.Lock()
	c := p.calls[m.id]
	waits := c != nil && c.sent && !c.back
	if waits {
		c.back = true
	}
	p.mu.Unlock()
	switch {
	case !waits:
		p.Notify("MCP server " + p.Server + ": a response was dropped, since nobody waits for one to " + m.rawID)
		return nil
	case c.guard == nil:
		p.done(c)
		return p.client.Write(m.raw)
	}
	answer := *m
	p.after.slots <- struct{}{}
	p.after.run(func() {
		out := failure(c.request.rawID, codeRefused, "hookline: the server's answer can be read in more than one way, and hooks guard the server")
		if answer.clear() {
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
func (p *proxy) cancelled(m *message) bool {
	id, ok := m.content().Get("requestId")
	if !ok {
		return false
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	c := p.calls[canonical([]byte(id.Raw()))]
	if c == nil || c.sent {
		return false // a late answer is still taken, and the client knows to ignore it
	}
	delete(p.calls, c.request.id)
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
