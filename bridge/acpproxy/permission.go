package acpproxy

import (
	"cmp"
	"crypto/rand"
	"fmt"

	"github.com/hookline-dev/hookline/bridge/jsonrpc"
	"github.com/hookline-dev/hookline/hook"
)

// decided is what hooks came to about a call.
type decided struct {
	decision hook.Decision
	reason   string
}

// decide fires PreToolUse for a call, or PermissionRequest when a person is about to be
// asked. fits makes what hooks made of the input the one that counts.
func (s *session) decide(c *call, in hook.Input, input *hook.JSON, wrote hook.Fields, fits func(hook.JSON) error) decided {
	before := *input
	out, err := s.fire(c.ctx, in, wrote|hook.FieldUpdatedInput)
	if err == nil && *input != before {
		err = fits(*input)
	}
	switch {
	case err != nil:
		return decided{hook.DecisionDeny, err.Error()}
	case out.Halt:
		return decided{hook.DecisionDeny, cmp.Or(out.StopReason, out.Reason, "a hook ended the run")}
	case out.Interrupt && out.Decision == hook.DecisionDeny:
		s.interrupt()
	}
	return decided{out.Decision, out.Reason}
}

const decisions = hook.FieldAllow | hook.FieldAsk | hook.FieldDefer | hook.FieldDeny

func (s *session) preToolUse(c *call, t *tool, fits func(hook.JSON) error) decided {
	in := &hook.PreToolUse{ToolName: t.name, ToolInput: t.input, ToolUseID: t.id}
	return s.decide(c, in, &in.ToolInput, decisions, fits)
}

func (s *session) permissionRequest(c *call, t *tool, fits func(hook.JSON) error) decided {
	in := &hook.PermissionRequest{ToolName: t.name, ToolInput: t.input}
	return s.decide(c, in, &in.ToolInput, hook.FieldAllow|hook.FieldDeny|hook.FieldInterrupt, fits)
}

// noPlace refuses what hooks made of an input that cannot be sent.
func noPlace(input hook.JSON) error {
	return fmt.Errorf("a hook changes this, which cannot be done here: call it again with this input instead: %s", input.Raw())
}

// beforePermission lets hooks answer what the agent asks permission for.
func beforePermission(p *proxy, c *call) []byte {
	if err := p.of(c); err != nil {
		return c.refuse(err.Error())
	}
	s := c.session
	part, _ := c.params.Get("toolCall")
	seen, tools := s.asks(part)
	d := s.preDecision(c, seen, tools)
	if d.decision != hook.DecisionDeny && d.decision != hook.DecisionAllow {
		d = strictest(tools, func(t *tool) decided { return s.permissionRequest(c, t, noPlace) })
	}
	switch {
	case c.ctx.Err() != nil: // the turn is over
		return cancelledPermission(c)
	case d.decision == hook.DecisionDeny:
		why := fmt.Sprintf("%s was refused: %s", name(tools), cmp.Or(d.reason, "a hook refused it"))
		s.say("%s", why)
		s.note(why)
		return c.choose("reject_once")
	case d.decision == hook.DecisionAllow && c.option("allow_once") != "":
		return c.choose("allow_once")
	}
	return nil
}

// preDecision fires PreToolUse once for each call: one that is asked about again with the
// same input has its decision.
func (s *session) preDecision(c *call, seen *seenCall, tools []tool) decided {
	key := ""
	for _, t := range tools {
		key += t.name + t.input.Raw() + "\n"
	}
	s.mu.Lock()
	known, d := seen.key == key, seen.decided
	s.mu.Unlock()
	if known {
		return d
	}
	d = strictest(tools, func(t *tool) decided { return s.preToolUse(c, t, noPlace) })
	s.mu.Lock()
	defer s.mu.Unlock()
	seen.key, seen.decided = key, d
	return d
}

// strictest asks about each call, and returns the strictest decision. An allow counts only
// for all of them, and when hooks saw what will run.
func strictest(tools []tool, ask func(*tool) decided) decided {
	var out decided
	allowed := 0
	for i := range tools {
		d := ask(&tools[i])
		if d.decision == hook.DecisionAllow {
			if tools[i].exact {
				allowed++
			}
			continue
		}
		if d.decision > out.decision {
			out = d
		}
	}
	if out.decision == hook.DecisionNone && allowed == len(tools) {
		out.decision = hook.DecisionAllow
	}
	return out
}

func name(tools []tool) string {
	if len(tools) == 0 {
		return "a call"
	}
	return tools[0].name
}

// option returns the id of an option that is offered, "" when there is none of the kind.
func (c *call) option(kind string) string {
	for _, o := range list(c.params, "options") {
		if o.String("kind") == kind {
			return o.String("optionId")
		}
	}
	return ""
}

// choose answers with an option of a kind, and as cancelled when none is offered.
func (c *call) choose(kind string) []byte {
	id := c.option(kind)
	if id == "" {
		return cancelledPermission(c)
	}
	return jsonrpc.Reply(c.request.RawID, hook.MustJSON(map[string]any{"outcome": map[string]string{"outcome": "selected", "optionId": id}}))
}

func cancelledPermission(c *call) []byte {
	return jsonrpc.Reply(c.request.RawID, hook.MustJSON(map[string]any{"outcome": map[string]string{"outcome": "cancelled"}}))
}

// beforeTool asks hooks about what the agent wants of the editor's files and terminals.
func beforeTool(p *proxy, c *call) []byte {
	if err := p.of(c); err != nil {
		return c.refuse(err.Error())
	}
	s := c.session
	c.tool = readTool(c)
	d := s.preToolUse(c, &c.tool, c.take)
	reason := cmp.Or(d.reason, "a hook wants a person to decide")
	if d.decision == hook.DecisionAsk || d.decision == hook.DecisionDefer {
		if d = s.permissionRequest(c, &c.tool, c.take); d.decision == hook.DecisionNone {
			d = p.askPerson(c, reason)
		}
	}
	if d.decision == hook.DecisionDeny {
		return c.refuse(cmp.Or(d.reason, "a hook refused it"))
	}
	s.passes(c.params.String("path"))
	return nil
}

// kinds are those of the protocol for tools.
var kinds = map[string]string{"Read": "read", "Write": "edit", "Bash": "execute"}

// askPerson asks the person through the editor.
func (p *proxy) askPerson(c *call, reason string) decided {
	id := hook.MustJSON("hookline-" + rand.Text()).Raw()
	answers := make(chan jsonrpc.Message, 1)
	p.mu.Lock()
	connected := p.asked != nil
	if connected {
		p.asked[id] = answers
	}
	p.mu.Unlock()
	if !connected {
		return decided{hook.DecisionDeny, "it needs a person's yes, and nobody is there: " + reason}
	}
	defer func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		delete(p.asked, id)
	}()
	t := &c.tool
	params := map[string]any{
		"sessionId": c.session.id,
		"toolCall": map[string]any{
			"toolCallId": t.id, "title": t.name + ": " + cmp.Or(t.input.String("command"), t.input.String("file_path")), "kind": kinds[t.name],
			"status": "pending", "rawInput": t.input, "content": []any{map[string]any{"type": "content", "content": textBlock(reason)}},
		},
		"options": []any{
			map[string]string{"optionId": "allow", "name": "Allow", "kind": "allow_once"},
			map[string]string{"optionId": "reject", "name": "Reject", "kind": "reject_once"},
		},
	}
	write(p.client, jsonrpc.Call(id, methodPermission, hook.MustJSON(params)))
	select {
	case m, ok := <-answers:
		if outcome, _ := m.Content().Get("outcome"); ok && !m.Failed && m.Clear() && outcome.String("optionId") == "allow" {
			return decided{hook.DecisionAllow, ""}
		}
		return decided{hook.DecisionDeny, "the person refused it (" + reason + ")"}
	case <-c.ctx.Done():
		return decided{hook.DecisionDeny, "the turn has ended"}
	}
}
