package acpproxy

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hookline-dev/hookline/bridge/jsonrpc"
	"github.com/hookline-dev/hookline/hook"
)

// modeIn is the agent's mode in what it says of a session, "" where it says nothing of that.
func modeIn(said hook.JSON) string {
	if modes, ok := said.Get("modes"); ok {
		return modes.String("currentModeId")
	}
	var options []hook.JSON
	if list, ok := said.Get("configOptions"); !ok || list.Decode(&options) != nil {
		return said.String("currentModeId")
	}
	for _, o := range options {
		if o.String("category") == "mode" {
			return o.String("currentValue")
		}
	}
	return ""
}

// afterSetMode takes over the mode that the client has chosen.
func afterSetMode(p *proxy, c *call, m *jsonrpc.Message) []byte {
	s := p.known(c.params.String("sessionId"))
	if s == nil || m.Failed {
		return m.Raw
	}
	mode := modeIn(m.Content())
	if c.request.Method == methodSetMode {
		mode = c.params.String("modeId")
	}
	if !s.setMode(mode) {
		return m.Raw
	}
	if p.done(c) {
		write(c.from, m.Raw)
	}
	s.tellMode()
	return nil
}

// setMode takes over the agent's mode, and reports whether it is another.
func (s *session) setMode(mode string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if mode == "" || mode == s.agentMode {
		return false
	}
	s.agentMode = mode
	if slices.Contains([]string{"default", "plan", "acceptEdits", "auto", "dontAsk", "bypassPermissions"}, mode) {
		s.mode = mode
	}
	return true
}

// unguarded says why hooks cannot stop what the agent does by itself in its mode, "" when
// they can, or have nothing to say of it.
func (s *session) unguarded() string {
	s.p.mu.Lock()
	h := s.p.host
	s.p.mu.Unlock()
	s.mu.Lock()
	mode := s.agentMode
	s.mu.Unlock()
	if h == nil || h.ACP.AsksIn == nil || mode == "" || slices.Contains(h.ACP.AsksIn, mode) || !s.hooks.Hears(hook.EventPreToolUse) {
		return ""
	}
	return fmt.Sprintf("%s is in its mode %s, in which it is not known to ask: hooks only see what it does by itself. It asks in: %s.", h.Title, mode, strings.Join(h.ACP.AsksIn, ", "))
}

// tellMode tells the person of a mode in which hooks stop nothing. Where that must not be, it
// ends the turn.
func (s *session) tellMode() {
	why := s.unguarded()
	if why == "" {
		return
	}
	s.say("%s", why)
	if s.p.RequireGate {
		s.interrupt()
	}
}
