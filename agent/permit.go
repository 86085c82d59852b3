package agent

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/hookline-dev/hookline/hook"
	"github.com/hookline-dev/hookline/permission"
	"github.com/hookline-dev/hookline/ui"
)

// permit decides whether a call may run: rules look at the input that will really
// run. It reports whether it may; if not, the call has its result.
func (r *run) permit(c *toolCall, out *hook.Outcome) bool {
	req := permission.Request{
		Tool: c.block.Name, Input: c.input, OriginalInput: c.original, Cwd: r.Dir(), Root: r.Root(),
		Hook: out.Decision, HookReason: out.Reason, HookName: out.DecidedBy, Granted: r.prompt.grants(),
	}
	d := r.cfg.Permission.Decide(req)
	switch d.Decision {
	case hook.DecisionAllow:
		return true
	case hook.DecisionAsk:
		return r.requestPermission(c, req, d)
	case hook.DecisionDefer:
		deferred := c.asResult()
		r.deferred, r.res.Deferred = d.Reason, &deferred
		c.refuse("Not run: the call was deferred, and the run ends here. " + d.Reason)
		return false
	}
	r.denied(c, d.Reason)
	r.tellDenied(c, d)
	return false
}

// tellDenied tells that a call was refused without a question.
func (r *run) tellDenied(c *toolCall, d permission.Decision) {
	r.emit(Event{Kind: KindDenied, Call: &c.block, Text: c.result.ResultText(), Source: string(d.Basis)})
}

// requestPermission fires PermissionRequest, and asks the person when hooks have no
// opinion.
func (r *run) requestPermission(c *toolCall, req permission.Request, d permission.Decision) bool {
	in := &hook.PermissionRequest{Common: hook.Common{MCPServer: c.server}, ToolName: c.block.Name, ToolInput: c.input}
	if r.has(hook.EventPermissionRequest) && d.Basis != permission.ByHook { // which no rule ends
		for _, s := range d.Suggestions {
			in.PermissionSuggestions = append(in.PermissionSuggestions, hook.MustJSON(s))
		}
	}
	out, err := r.Fire(r.ctx, in)
	if err != nil {
		c.refuse(r.unasked(err))
		return false
	}
	if r.over() {
		c.refuse(r.whyNot())
		return false
	}
	if out.Decision == hook.DecisionDeny {
		if out.Interrupt {
			r.refused = out.Reason
		}
		r.deniedAs(c, out.Reason, r.told(&out, in))
		return false
	}
	if in.ToolInput != c.input {
		again, ok := r.rewritten(c, req, in.ToolInput, out.Decision)
		if !ok {
			return false
		}
		d = again
	}
	switch {
	case out.Decision == hook.DecisionAllow:
		r.update(out.PermissionUpdates)
		return true
	case d.Decision == hook.DecisionAllow:
		return true
	}
	if !r.cfg.UI.HasUI() {
		r.unanswerable(c, req, d)
		return false
	}
	return r.askPerson(c, req, d)
}

// unanswerable refuses a call about which nobody can be asked: no notification and no
// PermissionDenied, since there was no question. A hook that wanted one has said why.
func (r *run) unanswerable(c *toolCall, req permission.Request, d permission.Decision) {
	why := "Permission to use " + c.block.Name + " was refused: " + strings.TrimSuffix("nobody is there to ask ("+d.Reason+"); "+d.Hint(), "; ")
	if d.Basis == permission.ByHook {
		why = cmp.Or(req.HookReason, "Hook PreToolUse:"+c.block.Name+" asked for confirmation for this tool")
	}
	r.refuseCall(c, why)
	r.tellDenied(c, d)
}

// rewritten decides anew about an input that a PermissionRequest hook, or the person, has
// changed.
func (r *run) rewritten(c *toolCall, req permission.Request, input hook.JSON, decided hook.Decision) (permission.Decision, bool) {
	if c.original.IsZero() {
		c.original = c.input
	}
	c.input = input
	if err := r.check(c); err != nil {
		c.refuse(c.invalid(err))
		return permission.Decision{}, false
	}
	req.Input, req.OriginalInput = input, c.original
	if decided == hook.DecisionAllow || req.Hook == hook.DecisionAllow {
		req.Hook = decided // an allow of the input before is none of this one
	}
	d := r.cfg.Permission.Decide(req)
	if d.Decision == hook.DecisionDeny {
		r.denied(c, d.Reason)
		r.tellDenied(c, d)
		return d, false
	}
	return d, true
}

// update makes permission updates take effect; what can't be applied is told.
func (r *run) update(updates []hook.PermissionUpdate) {
	if len(updates) == 0 {
		return
	}
	if err := r.cfg.Permission.Apply(r.ctx, updates...); err != nil {
		r.notify("The permissions stay as they were: "+err.Error(), ui.Warning)
	}
}

// denied gives a call the result that it was refused, and tells hooks.
func (r *run) denied(c *toolCall, reason string) {
	r.deniedAs(c, reason, fmt.Sprintf("Permission to use %s was refused: %s", c.block.Name, reason))
}

// deniedAs is denied with a text of its own for the model.
func (r *run) deniedAs(c *toolCall, reason, text string) {
	in := &hook.PermissionDenied{Common: hook.Common{MCPServer: c.server}, ToolName: c.block.Name, ToolInput: c.input, ToolUseID: c.block.ID, Reason: reason}
	if out, err := r.Fire(r.ctx, in); err == nil && out.Host != nil && out.Host.Retry {
		text += "\nA hook says that you may try it again."
	}
	r.refuseCall(c, text)
}
