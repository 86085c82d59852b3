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

// hookSays shows what hooks run now, and counts what they did.
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
	switch e.Outcome {
	case "blocked":
		n.blocked++
	case "error":
		n.failed++
	case "cancelled":
		n.cancelled++
	}
}

// Record shows what hooks did that matters: a refusal, a failure, a change.
func (a *App) Record(_ context.Context, _ hook.Input, out *hook.Outcome) {
	before := out.OriginalInput
	for i := range out.Runs {
		r := &out.Runs[i]
		name := registered(out.Event, r.Hook)
		if b, reason := whatMattered(name, r, out.KeepGoing); b != nil {
			said := slices.DeleteFunc(slices.Clone(out.Notices), func(n string) bool { return r.Err == nil || !strings.Contains(n, r.Hook.Name) })
			a.post(func(m *screen) { m.hookDid(b, reason, said) })
		}
		if r.Answer == nil || r.Status != hook.StatusRan {
			continue
		}
		if after := r.Answer.UpdatedInput; !after.IsZero() && !before.IsZero() {
			if whole := before; r.Answer.InputPatch && whole.Merge(after) == nil {
				after = whole
			}
			if text := changes(before, after); text != "" {
				a.hookLine("✎", name+" changed the input: "+text)
			}
			before = after
		}
		if n := len(strings.Join(r.Answer.Context, "")); n > 0 {
			a.hookLine("+", fmt.Sprintf("context of %d bytes from %s", n, name))
		}
	}
}

// whatMattered is the line of a run that refused, failed or was cut short, and its reason;
// nil for another one.
func whatMattered(name string, r *hook.Run, keepGoing bool) (*block, string) {
	line := func(sign, text, reason string, level ui.Level) (*block, string) {
		if reason = strings.TrimSpace(reason); reason != "" {
			text += ": " + reason
		}
		return &block{kind: hookBlock, label: sign, text: text, level: level}, reason
	}
	counts := ", not counted as agreement"
	if r.FailedClosed {
		counts = ", counted against it"
	}
	switch {
	case r.Status == hook.StatusFailed:
		return line("✗", name+" failed"+counts, r.Err.Error(), ui.Error)
	case r.Status == hook.StatusTimedOut:
		return line("⧗", name+" timed out"+counts, r.Err.Error(), ui.Error)
	case r.Status == hook.StatusCancelled:
		return line("⧗", name+" was cancelled", "", ui.Warning)
	case r.Status != hook.StatusRan || r.Decision != hook.DecisionDeny && (r.Answer == nil || !r.Answer.Cancel):
		return nil, ""
	case keepGoing:
		return line("↻", name+" has the agent go on", r.Reason, ui.Info)
	}
	return line("⊘", "blocked by "+name, r.Reason, ui.Warning)
}

// hookDid shows what a hook did for a reason, which it may have printed too, and of which
// notices may come that say the same.
func (m *screen) hookDid(b *block, reason string, notices []string) {
	m.remove(func(old *block) bool { return old.printed && strings.TrimSpace(old.text) == reason })
	m.add(b)
	m.repeats = append(m.repeats, notices...)
	m.repeats = m.repeats[max(0, len(m.repeats)-keptRepeats):]
}

// keptRepeats is how many notices are waited for that say what a line says already.
const keptRepeats = 50

// hookLine adds a line about a hook.
func (a *App) hookLine(sign, text string) {
	a.post(func(m *screen) { m.add(&block{kind: hookBlock, label: sign, text: text}) })
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
	name := eventOf(ev) + " " + h.Name
	if h.Scope != "" {
		name += " (" + h.Scope + ")"
	}
	return clean.PlainLine(name)
}

// eventOf names an event, which may not be known.
func eventOf(ev hook.Event) string {
	if !ev.Valid() {
		return "unknown"
	}
	return ev.String()
}

func lastLine(s string) string {
	s = strings.TrimRight(s, "\n")
	return clean.PlainLine(s[strings.LastIndexByte(s, '\n')+1:])
}
