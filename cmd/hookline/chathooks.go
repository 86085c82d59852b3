package main

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"strings"
	"sync"

	"github.com/hookline-dev/hookline/audit"
	"github.com/hookline-dev/hookline/discovery"
	"github.com/hookline-dev/hookline/hook"
	"github.com/hookline-dev/hookline/trust"
	"github.com/hookline-dev/hookline/ui"
	"github.com/hookline-dev/hookline/ui/tui"
)

// listedHooks are the hooks of a chat: those that are registered, of which some wait for an
// approval or cannot run, and then those that are switched off or failed to load.
func (a *app) listedHooks(r *agentRun, person ui.UI, last *lastInputs) []tui.ListedHook {
	var idle []*discovery.Found
	found := map[hookKey][]*discovery.Found{}
	hooks := r.Set().Hooks
	for i := range hooks {
		f := &hooks[i]
		off := f.Status == discovery.Disabled || f.Status == discovery.Shadowed
		switch reg := f.Registration; {
		case reg != nil && !off:
			key := hookKey{reg.Event, reg.Name, reg.Source}
			found[key] = append(found[key], f)
		case f.Status == discovery.Disabled, f.Status == discovery.Broken, f.Status == discovery.Untrusted:
			idle = append(idle, f)
		}
	}
	var out []tui.ListedHook
	for _, h := range r.Registry.Infos() {
		listed := tui.ListedHook{Info: h}
		if same := found[keyOf(h)]; len(same) > 0 {
			found[keyOf(h)] = same[1:]
			a.markHook(r, person, same[0], &listed)
		}
		out = append(out, listed)
	}
	for _, f := range idle {
		h := &hook.Info{Name: f.FullName(), Dialect: f.Dialect, Source: f.Source, Scope: f.Level, Event: f.Event}
		listed := tui.ListedHook{Info: h}
		a.markHook(r, person, f, &listed)
		out = append(out, listed)
	}
	for i := range out {
		out[i].Actions = append(out[i].Actions, a.hookActions(r, &out[i], last)...)
	}
	return out
}

// switchedOff is the mark of hooks that can be switched on.
const switchedOff = "switched off"

// markHook says of a hook that it does not run, and lets an approval be given that it lacks.
func (a *app) markHook(r *agentRun, person ui.UI, f *discovery.Found, listed *tui.ListedHook) {
	switch {
	case f.Status == discovery.Untrusted:
		listed.Mark = "not approved"
		approve := func(ctx context.Context) (string, error) { return a.approveListed(ctx, r, person, f) }
		listed.Actions = []tui.HookAction{{Label: "Look at it and approve", Run: approve}}
	case f.Off:
		listed.Mark = switchedOff
	case f.Status == discovery.Disabled:
		listed.Mark = "not in force"
	case f.Status == discovery.Broken:
		listed.Mark = "failed to load"
	default:
		return
	}
	listed.Why = f.Why
}

// approveListed shows what would be approved of a hook, asks, and has it run from then on.
func (a *app) approveListed(ctx context.Context, r *agentRun, person ui.UI, f *discovery.Found) (string, error) {
	if err := a.personOnly(); err != nil {
		return "", err
	}
	answered, err := askApproval(ctx, person, trust.NewStore(discovery.TrustDir(r.Dirs)), f.Artifact)
	if err != nil || !answered {
		return "", err
	}
	if err := r.Reload(ctx); err != nil {
		return "", err
	}
	hooks := r.Set().Hooks
	i := slices.IndexFunc(hooks, func(now discovery.Found) bool {
		return now.Status == discovery.Untrusted && now.FullName() == f.FullName() && now.Source == f.Source
	})
	if i >= 0 {
		return f.FullName() + " does not run: " + hooks[i].Why, nil
	}
	return f.FullName() + " is approved, and runs from now on.", nil
}

// printed is an action that does what a command does, and shows what that prints.
func (a *app) printed(label string, run func(ctx context.Context, a *app) error) tui.HookAction {
	return tui.HookAction{Label: label, Run: func(ctx context.Context) (string, error) {
		var out strings.Builder
		here, s := *a, *a.streams
		s.in, s.out, s.err, s.terminal = strings.NewReader(""), &out, &out, false
		here.streams = &s
		err := run(ctx, &here)
		if _, show := exitCode(err); err != nil && show {
			return out.String(), err
		}
		return out.String(), nil
	}}
}

// runActions are what a person may do about the runs of a hook that is registered.
func (a *app) runActions(h *hook.Info, last *lastInputs) []tui.HookAction {
	return []tui.HookAction{
		a.printed("Which hooks run for its last input, and why", func(ctx context.Context, a *app) error {
			return runExplain(ctx, a, explainOptions{event: a.lastEvent(h, last)})
		}),
		a.printed("Fire it again on its last input", func(ctx context.Context, a *app) error {
			ev := a.lastEvent(h, last)
			if ev.payload == "" {
				a.printf("It has not run in this session.\n")
				return nil
			}
			ev.only = []string{h.Name}
			return runFire(ctx, a, fireOptions{event: ev})
		}),
	}
}

// hookActions are what a person may do with a hook: what the commands show, log, enable and
// disable do, and about its runs, when it is registered.
func (a *app) hookActions(r *agentRun, listed *tui.ListedHook, last *lastInputs) []tui.HookAction {
	h, off := listed.Info, listed.Mark == switchedOff
	actions := []tui.HookAction{a.printed("Show everything about it", func(ctx context.Context, a *app) error {
		return runShow(ctx, a, showOptions{name: h.Name})
	})}
	if h.Group != "" {
		actions = append(actions, a.runActions(h, last)...)
	}
	return append(actions,
		a.printed("What the audit log has of it", func(ctx context.Context, a *app) error {
			return runLog(ctx, a, logOptions{filter: audit.Filter{Hook: h.Name, Session: r.Loop.SessionID()}})
		}),
		a.printed(map[bool]string{false: "Switch it off", true: "Switch it on"}[off], func(ctx context.Context, a *app) error {
			return errors.Join(runToggle(ctx, a, toggleOptions{names: []string{h.Name}, on: off}), r.Reload(ctx))
		}),
		a.printed("Read all hooks anew", func(ctx context.Context, a *app) error {
			a.printf("The hooks were read anew.\n")
			return r.Reload(ctx)
		}),
	)
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

// Record keeps the input for the hooks that ran. For most inputs none did, and they are not
// encoded.
func (l *lastInputs) Record(_ context.Context, in hook.Input, out *hook.Outcome) {
	if !slices.ContainsFunc(out.Runs, ran) {
		return
	}
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
		if ran(out.Runs[i]) {
			l.by[keyOf(out.Runs[i].Hook)] = payload
		}
	}
}

func ran(r hook.Run) bool { return r.Status != hook.StatusSkipped }

func (l *lastInputs) of(h *hook.Info) []byte {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.by[keyOf(h)]
}
