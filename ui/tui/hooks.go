package tui

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"github.com/hookline-dev/hookline/hook"
	"github.com/hookline-dev/hookline/ui"
	"github.com/hookline-dev/hookline/ui/clean"
)

// hookCounts are what hooks did in this session.
type hookCounts struct {
	by   map[string]*hookCount // by title
	last map[string]hook.Emission
	live map[string]string // what runs, by the id of the run
}

// all is what all hooks did together.
func (h *hookCounts) all() (sum hookCount) {
	for _, n := range h.by {
		sum.ran, sum.blocked, sum.failed = sum.ran+n.ran, sum.blocked+n.blocked, sum.failed+n.failed
	}
	return sum
}

type hookCount struct{ ran, blocked, failed, cancelled int }

// hookSays shows what a hook does: a line while it runs, and a block when it mattered.
func (m *screen) hookSays(e hook.Emission) {
	name := hookTitle(e)
	switch e.Subtype {
	case hook.HookStarted:
		m.hooks.live[e.HookID] = name
		return
	case hook.HookProgress:
		m.hooks.live[e.HookID] = name + "  " + lastLine(e.Output)
		return
	}
	delete(m.hooks.live, e.HookID)
	if m.hooks.by[name] == nil {
		m.hooks.by[name] = &hookCount{}
	}
	n := m.hooks.by[name]
	n.ran++
	m.hooks.last[name] = e
	b := &block{kind: hookBlock, level: ui.Warning}
	switch e.Outcome {
	case "blocked":
		n.blocked++
		b.label, b.text = "⊘", "blocked by "+name+hookReason(e)
	case "error":
		n.failed++
		code := ""
		if e.ExitCode != nil {
			code = fmt.Sprintf(" (exit %d)", *e.ExitCode)
		}
		b.label, b.text, b.level = "✗", name+" failed"+code+", not counted as agreement"+hookReason(e), ui.Error
	case "cancelled":
		n.cancelled++
		b.label, b.text = "⧗", name+" was cancelled"
	default:
		return
	}
	reason := strings.TrimPrefix(hookReason(e), ": ")
	m.remove(func(old *block) bool { return old.printed && strings.TrimSpace(old.text) == reason })
	m.add(b)
}

// hookPrinted shows what a hook printed, unless its line says that already.
func (m *screen) hookPrinted(source, text string) {
	said := ": " + strings.TrimSpace(text)
	for _, b := range m.blocks[max(0, len(m.blocks)-10):] {
		if b.kind == hookBlock && !b.printed && strings.HasSuffix(b.text, said) {
			return
		}
	}
	m.add(&block{kind: hookBlock, label: "· " + source + ":", text: text, printed: true})
}

// hookTitle names a hook with its event and where it comes from.
func hookTitle(e hook.Emission) string {
	if e.Hook == nil {
		return clean.PlainLine(e.HookName)
	}
	return registered(e.HookEvent, e.Hook)
}

// registered names a hook that is registered.
func registered(ev hook.Event, h *hook.Info) string {
	name := ev.String() + " " + h.Name
	if h.Scope != "" {
		name += " (" + h.Scope + ")"
	}
	return clean.PlainLine(name)
}

// hookRows list hooks, and what each did in this session.
func (m *screen) hookRows(hooks []*hook.Info) []string {
	rows := make([]string, len(hooks))
	for i, h := range hooks {
		rows[i] = registered(h.Event, h)
		if n := m.hooks.by[rows[i]]; n != nil {
			rows[i] += fmt.Sprintf(" · ran %d, blocked %d, failed %d, cancelled %d", n.ran, n.blocked, n.failed, n.cancelled)
		}
	}
	return rows
}

// lastOf says what a hook did when it ran last.
func (h *hookCounts) lastOf(name string) string {
	e, ok := h.last[name]
	if !ok {
		return name + " has not run in this session."
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s after %s", name, e.Outcome, e.Duration.Round(time.Millisecond))
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

// hookReason is what a hook gave as its reason, in its answer or in what it printed,
// behind a colon; "" when that was nothing.
func hookReason(e hook.Emission) string {
	answer := hook.RawJSON([]byte(strings.TrimSpace(e.Stdout)))
	specific, _ := answer.Get("hookSpecificOutput")
	for _, s := range []string{answer.String("reason"), specific.String("permissionDecisionReason"), answer.String("stopReason")} {
		if s != "" {
			return ": " + s
		}
	}
	if s := strings.TrimSpace(cmp.Or(e.Stderr, e.Output)); s != "" {
		return ": " + s
	}
	return ""
}

func lastLine(s string) string {
	s = strings.TrimRight(s, "\n")
	return clean.PlainLine(s[strings.LastIndexByte(s, '\n')+1:])
}
