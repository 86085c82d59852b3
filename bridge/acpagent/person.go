package acpagent

import (
	"context"
	"fmt"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/hookline-dev/hookline/hook"
	"github.com/hookline-dev/hookline/ui"
)

// person is who works in the editor.
type person struct {
	ui.None
	e *editing
}

var _ ui.Permitter = (*person)(nil)

// HasUI says that there is a person.
func (p *person) HasUI() bool { return true }

// Notify shows a notice as a message.
func (p *person) Notify(message string, level ui.Level) {
	if level != ui.Info {
		message = string(level) + ": " + message
	}
	p.e.say(message)
}

// The ids of the options of a permission question.
const (
	allowOnce   = "allow"
	allowAlways = "allow_always"
	rejectOnce  = "reject"
)

// Permit asks whether a call may run.
func (p *person) Permit(ctx context.Context, q ui.Permission) (ui.PermissionAnswer, error) {
	call := p.e.describe(q.ToolUseID, q.Tool, hook.RawJSON(q.Input))
	call["status"] = "pending"
	more, _ := call["content"].([]any)
	call["content"] = append(more, content(q.Reason))
	options := []any{option(allowOnce, "Allow", "allow_once")}
	if len(q.Suggestions) > 0 {
		options = append(options, option(allowAlways, "Always allow", "allow_always"))
	}
	options = append(options, option(rejectOnce, "Reject", "reject_once"))
	chosen, err := p.choose(ctx, call, options)
	switch {
	case err != nil:
		return ui.PermissionAnswer{}, err
	case chosen == allowOnce:
		return ui.PermissionAnswer{Allow: true}, nil
	case chosen == allowAlways && len(q.Suggestions) > 0:
		return ui.PermissionAnswer{Allow: true, Updates: slices.Clone[[]jsontext.Value](q.Suggestions)}, nil
	}
	return ui.PermissionAnswer{Message: "the person refused it", Interrupt: chosen == ""}, nil
}

func option(id, name, kind string) map[string]string {
	return map[string]string{"optionId": id, "name": name, "kind": kind}
}

// choose puts options to the person, and returns the id of the one taken, "" when none was.
func (p *person) choose(ctx context.Context, call map[string]any, options []any) (string, error) {
	if !p.reached() {
		return "", ui.ErrNoUI
	}
	answer, err := p.e.s.ask(ctx, "session/request_permission", map[string]any{"sessionId": p.e.id, "toolCall": call, "options": options})
	outcome, _ := answer.Get("outcome")
	return outcome.String("optionId"), err
}

// reached reports whether the client knows the session in which something is asked.
func (p *person) reached() bool {
	p.e.mu.Lock()
	defer p.e.mu.Unlock()
	return p.e.known
}

// question is a call that stands for a question.
func (p *person) question(title, message string) map[string]any {
	p.e.s.mu.Lock()
	p.e.s.counter++
	id := fmt.Sprintf("question-%d", p.e.s.counter)
	p.e.s.mu.Unlock()
	call := map[string]any{"toolCallId": id, "title": title, "kind": "other", "status": "pending"}
	if message != "" {
		call["content"] = []any{content(message)}
	}
	return call
}

// Select offers choices.
func (p *person) Select(ctx context.Context, title string, choices []string, _ ui.Dialog) (int, bool, error) {
	var options []any
	for i, c := range choices {
		options = append(options, option(fmt.Sprint(i), c, "allow_once"))
	}
	chosen, err := p.choose(ctx, p.question(title, ""), options)
	for i := range choices {
		if chosen == fmt.Sprint(i) {
			return i, true, err
		}
	}
	return 0, false, err
}

// Confirm asks a yes-or-no question.
func (p *person) Confirm(ctx context.Context, title, message string, _ ui.Dialog) (bool, error) {
	chosen, err := p.choose(ctx, p.question(title, message), []any{option(allowOnce, "Yes", "allow_once"), option(rejectOnce, "No", "reject_once")})
	return chosen == allowOnce, err
}

// Input asks for a text by a form, where the client has forms.
func (p *person) Input(ctx context.Context, title, placeholder string, _ ui.Dialog) (string, bool, error) {
	return p.form(ctx, title, map[string]string{"type": "string", "title": title, "description": placeholder})
}

// Editor is Input with a text that is there already.
func (p *person) Editor(ctx context.Context, title, prefill string, _ ui.Dialog) (string, bool, error) {
	return p.form(ctx, title, map[string]string{"type": "string", "title": title, "default": prefill})
}

func (p *person) form(ctx context.Context, title string, field map[string]string) (string, bool, error) {
	p.e.s.mu.Lock()
	forms := p.e.s.forms
	p.e.s.mu.Unlock()
	if !forms || !p.reached() {
		return "", false, ui.ErrNoUI
	}
	answer, err := p.e.s.ask(ctx, "elicitation/create", map[string]any{
		"sessionId": p.e.id, "mode": "form", "message": title,
		"requestedSchema": map[string]any{"type": "object", "properties": map[string]any{"text": field}, "required": []string{"text"}},
	})
	values, _ := answer.Get("content")
	return values.String("text"), err == nil && answer.String("action") == "accept", err
}
