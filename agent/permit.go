package agent

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/hookline-dev/hookline/agent/tool"
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
	if i := slices.IndexFunc(out.Runs, func(run hook.Run) bool { return run.Decision == out.Decision }); i >= 0 {
		c.asker = out.Runs[i].Hook.Scope
	}
	d := r.cfg.Permission.Decide(req)
	switch d.Decision {
	case hook.DecisionAllow:
		return true
	case hook.DecisionAsk:
		return r.requestPermission(c, req, d)
	case hook.DecisionDefer:
		deferred := c.asResult()
		r.deferred, r.res.Deferred = cmp.Or(d.Reason, "a hook deferred "+c.block.Name), &deferred
		c.refuse("Not run: the call was deferred, and the run ends here. " + d.Reason)
		return false
	}
	r.denyByRules(c, d)
	return false
}

// emitDenied tells that a call was refused without a question.
func (r *run) emitDenied(c *toolCall, d permission.Decision) {
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
		c.refuse(r.hooksFailed(err))
		return false
	}
	if r.over() {
		c.refuse(r.whyNot())
		return false
	}
	if out.Decision == hook.DecisionDeny {
		if out.Interrupt {
			r.refused = cmp.Or(out.Reason, "a hook refused "+c.block.Name)
		}
		r.deny(c, denial{reason: out.Reason, text: r.refusalText(&out, in)})
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
	r.emitDenied(c, d)
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
		r.denyByRules(c, d)
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

// denial is why a call was refused. Without a text, the model reads the reason.
type denial struct {
	reason string // what hooks are told
	text   string // what the model reads
	byMode bool   // nobody said no: the agent judged so by its permission mode
}

// deny refuses a call, and fires PermissionDenied, whose hooks may let the model try again.
func (r *run) deny(c *toolCall, why denial) {
	text := cmp.Or(why.text, fmt.Sprintf("Permission to use %s was refused: %s", c.block.Name, why.reason))
	in := &hook.PermissionDenied{
		Common: hook.Common{MCPServer: c.server}, ToolName: c.block.Name, ToolInput: c.input, ToolUseID: c.block.ID, Reason: why.reason, Explicit: !why.byMode,
	}
	if out, err := r.Fire(r.ctx, in); err == nil && out.Host != nil && out.Host.Retry {
		text += "\nA hook says that you may try it again."
	}
	r.refuseCall(c, text)
}

// denyByRules refuses a call to which the rules, or the mode, said no.
func (r *run) denyByRules(c *toolCall, d permission.Decision) {
	r.deny(c, denial{reason: d.Reason, byMode: d.Basis == permission.ByMode})
	r.emitDenied(c, d)
}

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
	if d.Basis == permission.ByHook {
		question.HookReason, question.HookScope = req.HookReason, c.asker
	}
	if p, ok := r.cfg.UI.(ui.Permitter); ok {
		answer, err := p.Permit(r.ctx, question)
		return r.couldAsk(c, d, err) && r.applyAnswer(c, req, answer)
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
	case !r.couldAsk(c, d, err):
		return false
	case !ok:
		r.deny(c, denial{reason: "the person closed the question"})
		return false
	}
	return r.applyChoice(c, d, choices[i])
}

// couldAsk reports whether the person could be asked; if not, the call is refused.
func (r *run) couldAsk(c *toolCall, d permission.Decision, err error) bool {
	switch {
	case r.ctx.Err() != nil:
		r.refuseCall(c, r.whyNot())
	case errors.Is(err, ui.ErrNoUI):
		r.deny(c, denial{reason: strings.TrimSuffix("nobody is there to ask ("+d.Reason+"); "+d.Hint(), "; ")})
		r.emitDenied(c, d)
	case err != nil:
		r.deny(c, denial{reason: "the person could not be asked: " + err.Error()})
		r.emitDenied(c, d)
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

// applyAnswer takes up what a user interface answered about a call. An input that it changed
// is held against the tool's schema and the rules, as that of a hook is.
func (r *run) applyAnswer(c *toolCall, req permission.Request, a ui.PermissionAnswer) bool {
	if !a.Allow {
		text := cmp.Or(a.Message, fmt.Sprintf("Permission to use %s was refused: the person refused it", c.block.Name))
		if a.Interrupt { // the end of a turn
			r.refused = cmp.Or(a.Message, "the person refused "+c.block.Name)
			r.refuseCall(c, text)
			return false
		}
		r.deny(c, denial{reason: a.Message, text: text})
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

// applyChoice takes up what the person chose about a call.
func (r *run) applyChoice(c *toolCall, d permission.Decision, choice string) bool {
	switch {
	case choice == choiceOnce:
		return true
	case strings.HasPrefix(choice, choiceAlways):
		r.update(d.Suggestions)
		return true
	case choice == choiceWhy:
		if text, ok, err := r.cfg.UI.Input(r.ctx, "What should the agent do instead?", "", ui.Dialog{Source: "permission"}); err == nil && ok && text != "" {
			r.deny(c, denial{reason: "the person refused it and says: " + text})
			return false
		}
	}
	r.deny(c, denial{reason: "the person refused it"})
	return false
}
