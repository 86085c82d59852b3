package agent_test

import (
	"context"
	"testing"

	"github.com/hookline-dev/hookline/agent"
	"github.com/hookline-dev/hookline/hook"
)

// What did not run is in the result, and why the model stopped.
func TestTheResultNamesWhatDidNotRun(t *testing.T) {
	deferring := hook.Result{Decision: hook.DecisionDefer, Reason: "later"}
	for _, test := range []struct {
		name            string
		answer          hook.Result
		denied, waiting int
		stop            string
	}{
		{"allowed", hook.None(), 0, 0, "end_turn"},
		{"a hook's deny", hook.Deny("no"), 1, 0, "end_turn"},
		{"a deferral", deferring, 0, 1, "tool_use"},
	} {
		b := newBench(t, oneCall).allowAll()
		onPre(b, test.answer)
		res := b.prompt("go")
		waiting := 0
		if d := res.Deferred; d != nil && d.Tool == "Do" && d.Input.String("command") == "original" {
			waiting++
		}
		if len(res.Denials) != test.denied || waiting != test.waiting || res.StopReason != test.stop {
			t.Errorf("%s: denied %v, deferred %v, stopped because of %q", test.name, res.Denials, res.Deferred, res.StopReason)
		}
	}
	b := newBench(t, bashCall, withBash)
	if res := b.prompt("go"); len(res.Denials) != 1 || res.Denials[0].Tool != "Bash" || res.Denials[0].ID == "" {
		t.Errorf("without a permission: %v", res.Denials)
	}
}

func TestNobodyIsNotifiedWhereNobodyCanBeAsked(t *testing.T) {
	b := newBench(t, bashCall, withBash)
	onPre(b, hook.Result{Decision: hook.DecisionAsk, Reason: "look at this first"})
	hook.On(b.reg, func(context.Context, *hook.Notification) (hook.Result, error) {
		t.Error("a notification")
		return hook.None(), nil
	})
	hook.On(b.reg, func(context.Context, *hook.PermissionDenied) (hook.Result, error) {
		t.Error("PermissionDenied")
		return hook.None(), nil
	})
	b.prompt("go")
	expect(t, b.lastResult(), `"text":"look at this first"`, "!nobody is there")
}

func TestContextNamesItsEventAndStandsBehindWhatItIsAbout(t *testing.T) {
	b := newBench(t, oneCall).allowAll()
	hook.On(b.reg, func(context.Context, *hook.SessionStart) (hook.Result, error) {
		return hook.AddContext("about all"), nil
	})
	hook.On(b.reg, func(context.Context, *hook.PostToolUse) (hook.Result, error) { return hook.AddContext("about it"), nil })
	b.prompt("go")
	expect(t, b.model.texts()[0], "user: go", "SessionStart hook additional context: about all")
	if system := b.model.requests[0].System; len(system) != 1 || system[0] != agent.DefaultSystem {
		t.Errorf("the system prompt is %q", system)
	}
	last := b.model.requests[1].Messages
	if got, want := last[len(last)-1].Content[0].Content[0].Text, "ran {\"command\":\"original\"}\n\n<system-reminder>\nPostToolUse:Do hook additional context: about it\n</system-reminder>"; got != want {
		t.Errorf("the result is %q, want %q", got, want)
	}
}

func TestADialectFramesItsHooksReasons(t *testing.T) {
	b := newBench(t, oneCall, func(_ *bench, cfg *agent.Config) {
		cfg.Frame = func(in hook.Input, run *hook.Run, reason string) string {
			return in.Event().String() + " of " + run.Hook.Name + ": " + reason
		}
	}).allowAll()
	onPre(b, hook.Deny("no"))
	b.prompt("go")
	expect(t, b.lastResult(), "PreToolUse of PreToolUse#2: no")
}
