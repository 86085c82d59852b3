package agent_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/hookline-dev/hookline/agent"
	"github.com/hookline-dev/hookline/hook"
)

// listen notes the name of every event that fires, in order.
func listen(b *bench, skip ...hook.Event) {
	var events []hook.Event
	for _, ev := range hook.Events() {
		if !slices.Contains(skip, ev) {
			events = append(events, ev)
		}
	}
	hook.OnEvent(b.reg, func(_ context.Context, in hook.Input) (hook.Result, error) {
		name := in.Event().String()
		if s := in.Subject(); s != "" {
			name += "(" + s + ")"
		}
		b.note("%s", name)
		return hook.None(), nil
	}, events, hook.Observe())
}

func TestEventsOfOnePromptInOrder(t *testing.T) {
	b := newBench(t, `
turns:
  - text: "I look."
    tool_calls: [{name: Look, input: {a: 1}}, {name: Do, input: {b: 2}}]
  - text: "Done."
`).allowAll()
	listen(b, hook.EventMessageUpdate, hook.EventMessageDisplay)
	b.prompt("hello")
	if err := b.a.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	want := strings.Fields(`
		SessionStart(startup) UserPromptSubmit AgentStart TurnStart MessageStart MessageEnd
		Context ProviderRequest ProviderResponse MessageStart MessageEnd
		PreToolUse(Look) ToolExecutionStart(Look) PostToolUse(Look) ToolExecutionEnd(Look)
		PreToolUse(Do) ToolExecutionStart(Do) PostToolUse(Do) ToolExecutionEnd(Do)
		MessageStart MessageEnd MessageStart MessageEnd PostToolBatch TurnEnd
		TurnStart Context ProviderRequest ProviderResponse MessageStart MessageEnd TurnEnd
		Stop AgentEnd AgentSettled SessionEnd(other)`)
	if got := b.noted(); !slices.Equal(got, want) {
		t.Errorf("events\n got %v\nwant %v", got, want)
	}
}

func TestPayloads(t *testing.T) {
	b := newBench(t, `
turns:
  - text: "I look."
    tool_calls: [{name: Look, id: call-1, input: {a: 1}}]
  - text: "Done."
`, func(_ *bench, cfg *agent.Config) { cfg.Recipe, cfg.Source = "review", "resume" }).allowAll()
	check := func(in hook.Input, ok bool) (hook.Result, error) {
		c := in.Base()
		if !ok || c.SessionID != b.a.SessionID() || c.PermissionMode != "default" || c.InvokedBy != "main" || c.RecipeName != "review" || c.CWD == "" || c.Session() == nil {
			t.Errorf("%v: %+v", in.Event(), in)
		}
		b.note("%v", in.Event())
		return hook.None(), nil
	}
	hook.On(b.reg, func(_ context.Context, in *hook.SessionStart) (hook.Result, error) {
		return check(in, in.Source == "resume" && in.Model == "script")
	})
	hook.On(b.reg, func(_ context.Context, in *hook.UserPromptSubmit) (hook.Result, error) {
		return check(in, in.Prompt == "hello" && in.SystemPrompt == agent.DefaultSystem && in.PromptID != "")
	})
	hook.On(b.reg, func(_ context.Context, in *hook.TurnStart) (hook.Result, error) {
		return check(in, in.Timestamp > 0 && in.Session().Turn() == in.TurnIndex+1)
	})
	hook.On(b.reg, func(_ context.Context, in *hook.PreToolUse) (hook.Result, error) {
		return check(in, in.ToolName == "Look" && in.ToolUseID == "call-1" && in.ToolInput.Raw() == `{"a":1}`)
	})
	hook.On(b.reg, func(_ context.Context, in *hook.PostToolUse) (hook.Result, error) {
		s, _ := in.ToolResponse.AsString()
		return check(in, s == `ran {"a":1}` && in.ToolUseID == "call-1" && in.OriginalToolInput.IsZero())
	})
	hook.On(b.reg, func(_ context.Context, in *hook.PostToolBatch) (hook.Result, error) {
		return check(in, len(in.ToolCalls) == 1 && in.ToolCalls[0].String("tool_use_id") == "call-1")
	})
	hook.On(b.reg, func(_ context.Context, in *hook.TurnEnd) (hook.Result, error) {
		first := in.TurnIndex == 0 && in.Response == "I look." && in.StopReason == "tool_use" && len(in.ToolResults) == 1
		last := in.TurnIndex == 1 && in.Response == "Done." && len(in.ToolResults) == 0
		return check(in, (first || last) && in.Message != nil && in.Message.Role == "assistant")
	})
	hook.On(b.reg, func(_ context.Context, in *hook.Context) (hook.Result, error) {
		return check(in, len(in.Messages) == 1 || len(in.Messages) == 3)
	})
	hook.On(b.reg, func(_ context.Context, in *hook.Stop) (hook.Result, error) {
		return check(in, in.LastAssistantMessage == "Done." && !in.StopHookActive && len(in.Messages) == 4)
	})
	hook.On(b.reg, func(_ context.Context, in *hook.AgentEnd) (hook.Result, error) {
		return check(in, len(in.Messages) == 4 && in.Messages[0].Text() == "hello" && in.Messages[3].Text() == "Done.")
	})
	res := b.prompt("hello")
	if res.End != agent.EndDone || res.Text != "Done." || res.Turns != 2 || len(res.Messages) != 4 || res.Usage.OutputTokens == 0 {
		t.Errorf("result %+v", res)
	}
	if n := len(b.noted()); n != 13 {
		t.Errorf("%d events: %v", n, b.noted())
	}
}

func TestSessionEndHasItsOwnContext(t *testing.T) {
	b := newBench(t, "turns:\n  - text: hi\n    delay: 60\n")
	hook.On(b.reg, func(ctx context.Context, in *hook.SessionEnd) (hook.Result, error) {
		_, bounded := ctx.Deadline()
		b.note("end %s %v %v", in.Reason, ctx.Err(), bounded)
		return hook.None(), nil
	})
	ctx, cancel := context.WithCancel(t.Context())
	hook.On(b.reg, func(context.Context, *hook.TurnStart) (hook.Result, error) { cancel(); return hook.None(), nil })
	if res, err := b.a.Prompt(ctx, "hello"); err == nil || res.End != agent.EndInterrupted {
		t.Errorf("%+v, %v", res, err)
	}
	if err := b.a.Close(ctx, "prompt_input_exit"); err != nil {
		t.Error(err)
	}
	if got := b.noted(); !slices.Equal(got, []string{"end prompt_input_exit <nil> true"}) {
		t.Error(got)
	}
}
