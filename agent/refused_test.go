package agent_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/hookline-dev/hookline/agent"
	"github.com/hookline-dev/hookline/agent/model"
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
	b = newBench(t, bashCall, withBash)
	onPre(b, hook.Result{Decision: hook.DecisionAsk})
	b.prompt("go")
	expect(t, b.lastResult(), `"text":"Hook PreToolUse:Bash asked for confirmation for this tool"`)
}

func TestARefusedPromptIsSaidWithItsReasonAndAsItWasTyped(t *testing.T) {
	expansion := &hook.UserPromptExpansion{CommandName: "hi", Prompt: "/hi there"}
	const submit, expand = "UserPromptSubmit operation blocked by hook:\nno\n\nOriginal prompt: ", "UserPromptExpansion operation blocked by hook:\nno\n\nOriginal prompt: "
	halt := hook.Result{Continue: hook.No, StopReason: "enough"}
	for _, test := range []struct {
		submit, expand hook.Result
		expansion      *hook.UserPromptExpansion
		end            agent.End
		said, events   string
	}{
		{hook.Deny("no"), hook.None(), nil, agent.EndBlocked, submit + "Say hi", "submit Say hi"},
		{hook.Deny("no"), hook.None(), expansion, agent.EndBlocked, submit + "/hi there", "submit Say hi"},
		{hook.None(), hook.Deny("no"), expansion, agent.EndBlocked, expand + "/hi there", "submit Say hi|expand /hi there"},
		{halt, hook.None(), expansion, agent.EndHalted, "Operation stopped by hook: enough", "submit Say hi"},
		{hook.None(), halt, expansion, agent.EndHalted, "Operation stopped by hook: enough", "submit Say hi|expand /hi there"},
		{hook.None(), hook.None(), expansion, agent.EndDone, "", "submit Say hi|expand /hi there"},
	} {
		b := newBench(t, "turns: [{text: ok}]")
		hook.On(b.reg, func(_ context.Context, in *hook.UserPromptSubmit) (hook.Result, error) {
			b.note("submit %s", in.Prompt)
			if want := map[bool]string{true: "/hi there"}[test.expansion != nil]; in.TypedPrompt != want {
				t.Errorf("typed %q, want %q", in.TypedPrompt, want)
			}
			return test.submit, nil
		})
		hook.On(b.reg, func(_ context.Context, in *hook.UserPromptExpansion) (hook.Result, error) {
			b.note("expand %s", in.Prompt)
			return test.expand, nil
		})
		res, err := b.a.Run(t.Context(), agent.Prompt{Text: "Say hi", Expansion: test.expansion})
		if err != nil || res.End != test.end || res.Replacement != test.said {
			t.Errorf("%v: it ended %s and said %q, want %s and %q", err, res.End, res.Replacement, test.end, test.said)
		}
		if got := strings.Join(b.noted(), "|"); got != test.events {
			t.Errorf("events %q, want %q", got, test.events)
		}
	}
}

func TestAnInputThatAHookMadeInvalidIsADenial(t *testing.T) {
	b := newBench(t, bashCall, withBash).allowAll()
	onPre(b, hook.Result{UpdatedInput: hook.RawJSON(`{"no":"command"}`)})
	if res := b.prompt("go"); len(res.Denials) != 1 {
		t.Errorf("denied: %v", res.Denials)
	}
}

func TestWhatASubagentSaysIsNotDisplayed(t *testing.T) {
	b := newBench(t, taskTurns, withReviewer).allowAll()
	noteJSON(b, hook.EventMessageDisplay)
	b.prompt("go")
	if got := b.noted(); len(got) != 1 || !strings.Contains(got[0], "Done.") {
		t.Errorf("displayed: %q", got)
	}
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
		cfg.Framer = frames{}
	}).allowAll()
	onPre(b, hook.Deny("no"))
	b.prompt("go")
	expect(t, b.lastResult(), `PreToolUse of PreToolUse#2: no\nonce more`)
}

// frames names the event and the hook, and says things twice.
type frames struct{}

func (frames) Frame(in hook.Input, run *hook.Run, reason string) []string {
	return []string{in.Event().String() + " of " + run.Hook.Name + ": " + reason, "once more"}
}

func (frames) Label(in hook.Input, run *hook.Run, context string) string {
	if context == "plain" {
		return ""
	}
	return in.Event().String() + " by " + run.Hook.Name
}

func TestADialectFramesContextObjectionsAndWhatKeepsTheAgentGoing(t *testing.T) {
	b := newBench(t, oneCall, func(_ *bench, cfg *agent.Config) { cfg.Framer = frames{} }).allowAll()
	hook.On(b.reg, func(context.Context, *hook.UserPromptSubmit) (hook.Result, error) {
		return hook.AddContext("plain", "own"), nil
	})
	hook.On(b.reg, func(context.Context, *hook.PreToolUse) (hook.Result, error) { return hook.AddContext("before"), nil })
	hook.On(b.reg, func(context.Context, *hook.PostToolUse) (hook.Result, error) { return hook.Deny("bad"), nil })
	hook.On(b.reg, func(_ context.Context, in *hook.Stop) (hook.Result, error) {
		if in.StopHookActive {
			return hook.None(), nil
		}
		return hook.Result{Decision: hook.DecisionDeny, Reason: "more", FollowUps: []string{"and this"}}, nil
	})
	b.prompt("go")
	expect(t, b.model.texts()[0], "UserPromptSubmit hook additional context: plain\n", "UserPromptSubmit by UserPromptSubmit#2: own")
	content := func(request int) []model.Block {
		msgs := b.model.requests[request].Messages
		return msgs[len(msgs)-1].Content
	}
	after := content(1)
	if len(after) != 2 || after[1].Text != "<system-reminder>\nPreToolUse by PreToolUse#3: before\n</system-reminder>" {
		t.Errorf("after the call: %+v", after)
	}
	expect(t, after[0].Content[0].Text, "<system-reminder>\nPostToolUse of PostToolUse#4: bad\n</system-reminder>\n\n<system-reminder>\nonce more\n</system-reminder>")
	var went []string
	for _, block := range content(2) {
		went = append(went, block.Text)
	}
	if got, want := strings.Join(went, "|"), "<system-reminder>\nStop of Stop#5: more\n</system-reminder>|<system-reminder>\nonce more\n</system-reminder>|and this"; got != want {
		t.Errorf("it goes on with %q, want %q", got, want)
	}
}

func TestTheResultNamesWhatSubagentsWereRefused(t *testing.T) {
	b := newBench(t, taskTurns, withFiles, withReviewer).allowAll()
	hook.On(b.reg, func(_ context.Context, in *hook.PreToolUse) (hook.Result, error) {
		if in.AgentID != "" {
			return hook.Deny("no"), nil
		}
		return hook.None(), nil
	})
	if res := b.prompt("go"); len(res.Denials) != 1 || res.Denials[0].Tool != "Look" {
		t.Errorf("denied: %v", res.Denials)
	}
	if res := b.prompt("again"); len(res.Denials) != 0 {
		t.Errorf("a later prompt: %v", res.Denials)
	}
}

func TestTheNextPromptSaysThatAHookEndedTheLast(t *testing.T) {
	for name, answer := range map[string]hook.Result{
		"block":          hook.Deny("enough"),
		"block and stop": {Decision: hook.DecisionDeny, Reason: "no more", Continue: hook.No, StopReason: "enough"},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, oneCall).allowAll()
			hook.On(b.reg, func(context.Context, *hook.PostToolBatch) (hook.Result, error) { return answer, nil })
			b.prompt("go")
			b.prompt("on")
			requests := b.model.requests
			sent := fmt.Sprint(requests[len(requests)-1].Messages)
			if len(requests) != 2 || strings.Count(sent, "PostToolBatch hook stopped continuation") != 1 || !strings.Contains(sent, "continuation: enough") {
				t.Errorf("%d requests, the last is %s", len(requests), sent)
			}
		})
	}
}

func TestARefusalThatEndsTheRunIsTold(t *testing.T) {
	b := newBench(t, oneCall).allowAll()
	onPre(b, hook.Result{Decision: hook.DecisionDeny, Reason: "no", Continue: hook.No, StopReason: "enough"})
	if res := b.prompt("go"); res.End != agent.EndHalted || len(res.Denials) != 1 || res.Turns != 1 {
		t.Errorf("%+v", res)
	}
	expect(t, b.lastResult(), `"text":"no"`)
	b = newBench(t, oneCall)
	hook.On(b.reg, func(context.Context, *hook.UserPromptSubmit) (hook.Result, error) {
		return hook.Result{Decision: hook.DecisionDeny, Reason: "no", Continue: hook.No, StopReason: "enough"}, nil
	})
	if res := b.prompt("go"); res.End != agent.EndHalted || res.Replacement != "Operation stopped by hook: enough" {
		t.Errorf("%+v", res)
	}
}

// unreasoned are hooks that give no reason for what they refuse.
type unreasoned struct{ *hook.Engine }

func (u unreasoned) Fire(ctx context.Context, in hook.Input) (hook.Outcome, error) {
	out, err := u.Engine.Fire(ctx, in)
	out.Reason = ""
	return out, err
}

// deferring is a permission that defers all calls and says nothing about it.
type deferring struct{ agent.Permission }

func (deferring) Decide(permissionRequest) permissionDecision {
	return permissionDecision{Decision: hook.DecisionDefer}
}

func TestWhatEndsATurnNeedsNoReason(t *testing.T) {
	b := newBench(t, bashCall, withBash, func(b *bench, cfg *agent.Config) { cfg.Hooks = unreasoned{b.eng} })
	onPermission(b, hook.Result{Decision: hook.DecisionDeny, Interrupt: true})
	if res := b.prompt("go"); res.End != agent.EndInterrupted || res.Turns != 1 || res.Reason == "" {
		t.Errorf("after an interrupt it ended %s after %d turns: %q", res.End, res.Turns, res.Reason)
	}
	b = newBench(t, bashCall, withBash, func(_ *bench, cfg *agent.Config) { cfg.Permission = deferring{allowing{}} })
	if res := b.prompt("go"); res.End != agent.EndDeferred || res.Turns != 1 || res.Reason == "" {
		t.Errorf("after a deferral it ended %s after %d turns: %q", res.End, res.Turns, res.Reason)
	}
}
