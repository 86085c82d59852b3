package acpproxy

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hookline-dev/hookline/bridge/jsonrpc"
	"github.com/hookline-dev/hookline/dialect"
	"github.com/hookline-dev/hookline/hook"
)

// beforeInitialize asks for the version of the protocol that the proxy understands.
func beforeInitialize(_ *proxy, c *call) []byte {
	if v, ok := c.params.Int("protocolVersion"); !ok || v > protocolVersion {
		if err := c.params.Set("protocolVersion", protocolVersion); err != nil {
			return c.refuse("the request cannot be read: " + err.Error())
		}
	}
	return nil
}

// protocolVersion is the version of the protocol that the proxy understands.
const protocolVersion = 1

// afterInitialize learns which agent it is.
func afterInitialize(p *proxy, c *call, m *jsonrpc.Message) []byte {
	if m.Failed {
		return m.Raw
	}
	if v, ok := m.Content().Int("protocolVersion"); !ok || v > protocolVersion {
		return c.refuse(fmt.Sprintf("the agent speaks version %d of the protocol only, and hooks can guard version %d", v, protocolVersion))
	}
	info, _ := m.Content().Get("agentInfo")
	name := strings.ToLower(info.String("name"))
	i := slices.IndexFunc(p.Hosts, func(h *dialect.Host) bool { return h.ACP != nil && strings.Contains(name, h.ACP.Agent) })
	if i < 0 {
		return m.Raw
	}
	if p.RequireGate && p.Hosts[i].ACP.Asks == "" {
		return c.refuse(p.Hosts[i].Title + " runs its tools without asking, so that hooks cannot stop them")
	}
	p.mu.Lock()
	p.host = p.Hosts[i]
	p.mu.Unlock()
	return m.Raw
}

// tellGate says, once, which tools hooks can stop and which they only see.
func (p *proxy) tellGate(s *session) {
	p.mu.Lock()
	told, h := p.told, p.host
	p.told = true
	p.mu.Unlock()
	if told {
		return
	}
	name, acp := "this agent", &dialect.HostACP{Asks: "what it asks permission for", Seen: "all that it does without asking"}
	if h != nil {
		name, acp = h.Title, h.ACP
	}
	text := fmt.Sprintf("Hooks can stop what %s does through the editor's files and terminals", name)
	if acp.Asks != "" {
		text += ", and " + acp.Asks
	}
	text += ". They only see " + acp.Seen + "."
	p.Notify(text)
	s.say("%s", text)
}

// ranUnasked tells that the agent ran a tool that hooks guard and did not ask. Where that
// must not be, it ends the turn.
func (s *session) ranUnasked(t *tool) {
	if !s.hooks.Guards(&hook.PreToolUse{ToolName: t.name, ToolInput: t.input, ToolUseID: t.id}) {
		return
	}
	s.mu.Lock()
	before := s.unasked[t.name]
	s.unasked[t.name] = true
	s.mu.Unlock()
	if s.p.RequireGate {
		s.say("The turn ends: the agent ran %s without asking, which hooks guard.", t.name)
		s.interrupt()
		return
	}
	if !before {
		s.say("The agent ran %s without asking: hooks that guard it could not stop it.", t.name)
	}
}
