package agentsdk

import (
	"cmp"
	"context"
	"fmt"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/hookline-dev/hookline/agent"
	"github.com/hookline-dev/hookline/hook"
	"github.com/hookline-dev/hookline/ui"
)

// person is the program as the one who is asked about tool calls and for what MCP servers
// want to know. It answers no other dialogs.
type person struct {
	ui.None
	s *Server
}

var (
	_ ui.UI        = (*person)(nil)
	_ ui.Permitter = (*person)(nil)

	_ agent.Elicitor = (*person)(nil)
	_ agent.Caller   = (*person)(nil)
)

// IsCaller says that the program gets questions itself.
func (p *person) IsCaller() {}

// HasUI reports whether the program answers.
func (p *person) HasUI() bool {
	select {
	case <-p.s.gone:
		return false
	default:
		return p.s.cfg.Ask
	}
}

// Elicit asks what an MCP server wants to know. A program that does not answer such
// questions declines.
func (p *person) Elicit(ctx context.Context, in *hook.Elicitation) (string, hook.JSON, error) {
	fields, _ := in.RequestedSchema.Get("properties")
	out, err := p.s.ask(ctx, struct {
		Subtype string    `json:"subtype"`
		Server  string    `json:"mcp_server_name"`
		Message string    `json:"message"`
		Mode    string    `json:"mode"`
		URL     string    `json:"url,omitzero"`
		ID      string    `json:"elicitation_id,omitzero"`
		Schema  hook.JSON `json:"requested_schema,omitzero"`
		Order   []string  `json:"property_order,omitzero"`
	}{"elicitation", in.MCPServerName, in.Message, in.Mode, in.URL, in.ElicitationID, in.RequestedSchema, fields.Keys()})
	if err != nil {
		return agent.Decline, hook.JSON{}, ctx.Err()
	}
	switch action := out.String("action"); action {
	case agent.Accept:
		content, _ := out.Get("content")
		return action, content, nil
	case agent.Decline, agent.Cancel:
		return action, hook.JSON{}, nil
	default:
		return agent.Decline, hook.JSON{}, fmt.Errorf("the program's answer is none: action is accept, decline or cancel, not %q", action)
	}
}

// reasonTypes are the SDK's words for what wants a question; others are other.
var reasonTypes = map[string]string{"rule": "rule", "hook": "hook", "mode": "mode", "protected": "safetyCheck"}

// Permit asks whether a call may run.
func (p *person) Permit(ctx context.Context, q ui.Permission) (ui.PermissionAnswer, error) {
	kind := cmp.Or(reasonTypes[q.Basis], "other")
	if q.Path != "" {
		kind = "workingDir"
	}
	said := cmp.Or(hook.RawJSON(q.Input).String("description"), q.Diff)
	out, err := p.s.ask(ctx, struct {
		Subtype     string           `json:"subtype"`
		Tool        string           `json:"tool_name"`
		Name        string           `json:"display_name"`
		Input       jsontext.Value   `json:"input"`
		Description string           `json:"description,omitzero"`
		Suggestions []jsontext.Value `json:"permission_suggestions"`
		Path        string           `json:"blocked_path,omitzero"`
		Reason      string           `json:"decision_reason,omitzero"`
		ReasonType  string           `json:"decision_reason_type"`
		ID          string           `json:"tool_use_id"`
		AgentID     string           `json:"agent_id,omitzero"`
	}{"can_use_tool", q.Tool, q.Tool, q.Input, said, append([]jsontext.Value{}, q.Suggestions...), q.Path, q.Reason, kind, q.ToolUseID, q.AgentID})
	if err != nil {
		return ui.PermissionAnswer{}, err
	}
	var a struct {
		Behavior  string           `json:"behavior"`
		Input     jsontext.Value   `json:"updatedInput"`
		Updates   []jsontext.Value `json:"updatedPermissions"`
		Message   string           `json:"message"`
		Interrupt bool             `json:"interrupt"`
	}
	if err := decode(jsontext.Value(out.Raw()), &a); err != nil {
		return ui.PermissionAnswer{}, fmt.Errorf("the program's answer can't be read: %w", err)
	}
	switch a.Behavior {
	case "allow":
		if a.Input.Kind() == 'n' {
			a.Input = nil
		}
		return ui.PermissionAnswer{Allow: true, Input: a.Input, Updates: a.Updates}, nil
	case "deny":
		return ui.PermissionAnswer{Message: a.Message, Interrupt: a.Interrupt}, nil
	}
	return ui.PermissionAnswer{}, fmt.Errorf("the program's answer is none: behavior is allow or deny, not %q", a.Behavior)
}
