package agent

import (
	"context"
	"fmt"

	"github.com/hookline-dev/hookline/hook"
	"github.com/hookline-dev/hookline/ui"
)

// The answers to what an MCP server asks.
const (
	Accept  = "accept"
	Decline = "decline"
	Cancel  = "cancel"
)

// Elicit answers what an MCP server asks the person: a hook may answer in the
// person's place or decline, and see the answer before the server does. Content is
// an object that fits the requested schema when a form was accepted.
func (a *Agent) Elicit(ctx context.Context, in *hook.Elicitation) (action string, content hook.JSON, err error) {
	out, err := a.Fire(ctx, in)
	if err != nil {
		return "", hook.JSON{}, err
	}
	switch {
	case out.Blocked():
		return Decline, hook.JSON{}, nil
	case out.Host != nil && out.Host.ElicitationAction != "":
		action, content = out.Host.ElicitationAction, out.Host.ElicitationContent
	default:
		if _, ok := a.cfg.UI.(Caller); !ok && a.cfg.UI.HasUI() {
			a.observe(ctx, &hook.Notification{NotificationType: "elicitation_dialog", Message: "An MCP server asks for your input"})
		}
		if action, content, err = a.askForm(ctx, in); err != nil {
			return "", hook.JSON{}, err
		}
	}
	seen := &hook.ElicitationResult{MCPServerName: in.MCPServerName, Action: action, Content: content, Mode: in.Mode, ElicitationID: in.ElicitationID}
	after, err := a.Fire(ctx, seen)
	if err != nil {
		return "", hook.JSON{}, err
	}
	switch {
	case after.Blocked():
		action, content = Decline, hook.JSON{}
	case after.Host != nil && after.Host.ElicitationAction != "":
		action, content = after.Host.ElicitationAction, after.Host.ElicitationContent
	}
	a.observe(ctx, &hook.Notification{NotificationType: "elicitation_response", Message: fmt.Sprintf("The MCP server %s was answered: %s", in.MCPServerName, action)})
	return action, content, nil
}

// Elicitor is a UI that answers what MCP servers ask as such. Others are asked for each value.
type Elicitor interface {
	// Elicit returns "accept", "decline" or "cancel", with the content that was asked for.
	Elicit(ctx context.Context, in *hook.Elicitation) (action string, content hook.JSON, err error)
}

// askForm asks the person: whether to visit a page, or for each value of a form.
func (a *Agent) askForm(ctx context.Context, in *hook.Elicitation) (string, hook.JSON, error) {
	if e, ok := a.cfg.UI.(Elicitor); ok {
		return e.Elicit(ctx, in)
	}
	d := ui.Dialog{Source: "MCP server " + in.MCPServerName}
	if !a.cfg.UI.HasUI() {
		return Decline, hook.JSON{}, nil
	}
	if in.Mode == "url" {
		yes, err := a.cfg.UI.Confirm(ctx, in.Message, in.URL, d)
		if err != nil || !yes {
			return Decline, hook.JSON{}, err
		}
		return Accept, hook.JSON{}, nil
	}
	props, _ := in.RequestedSchema.Get("properties")
	var fields map[string]formField
	if props.IsZero() || props.Decode(&fields) != nil || len(fields) == 0 {
		yes, err := a.cfg.UI.Confirm(ctx, in.Message, "", d)
		if err != nil || !yes {
			return Decline, hook.JSON{}, err
		}
		return Accept, hook.RawJSON("{}"), nil
	}
	content := hook.RawJSON("{}")
	for _, name := range props.Keys() {
		value, answered, err := a.askField(ctx, in.Message+": "+name, fields[name], d)
		if err != nil {
			return Decline, hook.JSON{}, err
		}
		if !answered {
			return Cancel, hook.JSON{}, nil
		}
		if err := content.Set(name, value); err != nil {
			return Decline, hook.JSON{}, err
		}
	}
	return Accept, content, nil
}

// formField is what a requested schema says of one value.
type formField struct {
	Type        string   `json:"type"`
	Title       string   `json:"title"`
	Description string   `json:"description"`
	Enum        []string `json:"enum"`
}

// askField asks the person for one value of a form; answered is false when the dialog was
// closed without one.
func (a *Agent) askField(ctx context.Context, title string, f formField, d ui.Dialog) (value any, answered bool, err error) {
	switch {
	case len(f.Enum) > 0:
		i, ok, err := a.cfg.UI.Select(ctx, title, f.Enum, d)
		if !ok {
			return nil, false, err
		}
		return f.Enum[i], true, err
	case f.Type == "boolean":
		yes, err := a.cfg.UI.Confirm(ctx, title, f.Description, d)
		return yes, err == nil, err
	}
	text, ok, err := a.cfg.UI.Input(ctx, title, f.Description, d)
	if n := hook.RawJSON(text); (f.Type == "number" || f.Type == "integer") && n.Valid() {
		return n, ok, err
	}
	return text, ok, err
}
