package claude

import (
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
