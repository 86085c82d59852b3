package tui

import (
	"cmp"
	"context"
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

// hookCount is what a hook did, and how long it took, the last times.
type hookCount struct {
	ran, blocked, failed, cancelled int
	took                            []time.Duration
}

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
	n.took = append(n.took, e.Duration)
	n.took = n.took[max(0, len(n.took)-keptDurations):]
	m.hooks.last[name] = e
	b := &block{kind: hookBlock, level: ui.Warning}
	switch e.Outcome {
	case "blocked":
		n.blocked++
		if e.HookEvent == hook.EventStop || e.HookEvent == hook.EventSubagentStop {
			return // it keeps the agent going, which Record shows
		}
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
	m.hookDid(b, strings.TrimPrefix(hookReason(e), ": "))
}

// hookDid shows what a hook did for a reason, which it may have printed too.
func (m *screen) hookDid(b *block, reason string) {
	m.remove(func(old *block) bool { return old.printed && strings.TrimSpace(old.text) == reason })
	m.add(b)
}

// Record shows what hooks changed about an event, what they added for the model, and which
// of them keep the agent going.
func (a *App) Record(_ context.Context, _ hook.Input, out *hook.Outcome) {
	before := out.OriginalInput
	say := func(sign, what, reason string) {
		a.post(func(m *screen) { m.hookDid(&block{kind: hookBlock, label: sign, text: what}, reason) })
	}
	for i := range out.Runs {
		r := &out.Runs[i]
		if r.Status != hook.StatusRan {
			continue
		}
		name := registered(out.Event, r.Hook)
		if out.KeepGoing && r.Decision == hook.DecisionDeny {
			say("↻", name+" has the agent go on: "+r.Reason, strings.TrimSpace(r.Reason))
		}
		if r.Answer == nil {
			continue
		}
		if after := r.Answer.UpdatedInput; !after.IsZero() && !before.IsZero() {
			if whole := before; r.Answer.InputPatch && whole.Merge(after) == nil {
				after = whole
			}
			if text := changes(before, after); text != "" {
				say("✎", name+" changed the input: "+text, "")
			}
			before = after
		}
		if n := len(strings.Join(r.Answer.Context, "")); n > 0 {
			say("+", fmt.Sprintf("context of %d bytes from %s", n, name), "")
		}
	}
}

// changes are the members of an input that are others now.
func changes(before, after hook.JSON) string {
	var out []string
	for _, name := range after.Keys() {
		was, had := before.Get(name)
		is, _ := after.Get(name)
		if had && was.Raw() != is.Raw() {
			out = append(out, name+": "+brief(was)+" → "+brief(is))
		} else if !had {
			out = append(out, name+": "+brief(is))
		}
	}
	for _, name := range before.Keys() {
		if !after.Has(name) {
			out = append(out, "no "+name)
		}
	}
	return strings.Join(out, ", ")
}

// brief is a value in a part of a line.
func brief(v hook.JSON) string {
	text, ok := v.AsString()
	if !ok {
		text = v.Raw()
	}
	return clean.Cut(clean.PlainLine(text), 60)
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
