package main

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"sync"

	"github.com/hookline-dev/hookline/audit"
	"github.com/hookline-dev/hookline/hook"
	"github.com/hookline-dev/hookline/ui/tui"
)

// hookActions are what a person may do with a hook in the list of a chat: what the commands
// show, explain, log and disable do.
func (a *app) hookActions(r *agentRun, last *lastInputs) []tui.HookAction {
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
		{Label: "Which hooks run for its last input, and why", Run: within(func(ctx context.Context, a *app, h *hook.Info) error {
			return runExplain(ctx, a, explainOptions{event: a.lastEvent(h, last)})
		})},
		{Label: "Fire it again on its last input", Run: within(func(ctx context.Context, a *app, h *hook.Info) error {
			ev := a.lastEvent(h, last)
			if ev.payload == "" {
				a.printf("It has not run in this session.\n")
				return nil
			}
			ev.only = []string{h.Name}
			return runFire(ctx, a, fireOptions{event: ev})
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

// lastEvent describes the last input that a hook ran on, or, where there is none, its event alone.
func (a *app) lastEvent(h *hook.Info, last *lastInputs) eventFlags {
	ev := eventFlags{args: []string{h.Event.String()}}
	if payload := last.of(h); payload != nil {
		ev.payload, a.in = "-", bytes.NewReader(payload)
	}
	return ev
}

// lastInputs keeps the last input of each hook, as it was before hooks changed the input of
// its tool.
type lastInputs struct {
	mu sync.Mutex
	by map[hookKey][]byte
}

// hookKey is a hook for an event, whose registration may have been read anew.
type hookKey struct {
	event        hook.Event
	name, source string
}

func keyOf(h *hook.Info) hookKey { return hookKey{h.Event, h.Name, h.Source} }

// Record keeps the input for the hooks that ran.
func (l *lastInputs) Record(_ context.Context, in hook.Input, out *hook.Outcome) {
	payload, err := hook.MarshalInput(in)
	if err != nil {
		return // what cannot be encoded cannot be fired again
	}
	if !out.OriginalInput.IsZero() {
		whole := hook.RawJSON(payload)
		if whole.Set("tool_input", out.OriginalInput) == nil {
			payload = []byte(whole.Raw())
		}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for i := range out.Runs {
		if r := &out.Runs[i]; r.Status != hook.StatusSkipped {
			l.by[keyOf(r.Hook)] = payload
		}
	}
}

func (l *lastInputs) of(h *hook.Info) []byte {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.by[keyOf(h)]
}
