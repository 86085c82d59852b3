package all_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"github.com/hookline-dev/hookline/dialect"
	"github.com/hookline-dev/hookline/dialect/all"
	"github.com/hookline-dev/hookline/hook"
)

// inOtherWords are the parts that a dialect may say by another one.
var inOtherWords = map[hook.Field]hook.Fields{
	hook.FieldAsk:      hook.FieldDeny, // and the reason says so
	hook.FieldDefer:    hook.FieldDeny,
	hook.FieldDeny:     hook.FieldCancel | hook.FieldFollowUps | hook.FieldContext | hook.FieldHandled | hook.FieldUpdatedOutput,
	hook.FieldCancel:   hook.FieldDeny,
	hook.FieldContinue: hook.FieldDeny | hook.FieldFollowUps,
	hook.FieldHandled:  hook.FieldDeny,
}

// TestEveryPartIsSaidOrReportedAsLost puts every part of an answer, alone and beside
// every other, to every dialect on every event that honours it: its own answer says the part,
// or a note names it.
func TestEveryPartIsSaidOrReportedAsLost(t *testing.T) {
	for _, d := range all.Dialects() {
		t.Run(d.Name(), func(t *testing.T) {
			for _, ev := range hook.Events() {
				if d.EventName(ev) == "" {
					continue
				}
				parts := slices.DeleteFunc(slices.Clone(hook.AnswerParts()), func(p hook.AnswerPart) bool {
					return ev.Spec().Honours&p.Field == 0 && !p.Everywhere()
				})
				for _, p := range parts {
					for _, beside := range parts {
						if r, ok := together(p, beside); ok {
							covers(t, d, ev, p, r)
						}
					}
				}
			}
		})
	}
}

// covers puts an answer with a part to a dialect.
func covers(t *testing.T, d dialect.Dialect, ev hook.Event, p hook.AnswerPart, r hook.Result) {
	in, out := outcomeOf(t, ev, r)
	a, notes, err := d.Codec().EncodeOutcome(in, &out)
	if err != nil {
		t.Errorf("%v, %s: %v", ev, p.Name, err)
		return
	}
	back, _, err := d.Codec().DecodeResult(&hook.Call{Input: in}, a)
	if err != nil && ev != hook.EventWorktreeCreate { // where no worktree is a failure
		t.Errorf("%v, %s: its own answer %s: %v", ev, p.Name, a.Stdout, err)
	}
	const decisions = hook.FieldAllow | hook.FieldAsk | hook.FieldDefer | hook.FieldDeny
	wire := string(a.Stdout) + string(a.Stderr)
	said := back.Fields()&(p.Field|inOtherWords[p.Field]) != 0 || strings.Contains(wire, `"`+p.Name+`":`) ||
		p.Field == hook.FieldIsError && strings.Contains(wire, `"success":`)
	if words := wordsOf(p.Example); len(words) > 0 { // a decision may do without its reason
		carried := !slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(wire, w) })
		said = carried || said && p.Field&decisions != 0
	}
	switch {
	case said:
	case slices.ContainsFunc(notes, func(n string) bool { return strings.HasPrefix(n, p.Name+" ") }):
	case moot(&out, p.Field):
	case p.Field == hook.FieldAllow && !strings.Contains(wire, "true"): // not to block is all that there is
	default:
		t.Errorf("%v: %s is neither said nor reported: %s %q", ev, p.Name, wire, notes)
	}
}

// moot reports whether another part of an outcome takes a part's effect away.
func moot(out *hook.Outcome, part hook.Field) bool {
	goesOn := hook.FieldDeny | hook.FieldContinue | hook.FieldFollowUps
	switch {
	case out.Halt && out.Event.Spec().KeepsGoing():
		return part&goesOn != 0
	case out.Halt:
		return part == hook.FieldAllow
	case out.Blocked(), out.Host != nil && out.Host.Handled:
		return part&(hook.FieldUpdatedPrompt|hook.FieldUpdatedOutput) != 0
	}
	return false
}

// together is an answer with two parts; ok is false when they exclude each other.
func together(p, q hook.AnswerPart) (r hook.Result, ok bool) {
	text := p.Example
	if p.Field != q.Field {
		text = strings.TrimSuffix(p.Example, "}") + "," + strings.TrimPrefix(q.Example, "{")
	}
	return r, json.Unmarshal([]byte(text), &r) == nil
}

// outcomeOf is what one hook's answer comes to.
func outcomeOf(t *testing.T, ev hook.Event, r hook.Result) (hook.Input, hook.Outcome) {
	t.Helper()
	reg := hook.NewRegistry()
	hook.OnEvent(reg, func(context.Context, hook.Input) (hook.Result, error) { return r, nil }, []hook.Event{ev})
	eng := hook.New(reg)
	defer eng.Close()
	in, err := hook.UnmarshalInput(ev, []byte(`{"tool_name":"Bash","tool_input":{"command":"ls"},"tool_response":"out","payload":{"model":"m"}}`))
	if err != nil {
		t.Fatal(err)
	}
	out, err := eng.Fire(t.Context(), in)
	if err != nil {
		t.Fatal(err)
	}
	return in, out
}

// wordsOf are the texts of an example that are more than a word.
func wordsOf(example string) []string {
	var out []string
	for i, part := range strings.Split(example, `"`) {
		if i%2 == 1 && strings.ContainsAny(part, " /") {
			out = append(out, part)
		}
	}
	return out
}
