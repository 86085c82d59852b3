package agent

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/hookline-dev/hookline/agent/model"
	"github.com/hookline-dev/hookline/hook"
	"github.com/hookline-dev/hookline/session"
	"github.com/hookline-dev/hookline/ui"
)

// submit fires UserPromptSubmit and records the prompt. The agent has started when there
// is something to work on.
func (r *run) submit(p Prompt) (err error) {
	if r.first, err = r.conversation.length(); err != nil {
		return err
	}
	if p.Custom != nil {
		r.agentStarts()
		return r.recordCustom(*p.Custom)
	}
	var out hook.Outcome
	if !p.Quiet && r.depth == 0 {
		if out, err = r.firePrompt(&p); err != nil || r.res.End != "" {
			return err
		}
	}
	if e := p.Expansion; e != nil && !r.over() {
		out, err := r.Fire(r.ctx, e)
		if err != nil || out.Blocked() && !out.Halt {
			r.refusedPrompt(&out, e, e.Prompt)
			r.res.Reason = fmt.Sprintf("a hook refused /%s: %s", e.CommandName, out.Reason)
			return err
		}
	}
	if r.over() {
		if h := r.prompt.whyHalted(); h != "" {
			r.res.Replacement = "Operation stopped by hook: " + h
		}
		return r.ctxErr()
	}
	if !r.fromQueue {
		if _, err := r.takeQueued(Steer, NextTurn); err != nil {
			return err
		}
	}
	if err = r.recordSubmitted(p, &out); err == nil {
		_, err = r.takeQueued(NextPrompt)
	}
	return err
}

// recordSubmitted records a prompt and the messages that hooks put beside it.
func (r *run) recordSubmitted(p Prompt, out *hook.Outcome) error {
	r.agentStarts()
	if err := r.recordPrompt(p); err != nil {
		return err
	}
	for _, m := range out.Inject {
		if err := r.recordCustom(CustomMessage{CustomType: m.CustomType, Content: rawValue(m.Content), Display: m.Display, Details: rawValue(m.Details)}); err != nil {
			return err
		}
	}
	return nil
}

// firePrompt lets hooks look at the prompt, and change it.
func (r *run) firePrompt(p *Prompt) (hook.Outcome, error) {
	in := &hook.UserPromptSubmit{Prompt: p.Text, SessionTitle: r.Title()}
	if p.Expansion != nil {
		in.TypedPrompt = p.Expansion.Prompt
	}
	if r.has(hook.EventUserPromptSubmit) {
		in.SystemPrompt = joinParagraphs(r.systemPrompt())
		for _, img := range p.Images {
			in.Images = append(in.Images, hook.MustJSON(img))
		}
	}
	out, err := r.Fire(r.ctx, in)
	if err != nil {
		return out, err
	}
	if out.Blocked() && !out.Halt {
		r.notify("The prompt was refused: "+out.Reason, ui.Warning)
		r.refusedPrompt(&out, in, cmp.Or(in.TypedPrompt, in.Prompt))
		return out, nil
	}
	p.Text = in.Prompt
	if out.UpdatedPrompt != nil {
		p.Text = *out.UpdatedPrompt
	}
	if h := out.Host; h != nil {
		r.SetTitle(h.SessionTitle)
		if h.SystemPrompt != nil {
			r.system = h.SystemPrompt
		}
	}
	return out, nil
}

// refusedPrompt ends the run of a prompt that a hook refused.
func (r *run) refusedPrompt(out *hook.Outcome, in hook.Input, typed string) {
	r.res.End, r.res.Reason = EndBlocked, out.Reason
	r.res.Replacement = fmt.Sprintf("%v operation blocked by hook:\n%s\n\nOriginal prompt: %s", in.Event(), r.refusalText(out, in), typed)
}

func (r *run) recordPrompt(p Prompt) error {
	msg := model.Message{Role: model.User}
	if p.Text != "" || len(p.Images) == 0 {
		msg.Content = append(msg.Content, model.Text(strings.ToValidUTF8(p.Text, "\uFFFD")))
	}
	for _, img := range p.Images {
		msg.Content = append(msg.Content, model.Block{Type: model.ImageBlock, Source: &img})
	}
	return r.record(session.Entry{Type: session.Message}, msg, stored{})
}

// recordUser records a message that the model gets as the user's.
func (r *run) recordUser(text string) error {
	return r.record(session.Entry{Type: session.Message}, model.UserText(strings.ToValidUTF8(text, "\uFFFD")), stored{})
}

// entry is a message of a hook's own kind as the session and the model have it.
func (m CustomMessage) entry() (session.Entry, model.Message, error) {
	content := hook.RawJSON(m.Content)
	if content.IsZero() {
		content = hook.MustJSON("")
	}
	blocks, err := toBlocks(content)
	e := session.Entry{Type: session.CustomMessage, CustomType: m.CustomType, Content: rawValue(content), Display: m.Display, Details: m.Details}
	if e.CustomType == "" {
		e.CustomType = "hook"
	}
	return e, model.Message{Role: model.User, Content: blocks}, err
}

// recordCustom records a message of a hook's own kind.
func (r *run) recordCustom(m CustomMessage) error {
	e, msg, err := m.entry()
	if err != nil {
		return err
	}
	if err := r.record(e, msg, stored{}); err != nil {
		return err
	}
	r.showCustom(e, msg)
	return nil
}

// showCustom shows the person a message of a hook's own kind.
func (a *Agent) showCustom(e session.Entry, msg model.Message) {
	a.emit(Event{Kind: KindCustom, Text: msg.Text(), CustomType: e.CustomType, Display: e.Display, Details: e.Details})
	if e.Display {
		a.cfg.UI.Notify(msg.Text(), ui.Info)
	}
}

// record adds a message to the session and tells about it.
func (r *run) record(e session.Entry, msg model.Message, from stored) error {
	if msg.Role != model.Assistant { // its events came with the stream
		after := r.messageEvents(msg)
		if e.Type == session.Message {
			msg = after
		}
	}
	e, err := r.conversation.record(e, msg, from)
	if err != nil {
		return err
	}
	if e.Type == session.Message {
		r.lastEntry = e.ID
		ev := Event{Kind: KindMessage, Message: &msg, Stored: e.Message, EntryID: e.ID, Usage: from.Usage, MessageID: from.ID, Model: from.Model, StopReason: from.StopReason}
		if ev.Usage != nil {
			ev.Took = r.took
		}
		r.emit(ev)
	}
	return nil
}

// messageEvents fires MessageStart and MessageEnd for a message that comes whole, and
// returns it as hooks leave it.
func (r *run) messageEvents(msg model.Message) model.Message {
	if !r.has(hook.EventMessageStart) && !r.has(hook.EventMessageEnd) {
		return msg
	}
	hs, err := r.eachResult(msg)
	if err != nil {
		return msg
	}
	after := model.Message{Role: msg.Role}
	for i, h := range hs {
		one := msg
		if len(hs) > 1 {
			one.Content = msg.Content[i : i+1]
		}
		stamp(&h, time.Now())
		again := h
		r.observeLast(&hook.MessageStart{Message: &h})
		after.Content = append(after.Content, r.messageEnded(again, one).Content...)
	}
	return after
}

// messageEnded fires MessageEnd for a message and returns it as hooks leave it: another
// one of the same role, with the same results of tools, may stand in its place.
func (r *run) messageEnded(h hook.Message, msg model.Message) model.Message {
	ctx, cancel := r.orGrace(r.ctx)
	defer cancel()
	out, err := r.Fire(ctx, &hook.MessageEnd{Message: &h})
	if err == nil && out.Host != nil && out.Host.Message != nil {
		var after model.Message
		if after, err = toModel(*out.Host.Message); err == nil && (after.Role != msg.Role || !slices.Equal(resultsIn(after), resultsIn(msg))) {
			err = errors.New("a hook may put only one of the same kind in its place")
		}
		if err == nil {
			return after
		}
	}
	if err != nil && ctx.Err() == nil && !errors.Is(err, hook.ErrClosed) {
		r.notify("The message stays as it was: "+err.Error(), ui.Warning)
	}
	return msg
}

// resultsIn are the ids of the calls whose results are in a message.
func resultsIn(m model.Message) []string {
	var out []string
	for _, b := range m.Content {
		if b.Type == model.ToolResultBlock {
			out = append(out, b.ToolUseID)
		}
	}
	return out
}

// eachResult is a message as hooks see it, one for each tool result that it holds, with
// the name of the tool.
func (r *run) eachResult(msg model.Message) ([]hook.Message, error) {
	if len(msg.Content) == 0 || msg.Content[0].Type != model.ToolResultBlock {
		h, err := toHook(msg)
		return []hook.Message{h}, err
	}
	called := r.conversation.lastCalls()
	var out []hook.Message
	for _, b := range msg.Content {
		h, err := toHook(model.Message{Role: msg.Role, Content: []model.Block{b}})
		if err != nil {
			return nil, err
		}
		if name := called[b.ToolUseID]; name != "" {
			h.Extra = jsontext.Value(hook.MustJSON(map[string]string{"tool_name": name}).Raw())
		}
		out = append(out, h)
	}
	return out, nil
}

// observeLast is observe with a context that outlives an interrupt.
func (r *run) observeLast(in hook.Input) { r.observeEnd(r.ctx, in) }

func (a *Agent) observeEnd(ctx context.Context, in hook.Input) {
	if !a.has(in.Event()) {
		return
	}
	last, cancel := a.orGrace(ctx)
	defer cancel()
	a.observe(last, in)
}

// remind tells the model of open todos before it stops.
func (r *run) remind() (more bool, err error) {
	if r.cfg.Todos == nil || r.reminders >= r.cfg.MaxReminders || r.depth > 0 {
		return false, nil
	}
	var open []hook.JSON
	var lines []string
	for _, t := range r.cfg.Todos() {
		if t.Open() {
			open = append(open, hook.MustJSON(t))
			lines = append(lines, "- "+t.Content+" ("+t.Status+")")
		}
	}
	if len(open) == 0 {
		return false, nil
	}
	r.reminders++
	r.observe(r.ctx, &hook.TodoReminder{Todos: open, Attempt: r.reminders, MaxAttempts: r.cfg.MaxReminders})
	if r.over() {
		return false, nil
	}
	return true, r.recordUser("Entries of your list of todos are still open:\n" + strings.Join(lines, "\n") +
		"\nGo on with them, or bring the list up to date and say why they stay open.")
}

// idleLater notifies the person when the agent has been idle for a while.
func (a *Agent) idleLater() {
	if a.cfg.IdleAfter <= 0 || a.depth > 0 {
		return
	}
	a.holder.afterIdle(a.cfg.IdleAfter, func() {
		a.holder.inBackground(func() {
			if !a.Idle() {
				return
			}
			if err := a.Notify(a.holder.ctx, "idle_prompt", "", "The agent is waiting for your input"); err != nil && a.holder.ctx.Err() == nil {
				a.notify(err.Error(), ui.Warning)
			}
		})
	})
}

func joinParagraphs(parts []string) string { return strings.Join(parts, "\n\n") }

func rawValue(j hook.JSON) jsontext.Value {
	if j.IsZero() {
		return nil
	}
	return jsontext.Value(j.Raw())
}
