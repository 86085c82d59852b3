package agent

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/hookline-dev/hookline/agent/tool"
	"github.com/hookline-dev/hookline/hook"
	"github.com/hookline-dev/hookline/permission"
	"github.com/hookline-dev/hookline/ui"
)

// The choices of a permission prompt.
const (
	choiceOnce   = "Yes, this once"
	choiceAlways = "Yes, always"
	choiceNo     = "No"
	choiceWhy    = "No, and tell the agent why"
)

// Caller is a UI that is a program, which gets questions itself: nobody has to be fetched.
type Caller interface {
	// IsCaller does nothing.
	IsCaller()
}

// askPerson asks the person about a call.
func (r *run) askPerson(c *toolCall, req permission.Request, d permission.Decision) bool {
	if _, ok := r.cfg.UI.(Caller); !ok {
		r.observe(r.ctx, &hook.Notification{
			NotificationType: "permission_prompt", Message: "The agent needs your permission to use " + c.block.Name,
		})
	}
	if r.over() {
		c.refuse(r.whyNot())
		return false
	}
	question := r.question(c, d)
	if p, ok := r.cfg.UI.(ui.Permitter); ok {
		answer, err := p.Permit(r.ctx, question)
		return r.heard(c, d, err) && r.permitted(c, req, answer)
	}
	choices := []string{choiceOnce}
	if len(d.Suggestions) > 0 {
		label := choiceAlways
		if hint, ok := strings.CutPrefix(d.Hint(), "to allow it, add "); ok {
			label += ": " + hint
		}
		choices = append(choices, label)
	}
	choices = append(choices, choiceNo, choiceWhy)
	title := fmt.Sprintf("Allow %s? %s (%s)", c.block.Name, c.input.Raw(), d.Reason)
	i, ok, err := r.cfg.UI.Select(r.ctx, title, choices, ui.Dialog{Source: "permission", Permission: &question})
	switch {
	case !r.heard(c, d, err):
		return false
	case !ok:
		r.denied(c, "the person closed the question")
		return false
	}
	return r.answered(c, d, choices[i])
}

// heard reports whether the person could be asked; if not, the call is refused.
func (r *run) heard(c *toolCall, d permission.Decision, err error) bool {
	switch {
	case r.ctx.Err() != nil:
		c.refuse(r.whyNot())
	case errors.Is(err, ui.ErrNoUI):
		r.denied(c, strings.TrimSuffix("nobody is there to ask ("+d.Reason+"); "+d.Hint(), "; "))
		r.tellDenied(c, d)
	case err != nil:
		r.denied(c, "the person could not be asked: "+err.Error())
		r.tellDenied(c, d)
	default:
		return true
	}
	return false
}

// question is a call as a user interface gets it.
func (r *run) question(c *toolCall, d permission.Decision) ui.Permission {
	q := ui.Permission{
		ToolUseID: c.block.ID, AgentID: r.id, Tool: c.block.Name, Input: jsontext.Value(c.input.Raw()), Reason: d.Reason, Basis: string(d.Basis), Path: d.Outside,
	}
	if p, ok := c.tool.(tool.Previewer); ok {
		q.Diff = p.Preview(r.ctx, q.Input)
	}
	for _, s := range d.Suggestions {
		q.Suggestions = append(q.Suggestions, jsontext.Value(hook.MustJSON(s).Raw()))
	}
	return q
}

// permitted takes up what a user interface answered about a call. An input that it changed
// is held against the tool's schema and the rules, as that of a hook is.
func (r *run) permitted(c *toolCall, req permission.Request, a ui.PermissionAnswer) bool {
	if !a.Allow {
		text := cmp.Or(a.Message, fmt.Sprintf("Permission to use %s was refused: the person refused it", c.block.Name))
		if a.Interrupt { // the end of a turn, of which the model may not think what it likes
			r.refused = cmp.Or(a.Message, "the person refused "+c.block.Name)
			r.refuseCall(c, text)
			return false
		}
		r.deniedAs(c, a.Message, text)
		return false
	}
	if a.Input != nil && hook.RawJSON(a.Input) != c.input {
		if _, ok := r.rewritten(c, req, hook.RawJSON(a.Input), hook.DecisionAllow); !ok {
			return false
		}
	}
	updates := make([]hook.PermissionUpdate, len(a.Updates))
	for i, raw := range a.Updates {
		if err := hook.RawJSON(raw).Decode(&updates[i]); err != nil {
			r.notify("The permissions stay as they were: a permission update is none: "+err.Error(), ui.Warning)
			return true
		}
	}
	r.update(updates)
	return true
}

func (r *run) answered(c *toolCall, d permission.Decision, choice string) bool {
	switch {
	case choice == choiceOnce:
		return true
	case strings.HasPrefix(choice, choiceAlways):
		r.update(d.Suggestions)
		return true
	case choice == choiceWhy:
		if text, ok, err := r.cfg.UI.Input(r.ctx, "What should the agent do instead?", "", ui.Dialog{Source: "permission"}); err == nil && ok && text != "" {
			r.denied(c, "the person refused it and says: "+text)
			return false
		}
	}
	r.denied(c, "the person refused it")
	return false
}
