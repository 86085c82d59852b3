package main

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/hookline-dev/hookline/cmd/hookline/internal/report"
	"github.com/hookline-dev/hookline/discovery"
	"github.com/hookline-dev/hookline/hook"
)

// decisionStyle colours a decision.
func (a *app) decisionStyle(d string) string {
	sgr := map[string]string{"deny": "31;1", "ask": "33", "defer": "33", "allow": "32"}[d]
	if sgr == "" {
		return d
	}
	return a.style(sgr, d)
}

// outcomeText prints an outcome for people: the decision first, then what changed,
// then each hook.
func (a *app) outcomeText(w *workspace, in hook.Input, out *hook.Outcome, rep *report.Outcome) {
	head := rep.Event
	if s := in.Subject(); s != "" {
		head += " " + s
	}
	a.printf("%s: %s", a.style("1", escaped(head)), a.decisionStyle(rep.Decision))
	if rep.Reason != "" {
		a.printf("  %s", line(rep.Reason))
	}
	if rep.DecidedBy != "" {
		a.printf("  (%s)", escaped(rep.DecidedBy))
	}
	a.printf("\n")
	a.effectsText(out, rep)
	for i := range rep.Runs {
		a.runText(w, &rep.Runs[i])
	}
	if len(rep.Runs) > 0 {
		return
	}
	if n := mayBeFor(w.Set().Hooks, in.Event()); n > 0 {
		a.printf("  no hook that runs is for this event; %s may be, broken or not approved: 'hookline list --all' says why\n", count(n, "hook", "hooks"))
		return
	}
	a.printf("  no hook is for this event\n")
}

// mayBeFor counts the hooks that do not run and are for an event, or of which it is not known
// what they are for.
func mayBeFor(hooks []discovery.Found, ev hook.Event) int {
	n := 0
	for i := range hooks {
		h := &hooks[i]
		idle := h.Status == discovery.Broken || h.Status == discovery.Untrusted
		if idle && (h.Event == 0 || h.Event == ev && h.Registration == nil) {
			n++
		}
	}
	return n
}

func (a *app) effectsText(out *hook.Outcome, rep *report.Outcome) {
	row := func(label, value string) {
		if value != "" {
			a.printf("  %s: %s\n", label, line(value))
		}
	}
	if rep.Halt {
		row("halt", "the run ends here. "+rep.StopReason)
	}
	for _, c := range rep.Continuation {
		row("the agent goes on", c)
	}
	if rep.UpdatedInput != nil {
		row("input was", rep.OriginalInput.Raw())
		row("input now", rep.UpdatedInput.Raw())
	}
	for _, c := range rep.Context {
		row("context", c)
	}
	for _, m := range rep.System {
		row("message", m)
	}
	for _, n := range rep.Notices {
		row("notice", n)
	}
	for _, p := range hook.AnswerParts() {
		if p.Of != nil {
			row(words(p.Name), partText(p.Of(out)))
		}
	}
	if out.Host != nil {
		row("host", partText(out.Host))
	}
}

// words is the name of a part with blanks between its words.
func words(name string) string {
	var b strings.Builder
	for _, c := range name {
		if unicode.IsUpper(c) {
			b.WriteByte(' ')
		}
		b.WriteRune(unicode.ToLower(c))
	}
	return b.String()
}

// maxPart is how much of a part that is not text is printed, in characters.
const maxPart = 400

// partText is the value of a part of the answer on one line, "" for none.
func partText(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case string:
		return v
	case *string:
		return *v
	}
	text := []rune(hook.MustJSON(v).Raw())
	if len(text) > maxPart {
		return string(text[:maxPart]) + "…"
	}
	return string(text)
}

func (a *app) runText(w *workspace, r *report.Run) {
	status := strings.ReplaceAll(r.Status, "_", " ")
	a.printf("  %s %s", a.style("2", "·"), a.style("1", escaped(r.Name)))
	a.printf("  %s", status)
	if r.Status == "ran" {
		a.printf(", %s", a.decisionStyle(r.Decision))
	}
	if r.ExitCode != nil {
		a.printf(", exit %d", *r.ExitCode)
	}
	if r.Status != "skipped" {
		a.printf(", %.1f ms", r.DurationMS)
	}
	a.printf("  %s\n", a.style("2", fmt.Sprintf("(%s, %s)", r.Dialect, escaped(w.relative(r.Source)))))
	detail := func(label, value string) {
		if value != "" {
			a.printf("      %s: %s\n", label, line(value))
		}
	}
	detail("why", r.Why)
	detail("reason", r.Reason)
	detail("error", firstLine(r.Error))
	if r.FailedClosed {
		detail("counts as", "a deny: this hook fails closed")
	}
	for _, i := range r.Ignored {
		detail("ignored", i)
	}
	bad := r.Status == "failed" || r.Status == "timed_out"
	for _, n := range r.Notes {
		known := strings.Contains(r.Error, strings.TrimPrefix(n, "it did not start: "))
		if !known && (bad || !strings.HasPrefix(n, "shell: ")) { // which shell ran it matters when it went wrong
			detail("note", n)
		}
	}
	if said := firstLine(r.Stderr); bad && !strings.Contains(r.Error, said) {
		detail("stderr", said)
	}
}

func firstLine(s string) string {
	s, _, _ = strings.Cut(strings.TrimSpace(s), "\n")
	return s
}

// profileText says where the time of each process went.
func (a *app) profileText(rep *report.Outcome) {
	for i := range rep.Runs {
		r := &rep.Runs[i]
		if r.Phases == nil {
			continue
		}
		p := r.Phases
		a.printf("  time of %s: start %.1f ms, stdin %.1f ms, run %.1f ms, drain %.1f ms, in all %.1f ms\n", escaped(r.Name), p.StartMS, p.StdinMS, p.RunMS, p.DrainMS, r.DurationMS)
		if tip := advice(r.DurationMS, p.StartMS, p.StdinMS, p.RunMS, p.DrainMS); tip != "" {
			a.printf("      %s\n", line(tip))
		}
	}
}

// lostHooks counts the broken hooks of which it is not known what they are for, so that
// no event reports them.
func lostHooks(hooks []discovery.Found) int {
	n := 0
	for i := range hooks {
		if h := &hooks[i]; h.Status == discovery.Broken && h.Registration == nil {
			n++
		}
	}
	return n
}

// untrustedLine says once which hooks do not run because nobody approved them or because
// they are broken, and which guards fail because they cannot run.
func (a *app) untrustedLine(set *discovery.Set) {
	a.failedLines(set, func(*discovery.Found) bool { return true })
	n := 0
	for i := range set.Hooks {
		if h := &set.Hooks[i]; !h.Failed && h.Status == discovery.Untrusted {
			n++
		}
	}
	if lost := lostHooks(set.Hooks); lost > 0 {
		a.warnf("%s broken and will not run; 'hookline list --all' says why.", count(lost, "hook is", "hooks are"))
	}
	if n > 0 {
		a.warnf("%s not approved and will not run; 'hookline trust' shows and approves.", count(n, "hook is", "hooks are"))
	}
}

// failedLines says which guards cannot run; of what stands for several events, once.
func (a *app) failedLines(set *discovery.Set, which func(*discovery.Found) bool) {
	said := map[string]bool{}
	for i := range set.Hooks {
		h := &set.Hooks[i]
		key := h.FullName() + "\x00" + h.Source + "\x00" + h.Why
		if !h.Failed || said[key] || !which(h) {
			continue
		}
		said[key] = true
		remedy := "mend it, or 'hookline disable' it."
		if h.Status == discovery.Untrusted {
			remedy = "'hookline trust' shows and approves it, 'hookline disable' switches it off."
		}
		a.warnf("The guard %s cannot run and fails (%s): %s; %s", escaped(h.FullName()), policyWord(h.Registration), line(h.Why), remedy)
	}
}

// offLine says which hooks somebody switched off.
func (a *app) offLine(set *discovery.Set) {
	var off []string
	for i := range set.Hooks {
		if h := &set.Hooks[i]; h.Off && h.Status == discovery.Disabled && !slices.Contains(off, h.FullName()) {
			off = append(off, h.FullName())
		}
	}
	if len(off) > 0 {
		a.warnf("%s switched off: %s.", count(len(off), "hook is", "hooks are"), escaped(strings.Join(off, ", ")))
	}
}
