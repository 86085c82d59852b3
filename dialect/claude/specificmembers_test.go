package claude

import (
	"slices"
	"strings"
	"testing"

	"github.com/hookline-dev/hookline/hook"
)

// TestEveryPartHasAMemberOrIsKnownToHaveNone: a part of an answer that the dialect cannot say
// is lost on the way to a host, which is to be a choice.
func TestEveryPartHasAMemberOrIsKnownToHaveNone(t *testing.T) {
	const (
		besides = hook.FieldHalt | hook.FieldContinue | hook.FieldCancel | hook.FieldFollowUps | // answer.go, outcome.go
			hook.FieldSystemMessage | hook.FieldNotice | hook.FieldSuppressOutput | hook.FieldTerminalSequence
		none = hook.FieldIsError | hook.FieldMessages | hook.FieldInject | hook.FieldSkipRestore | hook.FieldCompaction |
			hook.FieldSummary | hook.FieldCompacting | hook.FieldSystemPrompt | hook.FieldHandled | hook.FieldResourcePaths | hook.FieldMessage
	)
	var said hook.Fields
	for _, m := range specificMembers() {
		said |= m.says
	}
	for _, p := range hook.AnswerParts() {
		switch has := said&p.Field != 0; {
		case has && none&p.Field != 0:
			t.Errorf("%s is said: it does not belong among those that have no member", p.Name)
		case !has && (besides|none)&p.Field == 0:
			t.Errorf("nothing in the claude dialect says %s: write a row of specificTable in dialect/claude/specificmembers.go, or name it here among those that have no member", p.Name)
		}
	}
}

// TestEveryEventHasTheMembersOfWhatItTakes: what an event takes and the format can say, a hook
// of that event can say, or it is known here that Claude Code's cannot.
func TestEveryEventHasTheMembersOfWhatItTakes(t *testing.T) {
	never := map[hook.Event]hook.Fields{hook.EventPostToolUseFailure: hook.FieldUpdatedOutput}
	for _, ev := range Events() {
		r := row(ev)
		var can hook.Fields
		if r.block || r.two == exitTwoDenies {
			can = hook.FieldDeny
		}
		words := map[hook.Fields][]string{}
		for _, m := range specificMembers() {
			if slices.Contains(r.specific, m.key) {
				can |= m.says
			}
			for _, p := range hook.AnswerParts() {
				if m.says&p.Field != 0 {
					words[p.Field] = append(words[p.Field], m.key)
				}
			}
		}
		for part, keys := range words {
			switch missing := ev.Spec().Honours&part != 0 && can&part == 0; {
			case missing && never[ev]&part == 0:
				t.Errorf("%v takes %s, which its hooks cannot say: name %s in its row of dialect/claude/events.go, or the part here among those that it never says",
					ev, part.Names()[0], strings.Join(keys, " or "))
			case !missing && never[ev]&part != 0:
				t.Errorf("%v can say %s: it does not belong among those that it never says", ev, part.Names()[0])
			}
		}
	}
}
