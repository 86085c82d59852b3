package main

import (
	"context"
	"errors"
	"strings"

	"github.com/hookline-dev/hookline/audit"
	"github.com/hookline-dev/hookline/hook"
	"github.com/hookline-dev/hookline/ui/tui"
)

// hookActions are what a person may do with a hook in the list of a chat: what the commands
// show, explain, log and disable do.
func (a *app) hookActions(r *agentRun) []tui.HookAction {
	within := func(run func(ctx context.Context, a *app, h *hook.Info) error) func(context.Context, *hook.Info) (string, error) {
		return func(ctx context.Context, h *hook.Info) (string, error) {
			var out strings.Builder
			here, s := *a, *a.streams
			s.in, s.out, s.err, s.terminal = strings.NewReader(""), &out, &out, false
			here.streams = &s
			err := run(ctx, &here, h)
			if _, show := exitCode(err); err != nil && show {
				return out.String(), err
			}
			return out.String(), nil
		}
	}
	return []tui.HookAction{
		{Label: "Show everything about it", Run: within(func(ctx context.Context, a *app, h *hook.Info) error {
			return runShow(ctx, a, showOptions{name: h.Name})
		})},
		{Label: "Which hooks run for its event, and why", Run: within(func(ctx context.Context, a *app, h *hook.Info) error {
			return runExplain(ctx, a, explainOptions{event: eventFlags{args: []string{h.Event.String()}}})
		})},
		{Label: "What the audit log has of it", Run: within(func(ctx context.Context, a *app, h *hook.Info) error {
			return runLog(ctx, a, logOptions{filter: audit.Filter{Hook: h.Name, Session: r.Loop.SessionID()}})
		})},
		{Label: "Switch it off", Run: within(func(ctx context.Context, a *app, h *hook.Info) error {
			return errors.Join(runToggle(ctx, a, toggleOptions{names: []string{h.Name}}), r.Reload(ctx))
		})},
		{Label: "Read all hooks anew", Run: within(func(ctx context.Context, a *app, _ *hook.Info) error {
			a.printf("The hooks were read anew.\n")
			return r.Reload(ctx)
		})},
	}
}
