package acpproxy

import (
	"fmt"
	"strings"

	"github.com/hookline-dev/hookline/bridge/jsonrpc"
	"github.com/hookline-dev/hookline/hook"
)

// facts are what is known of an agent: which of its tools it asks permission for.
type facts struct {
	// name is in what the agent calls itself.
	name string
	// asks are those that it asks about, and seen those that it runs by itself; "" when it
	// is not known.
	asks, seen string
}

// agents are the facts, each as observed with the version and on the day that docs/acp.md
// names.
var agents = []facts{
	{name: "claude-agent-acp", asks: "commands and changes of files, in its modes default and plan", seen: "what reads and searches, and all that its own settings allow"},
	{name: "gemini", asks: "commands and changes of files, in its mode default", seen: "what reads and searches, and everything in its mode yolo"},
	{name: "copilot", asks: "commands and changes of files, unless it is started with --allow-all-tools", seen: "what reads and searches"},
	{name: "opencode", seen: "all that its own configuration does not have it ask about, which is everything unless \"permission\" says ask"},
}

// unknown are the facts of any other agent.
var unknown = facts{name: "this agent", asks: "what it asks permission for", seen: "all that it does without asking"}

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
	known := factsOf(info.String("name"))
	if p.RequireGate && known.asks == "" {
		return c.refuse(known.name + " runs its tools without asking, so that hooks cannot stop them")
	}
	p.mu.Lock()
	p.facts = known
	p.mu.Unlock()
	return m.Raw
}

func factsOf(name string) *facts {
	for i := range agents {
		if strings.Contains(strings.ToLower(name), agents[i].name) {
			return &agents[i]
		}
	}
	return &unknown
}

// tellGate says, once, which tools hooks can stop and which they only see.
func (p *proxy) tellGate(s *session) {
	p.mu.Lock()
	told, known := p.told, p.facts
	p.told = true
	p.mu.Unlock()
	if told {
		return
	}
	if known == nil {
		known = &unknown
	}
	text := fmt.Sprintf("Hooks can stop what %s does through the editor's files and terminals", known.name)
	if known.asks != "" {
		text += ", and " + known.asks
	}
	text += ". They only see " + known.seen + "."
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
