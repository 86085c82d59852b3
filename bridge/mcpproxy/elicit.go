package mcpproxy

import (
	"cmp"

	"github.com/hookline-dev/hookline/bridge/jsonrpc"
	"github.com/hookline-dev/hookline/hook"
)

// elicited is a question of the server to the person.
type elicited struct {
	rawID string
	in    *hook.Elicitation
}

// elicit lets hooks answer a question of the server in the person's place.
func (p *proxy) elicit(m jsonrpc.Message) {
	params := m.Content()
	schema, _ := params.Get("requestedSchema")
	in := &hook.Elicitation{
		Common: p.Common, MCPServerName: p.Server, Message: params.String("message"), Mode: cmp.Or(params.String("mode"), "form"),
		URL: params.String("url"), ElicitationID: params.String("elicitationId"), RequestedSchema: schema,
	}
	e := &elicited{m.RawID, in}
	out, err := p.fire(p.ctx, in)
	switch {
	case err != nil || !m.Clear() || out.Blocked() || out.Halt:
		p.conclude(e, "decline", hook.JSON{})
	case out.Host != nil && out.Host.ElicitationAction != "":
		p.conclude(e, out.Host.ElicitationAction, out.Host.ElicitationContent)
	case !p.hear(m.ID, e):
		p.conclude(e, "decline", hook.JSON{})
	default:
		write(p.client, m.Raw)
	}
}

// hear remembers a question of the server until it is answered, unless too many are open or
// its id is taken.
func (p *proxy) hear(id string, e *elicited) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.heard[id] != nil || len(p.heard) >= maxWaiting {
		return false
	}
	p.heard[id] = e
	return true
}

// elicitedAnswer takes the person's answer to a question of the server.
func (p *proxy) elicitedAnswer(e *elicited, m *jsonrpc.Message) {
	if m.Failed || !m.Clear() {
		write(p.server, m.Raw)
		return
	}
	content, _ := m.Content().Get("content")
	p.conclude(e, m.Content().String("action"), content)
}

// conclude shows hooks the answer to a question of the server, and sends it.
func (p *proxy) conclude(e *elicited, action string, content hook.JSON) {
	out, err := p.fire(p.ctx, &hook.ElicitationResult{
		Common: p.Common, MCPServerName: p.Server, Action: action, Content: content, Mode: e.in.Mode, ElicitationID: e.in.ElicitationID,
	})
	switch {
	case err != nil || out.Blocked() || out.Halt:
		action, content = "decline", hook.JSON{}
	case out.Host != nil && out.Host.ElicitationAction != "":
		action, content = out.Host.ElicitationAction, out.Host.ElicitationContent
	}
	result := hook.MustJSON(map[string]string{"action": action})
	if !content.IsZero() {
		if err := result.Set("content", content); err != nil {
			result = hook.MustJSON(map[string]string{"action": "decline"})
		}
	}
	write(p.server, jsonrpc.Reply(e.rawID, result))
}
