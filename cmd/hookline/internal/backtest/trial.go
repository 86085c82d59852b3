package backtest

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"github.com/hookline-dev/hookline/dialect"
	"github.com/hookline-dev/hookline/hook"
	"github.com/hookline-dev/hookline/internal/lazyregexp"
)

// maxText bounds reasons and examples, in bytes.
const maxText = 200

// trial is one session.
type trial struct {
	*run
	rep *Report
	// stopped are the groups of calls that hooks would have stopped or asked about, until
	// it is known what became of them.
	stopped map[string][]*Group
}

// event fires an event, or notes what became of a call.
func (t *trial) event(ctx context.Context, p dialect.Past, place string) error {
	if p.Fate != dialect.FateUnknown {
		for _, g := range t.stopped[p.Call] {
			g.became(p.Fate)
		}
		delete(t.stopped, p.Call)
	}
	if !t.wanted(&p) {
		return nil
	}
	payload, err := hook.MarshalInput(p.Input)
	if err != nil {
		t.rep.Unread++
		return nil
	}
	e := Example{Place: place, Time: p.Time, Text: t.text(subject(p.Input))}
	tool := p.Input.Subject()
	out, err := t.Fire(ctx, p.Input)
	if err != nil {
		return fmt.Errorf("fire %v of %s: %w", p.Input.Event(), place, err)
	}
	t.rep.Events++
	sound := t.count(&out, tool, e, p.Call)
	if t.Old == nil {
		return nil
	}
	fresh, err := hook.UnmarshalInput(p.Input.Event(), payload) // hooks may have changed the other
	if err != nil {
		return fmt.Errorf("fire %v of %s: %w", p.Input.Event(), place, err)
	}
	old, err := t.Old(ctx, fresh)
	if err != nil {
		return fmt.Errorf("fire %v of %s with the other version: %w", p.Input.Event(), place, err)
	}
	for i := range old.Runs {
		sound = sound && fault(&old.Runs[i]) == ""
	}
	if was, is := answer(&old), answer(&out); sound && (was != is || old.UpdatedInput.Raw() != out.UpdatedInput.Raw()) {
		t.group(&t.rep.Differences, Key{Event: out.Event.String(), Tool: tool, Answer: was + " -> " + is}, e, p.Call)
	}
	return nil
}

// count takes down what each hook did. It reports whether all of them could do their work.
func (t *trial) count(out *hook.Outcome, tool string, e Example, call string) (sound bool) {
	sound = true
	for i := range out.Runs {
		run := &out.Runs[i]
		if run.Status == hook.StatusSkipped {
			continue
		}
		h := t.rep.hook(run.Hook.Name)
		ms := float64(run.Duration.Microseconds()) / 1000
		h.Runs, h.TotalMS, h.MaxMS = h.Runs+1, h.TotalMS+ms, max(h.MaxMS, ms)
		if why := fault(run); why != "" {
			sound = false
			if refusal.Get().MatchString(why) {
				h.Refused++
			} else {
				h.Failed++
			}
			h.Fault = cmp.Or(h.Fault, t.text(why))
			continue
		}
		if what := parts(run.Decision, run.Answer); what != "" {
			t.group(&t.rep.Groups, Key{Hook: run.Hook.Name, Event: out.Event.String(), Tool: tool, Answer: what, Reason: t.text(run.Reason)}, e, call)
		}
	}
	return sound
}

// group counts an event, and waits for what became of its call.
func (t *trial) group(list *[]*Group, k Key, e Example, call string) {
	g := find(list, k)
	g.add(e)
	if call != "" && len(t.stopped) < maxGroups {
		t.stopped[call] = append(t.stopped[call], g)
	}
}

// refusal is how programs and modules say that they may not do something.
var refusal = lazyregexp.New(`(?i)permission denied|operation not permitted|read-only file system|needs the grant|access to this api has been restricted|its sandbox|\bEACCES\b|\bEPERM\b|\bEROFS\b`)

// fault is why the answer of a run does not count: it failed, or says that it was refused
// something. It is "" of one that counts.
func fault(run *hook.Run) string {
	switch {
	case run.Status == hook.StatusFailed, run.Status == hook.StatusTimedOut, run.Status == hook.StatusCancelled:
		said := fmt.Sprint(run.Err)
		if run.Report != nil && refusal.Get().MatchString(run.Report.Stderr) {
			said = run.Report.Stderr
		}
		return said
	case run.Report != nil && refusal.Get().MatchString(run.Report.Stderr):
		return run.Report.Stderr
	}
	return ""
}

// parts names what an answer has, "" when it says nothing.
func parts(d hook.Decision, a *hook.Result) string {
	var names []string
	if d != hook.DecisionNone {
		names = append(names, d.String())
	}
	if a != nil {
		rest := *a
		rest.Decision = hook.DecisionNone
		names = append(names, rest.Fields().Names()...)
	}
	return strings.Join(names, ", ")
}

// answer names what all hooks came to.
func answer(out *hook.Outcome) string {
	r := out.Result()
	return cmp.Or(parts(out.Decision, &r), "none")
}

func (t *trial) text(s string) string {
	out, cut := t.Redact(s, maxText)
	if cut {
		out += "…"
	}
	return strings.TrimSpace(out)
}

// subject is what an event is about, for people.
func subject(in hook.Input) string {
	var input hook.JSON
	switch in := in.(type) {
	case *hook.UserPromptSubmit:
		return in.Prompt
	case *hook.Stop:
		return in.LastAssistantMessage
	case *hook.PreToolUse:
		input = in.ToolInput
	case *hook.PermissionRequest:
		input = in.ToolInput
	case *hook.PostToolUse:
		input = in.ToolInput
	case *hook.PostToolUseFailure:
		input = in.ToolInput
	}
	return cmp.Or(input.String("command"), input.String("file_path"), input.Raw())
}
