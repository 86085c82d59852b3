package bridge

import (
	"strings"
	"testing"

	"github.com/hookline-dev/hookline/dialect"
	"github.com/hookline-dev/hookline/hook"
)

// said is the record of a hook that is a guard, or of one that is not.
func said(guard bool, r hook.Result) []hook.Run {
	return []hook.Run{{Hook: &hook.Info{Name: "h", Guard: guard, Policy: hook.FailOpen}, Answer: &r}}
}

func TestARestrictionIsNeverLost(t *testing.T) {
	changed := hook.RawJSON(`{"command":"ls"}`)
	prompt := "without the key"
	for name, tt := range map[string]struct {
		event    hook.Event
		without  hook.Fields
		out      hook.Outcome
		decision hook.Decision
		reason   string
		lost     string // the parts, in order
	}{
		"nothing lost": {hook.EventPreToolUse, 0, hook.Outcome{Decision: hook.DecisionAsk, Reason: "r"}, hook.DecisionAsk, "r", ""},
		"ask":          {hook.EventPreToolUse, hook.FieldAsk, hook.Outcome{Decision: hook.DecisionAsk, Reason: "r"}, hook.DecisionDeny, needsPerson + "r", "ask"},
		"defer":        {hook.EventPreToolUse, hook.FieldDefer, hook.Outcome{Decision: hook.DecisionDefer}, hook.DecisionDeny, needsPerson, "defer"},
		"allow":        {hook.EventPreToolUse, hook.FieldAllow, hook.Outcome{Decision: hook.DecisionAllow, Reason: "r"}, hook.DecisionNone, "", "allow"},
		"halt":         {hook.EventPreToolUse, hook.FieldHalt, hook.Outcome{Halt: true, StopReason: "broke"}, hook.DecisionDeny, "broke", "halt"},
		"halt over an allow": {
			hook.EventPreToolUse, hook.FieldHalt, hook.Outcome{Halt: true, Decision: hook.DecisionAllow, Reason: "fine"}, hook.DecisionDeny, "A hook ends", "halt",
		},
		"halt beside a deny": {
			hook.EventPreToolUse, hook.FieldHalt, hook.Outcome{Halt: true, StopReason: "broke", Decision: hook.DecisionDeny, Reason: "no"}, hook.DecisionDeny, "no\nbroke", "halt",
		},
		"halt of an agent that stops": {hook.EventStop, hook.FieldHalt, hook.Outcome{Halt: true}, hook.DecisionNone, "", "halt"},
		"rewrite by a guard": {
			hook.EventPreToolUse, hook.FieldUpdatedInput,
			hook.Outcome{UpdatedInput: changed, InputChanged: true, Runs: said(true, hook.Result{UpdatedInput: changed})},
			hook.DecisionDeny, `instead: {"command":"ls"}`, "updatedInput",
		},
		"rewrite by another, with an allow for it": {
			hook.EventPreToolUse, hook.FieldUpdatedInput,
			hook.Outcome{Decision: hook.DecisionAllow, UpdatedInput: changed, Runs: said(false, hook.Result{UpdatedInput: changed})},
			hook.DecisionNone, "", "updatedInput",
		},
		"prompt by a guard": {
			hook.EventUserPromptSubmit, hook.FieldUpdatedPrompt,
			hook.Outcome{UpdatedPrompt: &prompt, Runs: said(true, hook.Result{UpdatedPrompt: &prompt})},
			hook.DecisionDeny, "send this prompt instead: without the key", "updatedPrompt",
		},
		"output":  {hook.EventPostToolUse, hook.FieldUpdatedOutput, hook.Outcome{UpdatedOutput: changed}, hook.DecisionNone, "", "updatedOutput"},
		"context": {hook.EventPreToolUse, hook.FieldContext, hook.Outcome{Context: []string{"c"}}, hook.DecisionNone, "", "context"},
		"ask where nothing can be denied": {
			hook.EventPreToolUse, hook.FieldAsk | hook.FieldDeny, hook.Outcome{Decision: hook.DecisionAsk, Reason: "r"}, hook.DecisionNone, "", "ask",
		},
	} {
		t.Run(name, func(t *testing.T) {
			tt.out.Event = tt.event
			honours := (tt.event.Spec().Honours | hook.FieldHalt | hook.FieldNotice) &^ tt.without
			h := &dialect.Host{Title: "Host", Events: []dialect.HostEvent{{Honours: hook.FieldContext}}}
			losses, held := degrade(h, &dialect.HostEvent{Name: "e", Event: tt.event}, honours, &tt.out)
			var lost []string
			for _, l := range losses {
				lost = append(lost, l.Field)
			}
			left := tt.out.Result()
			if tt.out.Decision != tt.decision || !strings.Contains(tt.out.Reason, tt.reason) || tt.reason == "" && tt.out.Reason != "" ||
				strings.Join(lost, " ") != tt.lost || left.Fields()&tt.without != 0 {
				t.Errorf("%v %q, lost %q, left %q", tt.out.Decision, tt.out.Reason, lost, left.Fields().Names())
			}
			if (tt.lost == "context") != (len(held) == 1) {
				t.Errorf("held %q", held)
			}
		})
	}
}

// TestContextIsHeldForNobodyInVain since a host may take it nowhere.
func TestContextIsHeldForNobodyInVain(t *testing.T) {
	out := hook.Outcome{Event: hook.EventUserPromptSubmit, Context: []string{"c"}}
	losses, held := degrade(&dialect.Host{Title: "Host"}, &dialect.HostEvent{Event: out.Event}, hook.FieldDeny, &out)
	if len(held) > 0 || len(losses) != 1 || losses[0].Instead != "it has no effect" {
		t.Errorf("held %q, lost %+v", held, losses)
	}
}
