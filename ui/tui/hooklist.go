package tui

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/hookline-dev/hookline/hook"
	"github.com/hookline-dev/hookline/ui"
	"github.com/hookline-dev/hookline/ui/clean"
)

// ListedHook is a hook of the list.
type ListedHook struct {
	*hook.Info // without an Event where that is not known
	// Mark says in a word or two that it does not run, "" when it does, and Why says more.
	Mark, Why string
	// Actions are what can be done with it.
	Actions []HookAction
}

// HookAction is something that can be done with a hook of the list.
type HookAction struct {
	Label string
	// Run returns what is shown of it.
	Run func(ctx context.Context) (string, error)
}

// pickHook shows the hooks, what each did in this session, and what can be done with it.
func (s *Session) pickHook(ctx context.Context, a *App) error {
	var hooks []ListedHook
	if s.Hooks != nil {
		hooks = s.Hooks()
	}
	if len(hooks) == 0 {
		a.Notify("There are no hooks.", ui.Info)
		return nil
	}
	events := make([]string, len(hooks))
	for i, h := range hooks {
		events[i] = eventOf(h.Event)
	}
	l := &list{}
	for {
		rows, err := a.ofScreen(ctx, func(m *screen) []string { return m.hookRows(hooks) })
		if err != nil {
			return err
		}
		l = newList("Hooks, in the order in which they run", rows, l.picked).grouped("event", events, l.group)
		at, err := a.pickFrom(ctx, l)
		if err != nil || at < 0 {
			return err
		}
		run, err := a.pickAction(ctx, &hooks[at])
		if err != nil {
			return err
		}
		if run == nil {
			continue
		}
		text, err := run(ctx)
		if err == nil && text != "" {
			a.Notify(strings.TrimRight(text, "\n"), ui.Info)
		}
		return err
	}
}

// pickAction asks what is to be done with a hook; nil is nothing.
func (a *App) pickAction(ctx context.Context, h *ListedHook) (func(context.Context) (string, error), error) {
	actions := append([]HookAction{{"What it did last", func(ctx context.Context) (string, error) { return a.whatItDid(ctx, h.Info) }}}, h.Actions...)
	labels := make([]string, len(actions))
	for i, act := range actions {
		labels[i] = act.Label
	}
	l := newList(registered(h.Event, h.Info), labels, 0)
	if h.Mark != "" {
		l.message = clean.PlainLine(h.Mark)
		if h.Why != "" {
			l.message += ": " + clean.PlainLine(h.Why)
		}
	}
	n, err := a.pickFrom(ctx, l)
	if err != nil || n < 0 {
		return nil, err
	}
	return actions[n].Run, nil
}

// whatItDid says what a hook did when it ran last.
func (a *App) whatItDid(ctx context.Context, h *hook.Info) (string, error) {
	text, err := a.ofScreen(ctx, func(m *screen) []string { return []string{m.hooks.lastOf(registered(h.Event, h))} })
	return strings.Join(text, ""), err
}

// hookRows list hooks, whether they run, and what each did in this session. A long name leaves
// room for that.
func (m *screen) hookRows(hooks []ListedHook) []string {
	rows := make([]string, len(hooks))
	for i, h := range hooks {
		rows[i] = registered(h.Event, h.Info)
		var more string
		if h.Mark != "" {
			more = " · " + h.Mark
		}
		if n := m.hooks.by[rows[i]]; n != nil {
			more += " · " + n.String()
		}
		if more != "" {
			rows[i] = clean.Cut(rows[i], max(minWidth/2, m.width-clean.Width(more)-len("> 10. "))) + more
		}
	}
	return rows
}

// keptDurations is of how many runs it is kept how long they took.
const keptDurations = 200

// String says how often a hook ran, how often that mattered, and how long 95 of 100 runs took
// at most.
func (n *hookCount) String() string {
	text := fmt.Sprintf("ran %d", n.ran)
	for _, part := range []struct {
		name  string
		count int
	}{{"blocked", n.blocked}, {"failed", n.failed}, {"cancelled", n.cancelled}} {
		if part.count > 0 {
			text += fmt.Sprintf(", %s %d", part.name, part.count)
		}
	}
	took := slices.Sorted(slices.Values(n.took))
	p95 := took[(len(took)*95+99)/100-1]
	return text + ", p95 " + shortTime(p95)
}

// shortTime is a time in as many digits as matter.
func shortTime(d time.Duration) string {
	if d >= 10*time.Millisecond {
		return d.Round(time.Millisecond).String()
	}
	return d.Round(100 * time.Microsecond).String()
}

// lastOf says what a hook did when it ran last.
func (h *hookCounts) lastOf(name string) string {
	e, ok := h.last[name]
	if !ok {
		return name + " has not run in this session."
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s after %s", name, e.Outcome, shortTime(e.Duration))
	if e.ExitCode != nil {
		fmt.Fprintf(&b, ", exit code %d", *e.ExitCode)
	}
	for _, part := range [][2]string{{"answer", e.Stdout}, {"stderr", e.Stderr}} {
		if text := strings.TrimSpace(part[1]); text != "" {
			fmt.Fprintf(&b, "\n%s: %s", part[0], text)
		}
	}
	return b.String()
}
