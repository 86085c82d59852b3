package agent_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/hookline-dev/hookline/agent"
	"github.com/hookline-dev/hookline/agent/model"
	"github.com/hookline-dev/hookline/agent/tool"
	"github.com/hookline-dev/hookline/hook"
	"github.com/hookline-dev/hookline/permission"
	"github.com/hookline-dev/hookline/session"
	"github.com/hookline-dev/hookline/ui"
)

const oneCall = `
turns:
  - tool_calls: [{name: Do, input: {command: original}}]
  - text: "Done."
    repeat: 3
`

// ran reports what the tool Do ran with, as the model was told.
func (b *bench) lastResult() string {
	b.t.Helper()
	items, err := b.a.Session().Context()
	if err != nil {
		b.t.Fatal(err)
	}
	for i := len(items) - 1; i >= 0; i-- {
		if s := string(items[i].Message); strings.Contains(s, "tool_result") {
			return s
		}
	}
	return ""
}

func expect(t *testing.T, text string, want ...string) {
	t.Helper()
	for _, w := range want {
		if rest, no := strings.CutPrefix(w, "!"); no {
			if strings.Contains(text, rest) {
				t.Errorf("%q is in %s", rest, text)
			}
		} else if !strings.Contains(text, w) {
			t.Errorf("%q is not in %s", w, text)
		}
	}
}

func rules(t testing.TB, behavior permission.Behavior, texts ...string) []permission.Entry {
	t.Helper()
	var out []permission.Entry
	for _, s := range texts {
		r, err := permission.ParseRule(s)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, permission.Entry{Rule: r, Behavior: behavior, Scope: permission.ScopeUser})
	}
	return out
}

// withPermission gives the agent a checker with rules.
func withPermission(entries ...permission.Entry) func(*bench, *agent.Config) {
	return func(b *bench, cfg *agent.Config) {
		c, err := permission.New(permission.Config{Rules: entries, ProjectDir: cfg.Dir})
		if err != nil {
			b.t.Fatal(err)
		}
		cfg.Permission = c
	}
}

func withUI(u ui.UI) func(*bench, *agent.Config) {
	return func(_ *bench, cfg *agent.Config) { cfg.UI = u }
}

// bashTool is a tool called Bash, so that permission rules for commands apply.
func withBash(_ *bench, cfg *agent.Config) {
	t := echoTool("Bash", false)
	t.schema = `{"type":"object","properties":{"command":{"type":"string"}},"required":["command"],"additionalProperties":false}`
	cfg.Tools = append(cfg.Tools, t)
}

const bashCall = `
turns:
  - tool_calls: [{name: Bash, input: {command: "make test"}}]
  - text: "Done."
    repeat: 3
`

func onPre(b *bench, r hook.Result) {
	hook.On(b.reg, func(context.Context, *hook.PreToolUse) (hook.Result, error) { return r, nil })
}

func TestAllowSkipsTheQuestionAndDenyRulesStillDeny(t *testing.T) {
	b := newBench(t, bashCall, withBash)
	b.prompt("go")
	expect(t, b.lastResult(), `"is_error":true`, "nobody is there to ask", "allow rule")

	b = newBench(t, bashCall, withBash).allowAll()
	b.prompt("go")
	expect(t, b.lastResult(), "ran {", "make test")

	b = newBench(t, bashCall, withBash, withPermission(rules(t, permission.Deny, "Bash(make:*)")...)).allowAll()
	b.prompt("go")
	expect(t, b.lastResult(), "!ran {", "deny rule Bash(make:*)")
}

func TestAskAsksEvenWhereARuleAllows(t *testing.T) {
	person := ui.NewRecorder(ui.Choose(0))
	b := newBench(t, bashCall, withBash, withUI(person), withPermission(rules(t, permission.Allow, "Bash(make:*)")...))
	onPre(b, hook.Ask("look twice"))
	b.prompt("go")
	expect(t, b.lastResult(), "ran {")
	calls := person.Calls()
	if len(calls) != 1 {
		t.Fatalf("the person was asked %v", calls)
	}
	expect(t, calls[0].Title, "Allow Bash?", "make test", "look twice")
}

// What a hook refuses never comes to the permission rules.
func TestDenyIsTheHooksWord(t *testing.T) {
	b := newBench(t, oneCall)
	onPre(b, hook.Deny("never on a Friday"))
	hook.On(b.reg, func(context.Context, *hook.PermissionDenied) (hook.Result, error) {
		b.note("asked")
		return hook.None(), nil
	})
	b.prompt("go")
	expect(t, b.lastResult(), `"text":"never on a Friday"`, `"is_error":true`)
	if len(b.noted()) > 0 {
		t.Error("the permission rules were asked")
	}
}

func TestHooksDoNotSeeCallsAfterTheEnd(t *testing.T) {
	b := newBench(t, "turns: [{tool_calls: [{name: Look, input: {n: 1}}, {name: Look, input: {n: 2}}, {name: Do, input: {}}]}]")
	hook.On(b.reg, func(_ context.Context, in *hook.PreToolUse) (hook.Result, error) {
		b.note("%s", in.ToolInput.Raw())
		return hook.Result{Decision: hook.DecisionAllow, Continue: hook.No, StopReason: "enough"}, nil
	})
	b.prompt("go")
	if got := strings.Join(b.noted(), " "); got != `{"n":1}` {
		t.Errorf("hooks saw %s", got)
	}
	if n := strings.Count(b.lastResult(), "a hook ended the run: enough"); n != 3 {
		t.Errorf("%d of 3 calls say why they did not run: %s", n, b.lastResult())
	}
}

func TestStrictestOfTwoDecisions(t *testing.T) {
	b := newBench(t, bashCall, withBash).allowAll()
	onPre(b, hook.Deny("never"))
	b.prompt("go")
	expect(t, b.lastResult(), "never", "!ran {")
}

func TestRulesSeeTheInputThatRuns(t *testing.T) {
	rewrite := hook.Result{UpdatedInput: hook.RawJSON(`{"command":"rm -rf x"}`)}
	b := newBench(t, bashCall, withBash, withPermission(append(rules(t, permission.Deny, "Bash(rm:*)"), rules(t, permission.Allow, "Bash(make:*)")...)...))
	onPre(b, rewrite)
	b.prompt("go")
	expect(t, b.lastResult(), "deny rule Bash(rm:*)", "!ran {")

	b = newBench(t, bashCall, withBash, withPermission(rules(t, permission.Allow, "Bash(rm:*)")...))
	onPre(b, rewrite)
	var original string
	hook.On(b.reg, func(_ context.Context, in *hook.PostToolUse) (hook.Result, error) {
		original = in.OriginalToolInput.String("command")
		return hook.None(), nil
	})
	b.prompt("go")
	expect(t, b.lastResult(), "ran {", "rm -rf x")
	if original != "make test" {
		t.Errorf("original input %q", original)
	}
}

func TestUpdatedInputIsValidated(t *testing.T) {
	b := newBench(t, bashCall, withBash)
	onPre(b, hook.Result{Decision: hook.DecisionAllow, UpdatedInput: hook.RawJSON(`{"cmd":1}`)})
	b.prompt("go")
	expect(t, b.lastResult(), "!ran {", "invalid input for Bash", "a hook changed the input")
}

func TestInputThatCannotRunIsRefusedBeforeHooksAreAsked(t *testing.T) {
	b := newBench(t, "turns:\n  - tool_calls: [{name: Do, raw: '{\"a\": '}]\n  - text: ok\n").allowAll()
	hook.On(b.reg, func(_ context.Context, in *hook.PreToolUse) (hook.Result, error) {
		b.note("%s %v", in.ToolInput.Raw(), in.ToolInput.Valid())
		return hook.None(), nil
	})
	b.prompt("go")
	if noted := b.noted(); len(noted) > 0 {
		t.Errorf("a hook was asked: %v", noted)
	}
	expect(t, b.lastResult(), `"is_error":true`, "not a valid JSON object", "!ran {")
}

func TestDeferEndsTheRun(t *testing.T) {
	b := newBench(t, oneCall)
	onPre(b, hook.Result{Decision: hook.DecisionDefer, Reason: "ask the boss"})
	res := b.prompt("go")
	if res.End != agent.EndDeferred || res.Turns != 1 {
		t.Errorf("%+v", res)
	}
	expect(t, b.lastResult(), "deferred")
}

func onPermission(b *bench, r hook.Result) {
	hook.On(b.reg, func(_ context.Context, in *hook.PermissionRequest) (hook.Result, error) {
		b.note("request %s %d", in.ToolInput.Raw(), len(in.PermissionSuggestions))
		return r, nil
	})
}

func TestPermissionRequest(t *testing.T) {
	addRule := hook.PermissionUpdate{Type: permission.AddRules, Behavior: "allow", Destination: "session", Rules: []hook.PermissionRule{{ToolName: "Bash", RuleContent: "make:*"}}}
	twice := strings.Replace(bashCall, "  - text", "  - tool_calls: [{name: Bash, input: {command: \"make lint\"}}]\n  - text", 1)
	tests := []struct {
		name   string
		answer hook.Result
		end    agent.End
		want   []string
		asked  int
	}{
		{"allow", hook.Allow(), agent.EndDone, []string{"ran {", "make lint"}, 2},
		{"allow with rules", hook.Result{Decision: hook.DecisionAllow, PermissionUpdates: []hook.PermissionUpdate{addRule}}, agent.EndDone, []string{"ran {", "make lint"}, 1},
		{"allow with input", hook.Result{Decision: hook.DecisionAllow, UpdatedInput: hook.RawJSON(`{"command":"make safe"}`)}, agent.EndDone, []string{"make safe", "!make lint"}, 2},
		{"input that a rule denies", hook.Result{Decision: hook.DecisionAllow, UpdatedInput: hook.RawJSON(`{"command":"rm x"}`)}, agent.EndDone, []string{"deny rule Bash(rm:*)", "!ran {"}, 2},
		{"deny", hook.Deny("not today"), agent.EndDone, []string{"not today", "!ran {"}, 2},
		{"deny and interrupt", hook.Result{Decision: hook.DecisionDeny, Reason: "stop it", Interrupt: true}, agent.EndInterrupted, []string{"stop it"}, 1},
		{"interrupt without a reason", hook.Result{Decision: hook.DecisionDeny, Interrupt: true}, agent.EndInterrupted, []string{"!ran {"}, 1},
		{"no opinion", hook.None(), agent.EndDone, []string{"nobody is there to ask"}, 2},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			b := newBench(t, twice, withBash, withPermission(rules(t, permission.Deny, "Bash(rm:*)")...))
			onPermission(b, test.answer)
			res := b.prompt("go")
			if res.End != test.end {
				t.Errorf("it ended %s: %s", res.End, res.Reason)
			}
			expect(t, b.lastResult(), test.want...)
			if n := len(b.noted()); n != test.asked {
				t.Errorf("asked %d times: %v", n, b.noted())
			}
			expect(t, b.noted()[0], `"make test"} 1`)
		})
	}
}

func TestPermissionRequestFiresOnlyWhenAPersonWouldBeAsked(t *testing.T) {
	b := newBench(t, bashCall, withBash, withPermission(rules(t, permission.Allow, "Bash(make:*)")...))
	onPermission(b, hook.Deny("no"))
	b.prompt("go")
	expect(t, b.lastResult(), "ran {")
}

func TestPersonAnswers(t *testing.T) {
	tests := []struct {
		name    string
		answers []ui.Answer
		want    []string
	}{
		{"once", []ui.Answer{ui.Choose(0)}, []string{"ran {"}},
		{"always", []ui.Answer{ui.Choose(1)}, []string{"ran {"}},
		{"no", []ui.Answer{ui.Choose(2)}, []string{"the person refused it", "!ran {"}},
		{"no, because", []ui.Answer{ui.Choose(3), ui.Type("use the other one")}, []string{"use the other one", "!ran {"}},
		{"closed", []ui.Answer{ui.Dismiss()}, []string{"closed the question", "!ran {"}},
		{"failed", []ui.Answer{ui.Fail(errors.New("screen is gone"))}, []string{"screen is gone", "!ran {"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			person := ui.NewRecorder(test.answers...)
			b := newBench(t, bashCall, withBash, withUI(person))
			var denied, notified string
			hook.On(b.reg, func(_ context.Context, in *hook.PermissionDenied) (hook.Result, error) {
				denied = in.Reason
				return hook.Result{Host: &hook.HostEffects{Retry: true}}, nil
			})
			hook.On(b.reg, func(_ context.Context, in *hook.Notification) (hook.Result, error) {
				notified = in.NotificationType
				return hook.None(), nil
			})
			b.prompt("go")
			expect(t, b.lastResult(), test.want...)
			if ran := strings.HasPrefix(test.want[0], "ran"); ran == (denied != "") || notified != "permission_prompt" || person.Remaining() != 0 {
				t.Errorf("denied %q, notified %q", denied, notified)
			} else if !ran {
				expect(t, b.lastResult(), "may try it again")
			}
			if test.name == "always" && b.a.Permission().Decide(permission.Request{Tool: "Bash", Input: hook.RawJSON(`{"command":"make test"}`)}).Decision != hook.DecisionAllow {
				t.Error("the answer was not kept")
			}
		})
	}
}

func TestPostToolUse(t *testing.T) {
	tests := []struct {
		name   string
		answer hook.Result
		want   []string
	}{
		{"text", hook.Result{UpdatedOutput: hook.MustJSON("replaced")}, []string{"replaced", "!ran {"}},
		{"blocks", hook.Result{UpdatedOutput: hook.RawJSON(`[{"type":"text","text":"as a block"}]`)}, []string{`"text":"as a block"`, "!ran {"}},
		{"object with content", hook.Result{UpdatedOutput: hook.RawJSON(`{"content":[{"type":"text","text":"inside"}],"details":{"a":1}}`)}, []string{`"text":"inside"`, `"details":{"a":1}`}},
		{"structured", hook.Result{UpdatedOutput: hook.RawJSON(`{"stdout":"out","stderr":"err"}`)}, []string{`out\nerr`}},
		{"error", hook.Result{IsError: hook.Yes}, []string{`"is_error":true`, "ran {"}},
		{"block", hook.Deny("that was wrong"), []string{"ran {", `hook blocking error from command: \"PostToolUse#2\": that was wrong`}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			b := newBench(t, oneCall).allowAll()
			hook.On(b.reg, func(context.Context, *hook.PostToolUse) (hook.Result, error) { return test.answer, nil })
			hook.On(b.reg, func(_ context.Context, in *hook.ProviderRequest) (hook.Result, error) {
				expect(t, in.Payload.Raw(), "!details") // the session keeps them, the model does not get them
				return hook.None(), nil
			})
			b.prompt("go")
			expect(t, b.lastResult(), test.want...)
		})
	}
}

func TestPostToolUseInPlace(t *testing.T) {
	b := newBench(t, oneCall).allowAll()
	hook.On(b.reg, func(_ context.Context, in *hook.PostToolUse) (hook.Result, error) {
		in.ToolResponse = hook.MustJSON("changed in place")
		return hook.None(), nil
	})
	b.prompt("go")
	expect(t, b.lastResult(), "changed in place", "!ran {")
}

func withFailing(_ *bench, cfg *agent.Config) {
	cfg.Tools = []tool.Tool{&funcTool{name: "Do", run: func(context.Context, tool.Input) (tool.Result, error) {
		return tool.Result{}, errors.New("disk on fire")
	}}}
}

func TestPostToolUseFailure(t *testing.T) {
	for name, test := range map[string]struct {
		answer hook.Result
		want   []string
	}{
		"nothing":      {hook.None(), []string{`"is_error":true`, "disk on fire"}},
		"output":       {hook.Result{UpdatedOutput: hook.MustJSON("it is out")}, []string{`"is_error":true`, "it is out", "!on fire"}},
		"no error":     {hook.Result{IsError: hook.No}, []string{"!is_error", "disk on fire"}},
		"with context": {hook.AddContext("call the brigade"), []string{"disk on fire"}},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, oneCall, withFailing).allowAll()
			hook.On(b.reg, func(_ context.Context, in *hook.PostToolUseFailure) (hook.Result, error) {
				b.note("%s %v", in.Error, in.IsInterrupt)
				return test.answer, nil
			})
			b.prompt("go")
			expect(t, b.lastResult(), test.want...)
			expect(t, strings.Join(b.noted(), "|"), "disk on fire false")
			if name == "with context" {
				expect(t, b.model.texts()[1], "call the brigade")
			}
		})
	}
}

func TestPanickingToolIsAFailure(t *testing.T) {
	b := newBench(t, oneCall, func(_ *bench, cfg *agent.Config) {
		cfg.Tools = []tool.Tool{&funcTool{name: "Do", run: func(context.Context, tool.Input) (tool.Result, error) { panic("boom") }}}
	}).allowAll()
	b.prompt("go")
	expect(t, b.lastResult(), `"is_error":true`, "boom")
}

func TestPromptRewriteBlockAndInjection(t *testing.T) {
	text := "another question"
	b := newBench(t, "turns: [{text: ok}]")
	hook.On(b.reg, func(context.Context, *hook.UserPromptSubmit) (hook.Result, error) {
		return hook.Result{UpdatedPrompt: &text, Inject: &hook.CustomMessage{CustomType: "note", Content: hook.MustJSON("injected"), Display: true, Details: hook.RawJSON(`{"a":1}`)}}, nil
	})
	b.prompt("the prompt")
	expect(t, b.all(), "user: another question", "user: injected", "!the prompt")
	entries, err := b.a.Session().BranchEntries("")
	if err != nil || len(entries) != 3 || entries[1].Type != session.CustomMessage || entries[1].CustomType != "note" || !entries[1].Display || string(entries[1].Details) != `{"a":1}` {
		t.Errorf("entries %+v, %v", entries, err)
	}
	shown := false
	for _, ev := range b.shownEvents() {
		shown = shown || ev.Kind == agent.KindCustom && ev.Text == "injected" && ev.Display
	}
	if !shown {
		t.Error("the injected message was not shown")
	}

	person := ui.NewRecorder()
	b = newBench(t, "turns: [{text: ok}]", withUI(person))
	hook.On(b.reg, func(context.Context, *hook.UserPromptSubmit) (hook.Result, error) {
		return hook.Result{Decision: hook.DecisionDeny, Reason: "no secrets", Context: []string{"dropped"}}, nil
	})
	res := b.prompt("the secret")
	if res.End != agent.EndBlocked || res.Reason != "no secrets" || len(b.model.texts()) != 0 || b.a.Session().Len() != 0 {
		t.Errorf("%+v, %d entries", res, b.a.Session().Len())
	}
	if calls := person.Calls(); len(calls) != 1 || !strings.Contains(calls[0].Text, "no secrets") {
		t.Errorf("the person was told %v", calls)
	}
}

func TestPromptInPlace(t *testing.T) {
	b := newBench(t, "turns: [{text: ok}]")
	hook.On(b.reg, func(_ context.Context, in *hook.UserPromptSubmit) (hook.Result, error) {
		in.Prompt += " in place"
		return hook.None(), nil
	})
	b.prompt("changed")
	expect(t, b.all(), "user: changed in place")
}

func TestPostToolBatchStopsTheLoop(t *testing.T) {
	b := newBench(t, oneCall).allowAll()
	hook.On(b.reg, func(context.Context, *hook.PostToolBatch) (hook.Result, error) {
		return hook.Deny("look at this first"), nil
	})
	if res := b.prompt("go"); res.End != agent.EndHalted || res.Reason != "look at this first" || res.Turns != 1 {
		t.Errorf("%+v", res)
	}
	expect(t, b.lastResult(), "ran {")
}

func TestSystemPromptOfOnePrompt(t *testing.T) {
	b := newBench(t, "turns: [{text: one}, {text: two}]")
	system := "be a pirate"
	first := true
	hook.On(b.reg, func(context.Context, *hook.UserPromptSubmit) (hook.Result, error) {
		if first {
			first = false
			return hook.Result{Host: &hook.HostEffects{SystemPrompt: &system, SessionTitle: "ships"}}, nil
		}
		return hook.None(), nil
	})
	b.prompt("a")
	b.prompt("b")
	expect(t, b.model.texts()[0], "be a pirate", "!You are a coding agent")
	expect(t, b.model.texts()[1], "!be a pirate", "You are a coding agent")
	if b.a.Title() != "ships" {
		t.Errorf("title %q", b.a.Title())
	}
}

func TestStop(t *testing.T) {
	keep := func(r hook.Result) *bench {
		b := newBench(t, "turns:\n  - text: done\n    repeat: 20\n")
		hook.On(b.reg, func(_ context.Context, in *hook.Stop) (hook.Result, error) {
			b.note("%v", in.StopHookActive)
			if in.StopHookActive {
				return hook.None(), nil
			}
			return r, nil
		})
		return b
	}
	for name, test := range map[string]struct {
		answer hook.Result
		want   []string
	}{
		"block":      {hook.Deny("run the tests"), []string{"user: run the tests"}},
		"continue":   {hook.Result{Continue: hook.Yes}, []string{"user: " + hook.DefaultContinuation}},
		"follow-ups": {hook.Result{Continue: hook.Yes, FollowUps: []string{"first this", "then that"}}, []string{"user: first this", "then that"}},
		"context":    {hook.Result{Decision: hook.DecisionDeny, Reason: "go on", Context: []string{"with this in mind"}}, []string{"user: go on", "with this in mind"}},
	} {
		t.Run(name, func(t *testing.T) {
			b := keep(test.answer)
			if res := b.prompt("go"); res.Turns != 2 || res.End != agent.EndDone {
				t.Errorf("%+v", res)
			}
			expect(t, b.model.texts()[1], test.want...)
			expect(t, strings.Join(b.noted(), " "), "false true")
		})
	}
	b := keep(hook.Result{Decision: hook.DecisionDeny, Reason: "go on", Continue: hook.No, StopReason: "enough"})
	if res := b.prompt("go"); res.End != agent.EndHalted || res.Reason != "enough" || res.Turns != 1 {
		t.Errorf("%+v", res)
	}
}

func TestStopIsCapped(t *testing.T) {
	b := newBench(t, "turns:\n  - text: done\n    repeat: -1\n")
	hook.On(b.reg, func(context.Context, *hook.Stop) (hook.Result, error) { return hook.Deny("never"), nil })
	if res := b.prompt("go"); res.Turns != 9 || res.End != agent.EndDone || !strings.Contains(res.Reason, "8 times in a row") {
		t.Errorf("%+v", res)
	}
}

// Each event with which a hook can end the run, and what must not happen after it.
func TestHaltOnAnyEvent(t *testing.T) {
	for _, ev := range []hook.Event{
		hook.EventSessionStart, hook.EventUserPromptSubmit, hook.EventTurnStart, hook.EventPreToolUse, hook.EventPostToolUse,
		hook.EventPostToolBatch, hook.EventTurnEnd, hook.EventToolExecutionStart, hook.EventMessageEnd,
	} {
		t.Run(ev.String(), func(t *testing.T) {
			b := newBench(t, oneCall).allowAll()
			halted := false
			hook.OnEvent(b.reg, func(_ context.Context, in hook.Input) (hook.Result, error) {
				if m, ok := in.(*hook.MessageEnd); halted || ok && m.Message.Role == "user" {
					return hook.None(), nil
				}
				halted = true
				return hook.Result{Continue: hook.No, StopReason: "enough"}, nil
			}, []hook.Event{ev})
			res := b.prompt("go")
			if res.End != agent.EndHalted || res.Reason != "enough" || res.Turns > 1 {
				t.Errorf("%+v", res)
			}
			for _, m := range messages(t, b.a.Session()) {
				if strings.Contains(m, "Done.") {
					t.Error("the model was asked again")
				}
			}
			b.prompt("again") // the agent can go on
		})
	}
}

func TestContextMessagesOfOneCall(t *testing.T) {
	b := newBench(t, "turns: [{text: one}, {text: two}]")
	n := 0
	hook.On(b.reg, func(_ context.Context, in *hook.Context) (hook.Result, error) {
		if n++; n > 1 {
			return hook.None(), nil
		}
		return hook.Result{Messages: append(in.Messages, hook.UserMessage("only now"))}, nil
	})
	hook.On(b.reg, func(_ context.Context, in *hook.Context) (hook.Result, error) {
		if n == 1 && in.Messages[len(in.Messages)-1].Text() == "only now" { // it sees the first one's
			in.Messages = append(in.Messages, hook.UserMessage("and this"))
		}
		return hook.None(), nil
	})
	b.prompt("a")
	b.prompt("b")
	expect(t, b.model.texts()[0], "user: only now", "user: and this")
	expect(t, b.model.texts()[1], "!only now", "!and this")
	for _, m := range messages(t, b.a.Session()) {
		expect(t, m, "!only now")
	}
}

func TestContextThatRemovesAResultKeepsTheCallAnswered(t *testing.T) {
	b := newBench(t, oneCall).allowAll()
	hook.On(b.reg, func(_ context.Context, in *hook.Context) (hook.Result, error) {
		if len(in.Messages) == 3 {
			return hook.Result{Messages: in.Messages[:2]}, nil
		}
		return hook.None(), nil
	})
	b.prompt("go")
	expect(t, b.model.texts()[1], "The result was removed")
}

// TestWhatAHookPrintedIsShown has what hooks print shown, but for their answers, and unless
// they want it hidden.
func TestWhatAHookPrintedIsShown(t *testing.T) {
	for _, k := range []struct {
		stdout, stderr string
		suppress       bool
		want           string
	}{
		{"chatter", "", false, "chatter"},
		{"chatter", "", true, ""},
		{`{"reason":"x"}` + "\n", "", false, ""},
		{`{"reason":"x"}`, "careful", false, "careful"},
		{`{"reason":`, "", false, `{"reason":`},
	} {
		b := newBench(t, "turns: [{text: ok}]")
		if _, err := b.reg.Add(hook.Registration{Event: hook.EventUserPromptSubmit, Name: "chatty", Handler: hook.HandlerFunc(func(_ context.Context, c *hook.Call) (hook.Result, error) {
			c.Report = &hook.Report{Stdout: k.stdout, Stderr: k.stderr}
			return hook.Result{SuppressOutput: k.suppress}, nil
		})}); err != nil {
			t.Fatal(err)
		}
		b.prompt("go")
		shown := ""
		for _, ev := range b.shownEvents() {
			if ev.Kind == agent.KindHookOutput {
				shown += ev.Text
			}
		}
		if shown != k.want {
			t.Errorf("%+v: shown %q", k, shown)
		}
	}
}

func TestContextIsDeliveredOnce(t *testing.T) {
	for _, placement := range []agent.Placement{agent.InSystem, agent.InReminder} {
		b := newBench(t, `
turns:
  - error: {status: 529}
  - tool_calls: [{name: Do, input: {}}]
  - text: "Done."
`, func(_ *bench, cfg *agent.Config) { cfg.Placement = placement }).allowAll()
		hook.On(b.reg, func(context.Context, *hook.UserPromptSubmit) (hook.Result, error) {
			return hook.Result{Context: []string{"remember 4711"}, SystemMessage: "mind 4712"}, nil
		})
		b.prompt("go")
		texts := b.model.texts()
		if len(texts) != 3 || len(b.a.Session().Pending()) != 0 {
			t.Fatalf("%d calls, %d wait", len(texts), len(b.a.Session().Pending()))
		}
		expect(t, texts[0], "remember 4711", "mind 4712") // the call that failed
		expect(t, texts[1], "remember 4711", "mind 4712") // and was made again
		expect(t, texts[2], "!4711", "!4712")
		inSystem := strings.Contains(strings.Join(b.model.requests[1].System, ""), "4711")
		if inSystem != (placement == agent.InSystem) {
			t.Errorf("placement %q: in the system prompt %v", placement, inSystem)
		}
	}
}

func TestProviderRequestIsRewritten(t *testing.T) {
	b := newBench(t, "turns: [{text: ok}]")
	hook.On(b.reg, func(_ context.Context, in *hook.ProviderRequest) (hook.Result, error) {
		return hook.Result{UpdatedInput: hook.RawJSON(strings.Replace(in.Payload.Raw(), "hello", "goodbye", 1))}, nil
	})
	b.prompt("hello")
	expect(t, b.all(), "user: goodbye", "!hello")
}

// described is a model that says what it answers with at most.
type described struct{ model.Provider }

func (described) Describe(string) model.Description { return model.Description{MaxTokens: 7} }

// Hooks see how long an answer may be, and what they leave of that stays the provider's to say.
func TestProviderRequestSaysHowLongAnAnswerMayBe(t *testing.T) {
	b := newBench(t, "turns: [{text: one}, {text: two}]", func(_ *bench, cfg *agent.Config) { cfg.Model = described{cfg.Model} })
	const seen = `"max_tokens":7`
	calls := []string{`"effort":"low",` + seen, `"max_tokens":5`}
	hook.On(b.reg, func(_ context.Context, in *hook.ProviderRequest) (hook.Result, error) {
		next := calls[0]
		calls = calls[1:]
		expect(t, in.Payload.Raw(), seen)
		return hook.Result{UpdatedInput: hook.RawJSON(strings.Replace(in.Payload.Raw(), seen, next, 1))}, nil
	})
	b.prompt("hello")
	b.prompt("hello")
	if first, second := b.model.requests[0], b.model.requests[1]; first.Effort != "low" || first.MaxTokens != 0 || second.MaxTokens != 5 {
		t.Errorf("the requests are sent with %q %d and %d", first.Effort, first.MaxTokens, second.MaxTokens)
	}
}

// What hooks see is said of the model that the request goes to.
func TestProviderRequestIsAboutTheFallback(t *testing.T) {
	second := described{scripted(t, "turns: [{tool_calls: [{name: Do, input: {}}]}, {text: done}]")}
	b := newBench(t, "turns: [{error: {status: 529}, repeat: -1}]", func(_ *bench, cfg *agent.Config) {
		cfg.Retry.Max, cfg.Fallbacks = -1, []agent.Fallback{{Provider: second, Name: "second"}}
	}).allowAll()
	hook.On(b.reg, func(_ context.Context, in *hook.ProviderRequest) (hook.Result, error) {
		n, _ := in.Payload.Int("max_tokens")
		b.note("%s %d", in.Provider, n)
		return hook.None(), nil
	})
	b.prompt("hello")
	if got, want := b.noted(), []string{"script 0", "second 7"}; !slices.Equal(got, want) {
		t.Errorf("hooks were told %q, want %q", got, want)
	}
}

// Hooks choose no credentials, however a header's name is written.
func TestHooksAddHeadersButNoCredentials(t *testing.T) {
	plain := []string{
		"X-Team", "Idempotency-Key", "X-Cache-Key", "X-Max-Tokens", "X-Token-Count", "X-Author", "X-Keywords", "X-Tokenizer", "X-Max-Wait", "anthropic-beta",
	}
	credentials := []string{
		"Authorization", "x-API-key", "Proxy-Authorization", "Cookie", "X-Access-Token", "X-Api-Keys", "apikey", "x_api_key1", "X-OAuth2", "X-AuthorToken",
		"X-Cache-Auth-Key", "Cache-Api-Key", "X-Max-Secret", "Passwd", "X-Authn", "X-Goog-Api-Key", "X-Security-Token", "Token", "Key", "X-MaxKey", "X-Author-Key", "X-Cache-Token", "X-Max-Key",
	}
	b := newBench(t, "turns: [{text: ok}]")
	hook.On(b.reg, func(_ context.Context, in *hook.ProviderRequest) (hook.Result, error) {
		headers := map[string]string{}
		for _, name := range slices.Concat(plain, credentials) {
			headers[name] = "a"
		}
		return hook.None(), in.Payload.Set("headers", headers)
	})
	b.prompt("hello")
	if got := slices.Sorted(maps.Keys(b.model.requests[0].Headers)); !slices.Equal(got, slices.Sorted(slices.Values(plain))) {
		t.Errorf("the request is sent with %q", got)
	}
}

// The system prompt is there for those who ask for it, and not in the payload of every hook.
func TestPayloadOfContextHasNoSystemPrompt(t *testing.T) {
	b := newBench(t, "turns: [{text: ok}]", func(_ *bench, cfg *agent.Config) { cfg.System = []string{"prompt 4711"} })
	var payload, prompt string
	hook.On(b.reg, func(_ context.Context, in *hook.Context) (hook.Result, error) {
		raw, err := hook.MarshalInput(in)
		payload, prompt = string(raw), in.SystemPrompt
		return hook.None(), err
	})
	b.prompt("hello")
	expect(t, payload, "hello", "!4711")
	expect(t, prompt, "prompt 4711")
}

func TestSessionEndNamesTheLastPrompt(t *testing.T) {
	b := newBench(t, oneCall).allowAll()
	var ids []string
	hook.On(b.reg, func(_ context.Context, in *hook.Stop) (hook.Result, error) {
		ids = append(ids, in.PromptID)
		return hook.None(), nil
	})
	hook.On(b.reg, func(_ context.Context, in *hook.SessionEnd) (hook.Result, error) {
		ids = append(ids, in.PromptID)
		return hook.None(), nil
	})
	b.prompt("go")
	if err := b.a.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	if len(ids) != 2 || ids[0] == "" || ids[0] != ids[1] {
		t.Errorf("prompts %q", ids)
	}
}

func TestPostToolBatchHoldsWhatTheModelReads(t *testing.T) {
	b := newBench(t, oneCall).allowAll()
	var got hook.JSON
	hook.On(b.reg, func(context.Context, *hook.PostToolUse) (hook.Result, error) {
		return hook.Result{UpdatedOutput: hook.MustJSON("as a hook left it")}, nil
	})
	hook.On(b.reg, func(_ context.Context, in *hook.PostToolBatch) (hook.Result, error) {
		got = in.ToolCalls[0]
		return hook.None(), nil
	})
	b.prompt("go")
	if keys := strings.Join(got.Keys(), " "); got.String("tool_response") != "as a hook left it" || keys != "tool_name tool_input tool_use_id tool_response" {
		t.Errorf("the call is %s", got.Raw())
	}
}

// ToolExecutionEnd has the tool's form of the result, and what the model reads of it.
func TestToolExecutionEndHasWhatTheModelReads(t *testing.T) {
	b := newBench(t, oneCall).allowAll()
	var got hook.ToolExecutionEnd
	hook.On(b.reg, func(context.Context, *hook.PostToolUse) (hook.Result, error) {
		return hook.Result{UpdatedOutput: hook.RawJSON(`{"content":[{"type":"text","text":"as a hook left it"}],"of":"a hook"}`)}, nil
	})
	hook.On(b.reg, func(_ context.Context, in *hook.ToolExecutionEnd) (hook.Result, error) {
		got = *in
		return hook.None(), nil
	})
	b.prompt("go")
	if got.Result.String("of") != "a hook" || got.Content.Raw() != `[{"type":"text","text":"as a hook left it"}]` {
		t.Errorf("the result is %s, and the model reads %s", got.Result.Raw(), got.Content.Raw())
	}
}

func TestMessageDisplayIsFiredForTextAndItsLastPieceIsFinal(t *testing.T) {
	b := newBench(t, `turns: [{tool_calls: [{name: Look, input: {a: 1}}]}, {text: done}]`).allowAll()
	var seen []string
	hook.On(b.reg, func(_ context.Context, in *hook.MessageDisplay) (hook.Result, error) {
		seen = append(seen, fmt.Sprint(in.Delta, in.Final))
		return hook.None(), nil
	})
	b.prompt("go")
	for i, s := range seen {
		if s == "false" || s == "true" || strings.HasSuffix(s, "true") != (i == len(seen)-1) {
			t.Errorf("pieces %q", seen)
		}
	}
	if len(seen) == 0 {
		t.Error("nothing was shown")
	}
}

func TestMessageDisplay(t *testing.T) {
	b := newBench(t, "turns: [{text: the key is 4711}]")
	hook.On(b.reg, func(_ context.Context, in *hook.MessageDisplay) (hook.Result, error) {
		shown := strings.ReplaceAll(in.Delta, "4711", "****")
		return hook.Result{Host: &hook.HostEffects{DisplayContent: &shown}}, nil
	})
	b.prompt("go")
	text := ""
	for _, ev := range b.shownEvents() {
		if ev.Kind == agent.KindText {
			text += ev.Text
		}
	}
	if text != "the key is ****" {
		t.Errorf("shown %q", text)
	}
	expect(t, strings.Join(messages(t, b.a.Session()), ""), "4711")
}

func TestSetMessagesOfTheLiveSession(t *testing.T) {
	b := newBench(t, oneCall).allowAll()
	hook.On(b.reg, func(_ context.Context, in *hook.TurnEnd) (hook.Result, error) {
		if in.TurnIndex == 1 {
			return hook.None(), in.Session().SetMessages([]hook.Message{hook.UserMessage("in short: " + in.Response)})
		}
		return hook.None(), nil
	})
	b.prompt("go")
	if got := messages(t, b.a.Session()); len(got) != 1 || !strings.Contains(got[0], "in short: Done.") {
		t.Errorf("conversation %v", got)
	}
	b.prompt("more")
	last := b.model.texts()[2]
	expect(t, last, "in short: Done.", "user: more", "!user: go")
}

func TestQueuedMessages(t *testing.T) {
	b := newBench(t, oneCall).allowAll()
	hook.On(b.reg, func(context.Context, *hook.PostToolUse) (hook.Result, error) {
		b.a.Queue("steer left", agent.Steer)
		b.a.Queue("and then", agent.FollowUp)
		return hook.None(), b.a.AppendEntry("state", []byte(`{"n":1}`))
	})
	hook.On(b.reg, func(_ context.Context, in *hook.UserPromptSubmit) (hook.Result, error) {
		b.note("%s", in.Prompt)
		return hook.None(), nil
	})
	b.a.QueueNote("nobody typed this", agent.NextTurn)
	b.prompt("go")
	if got := strings.Join(b.noted(), "|"); got != "go|steer left|and then" {
		t.Errorf("prompts submitted: %s", got)
	}
	texts := b.model.texts()
	expect(t, texts[0], "user: nobody typed this")
	expect(t, texts[1], "user: steer left", "!and then")
	expect(t, texts[2], "user: and then")
	found := false
	for e, err := range b.a.Session().Entries() {
		found = found || err == nil && e.Type == session.Custom && e.CustomType == "state"
	}
	if !found {
		t.Error("the state was not stored")
	}
}

func TestQueuedMessageOfThePersonIsGuarded(t *testing.T) {
	b := newBench(t, "turns: [{text: one}, {text: two}]")
	seen := make(chan string, 2)
	hook.On(b.reg, func(_ context.Context, in *hook.UserPromptSubmit) (hook.Result, error) {
		if strings.Contains(in.Prompt, "secret") {
			seen <- in.Prompt
			return hook.Deny("no secrets"), nil
		}
		return hook.None(), nil
	})
	b.a.Queue("the secret", agent.Steer)
	b.a.Wake()
	<-seen
	if err := b.a.WaitIdle(t.Context()); err != nil {
		t.Fatal(err)
	}
	b.a.Queue("another secret", agent.NextTurn)
	b.prompt("go")
	expect(t, b.all(), "!secret", "user: go")
}
