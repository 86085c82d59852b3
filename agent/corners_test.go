package agent_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/hookline-dev/hookline/agent"
	"github.com/hookline-dev/hookline/agent/model"
	"github.com/hookline-dev/hookline/agent/tool"
	"github.com/hookline-dev/hookline/hook"
	"github.com/hookline-dev/hookline/permission"
	"github.com/hookline-dev/hookline/session"
	"github.com/hookline-dev/hookline/ui"
)

// told returns what the person was told.
func told(person *ui.Recorder) string {
	var out []string
	for _, c := range person.Calls() {
		if c.Method == "Notify" {
			out = append(out, c.Text)
		}
	}
	return strings.Join(out, "\n")
}

func TestHaltBetweenCallsThatRunTogether(t *testing.T) {
	b := newBench(t, "turns: [{tool_calls: [{name: Look, input: {n: 1}}, {name: Look, input: {n: 2}}]}]")
	hook.On(b.reg, func(_ context.Context, in *hook.PreToolUse) (hook.Result, error) {
		if strings.Contains(in.ToolInput.Raw(), "2") {
			return hook.Result{Continue: hook.No, StopReason: "enough"}, nil
		}
		return hook.Allow(), nil
	})
	if res := b.prompt("go"); res.End != agent.EndHalted {
		t.Errorf("%+v", res)
	}
	expect(t, b.lastResult(), "!ran {", "a hook ended the run: enough")
}

func TestFailureTellsTheInputBeforeAndHowLongItTook(t *testing.T) {
	b := newBench(t, oneCall, func(_ *bench, cfg *agent.Config) {
		cfg.Tools = []tool.Tool{&funcTool{name: "Do", run: func(context.Context, tool.Input) (tool.Result, error) {
			time.Sleep(2 * time.Millisecond)
			return tool.Result{}, errors.New("no")
		}}}
	})
	onPre(b, hook.Result{Decision: hook.DecisionAllow, UpdatedInput: hook.RawJSON(`{"command":"another"}`)})
	hook.On(b.reg, func(_ context.Context, in *hook.PostToolUseFailure) (hook.Result, error) {
		b.note("%s %s %v", in.OriginalToolInput.String("command"), in.ToolInput.String("command"), in.DurationMS >= 2)
		return hook.None(), nil
	})
	b.prompt("go")
	if got := strings.Join(b.noted(), "|"); got != "original another true" {
		t.Error(got)
	}
}

// A deny rule that the model's own input meets counts also when a hook has changed
// the input.
func TestDenyRulesSeeTheOriginalInputToo(t *testing.T) {
	b := newBench(t, bashCall, withBash, withPermission(rules(t, permission.Deny, "Bash(make:*)")...))
	onPre(b, hook.Result{Decision: hook.DecisionAllow, UpdatedInput: hook.RawJSON(`{"command":"ls"}`)})
	b.prompt("go")
	expect(t, b.lastResult(), "deny rule Bash(make:*)", "!ran {")
}

func TestInputOfAPermissionRequestIsValidated(t *testing.T) {
	b := newBench(t, bashCall, withBash)
	onPermission(b, hook.Result{Decision: hook.DecisionAllow, UpdatedInput: hook.RawJSON(`{"cmd":1}`)})
	b.prompt("go")
	expect(t, b.lastResult(), "!ran {", "invalid input for Bash", "a hook changed the input")
}

// What a hook allowed is the input that it saw, not what another hook made of it.
func TestAnAllowIsNoneOfAnotherInput(t *testing.T) {
	b := newBench(t, bashCall, withBash, withPermission(rules(t, permission.Ask, "Bash(make:*)")...)).allowAll()
	hook.On(b.reg, func(_ context.Context, in *hook.PermissionRequest) (hook.Result, error) {
		in.ToolInput = hook.RawJSON(`{"command":"touch x"}`)
		return hook.None(), nil
	})
	b.prompt("go")
	expect(t, b.lastResult(), "!ran {", "nobody is there to ask")
}

// A hook that ends the run ends it where it is: nothing runs, nobody is asked.
func TestHaltWhereAPersonWouldBeAsked(t *testing.T) {
	for _, ev := range []hook.Event{hook.EventPermissionRequest, hook.EventNotification} {
		person := ui.NewRecorder(ui.Choose(0))
		b := newBench(t, bashCall, withBash, withUI(person))
		hook.OnEvent(b.reg, func(context.Context, hook.Input) (hook.Result, error) {
			return hook.Result{Continue: hook.No, StopReason: "enough"}, nil
		}, []hook.Event{ev})
		if res := b.prompt("go"); res.End != agent.EndHalted || person.Remaining() != 1 {
			t.Errorf("%v: %+v, %d answers left", ev, res, person.Remaining())
		}
		expect(t, b.lastResult(), "!ran {", "a hook ended the run: enough")
	}
}

func TestWhatThePersonIsTold(t *testing.T) {
	person := ui.NewRecorder()
	b := newBench(t, "turns: [{text: ok}, {text: ok}]", withUI(person))
	hook.On(b.reg, func(context.Context, *hook.UserPromptSubmit) (hook.Result, error) {
		return hook.Result{
			Host:          &hook.HostEffects{TerminalSequence: "\a"},
			SystemMessage: "for the person", Notice: "only a notice",
			Inject: &hook.CustomMessage{CustomType: "note", Content: hook.MustJSON("injected"), Display: true},
		}, nil
	}, hook.Once())
	hook.On(b.reg, func(context.Context, *hook.UserPromptSubmit) (hook.Result, error) {
		return hook.Result{Inject: &hook.CustomMessage{CustomType: "note", Content: hook.MustJSON("behind the scenes")}}, nil
	})
	b.prompt("one")
	b.prompt("two")
	expect(t, told(person), "for the person", "only a notice", "injected", "!behind the scenes")
	expect(t, b.all(), "user: behind the scenes", "!only a notice")
	if !slices.ContainsFunc(person.Calls(), func(c ui.Call) bool { return c.Method == "Sequence" && c.Text == "\a" }) {
		t.Error("the terminal got no bell")
	}
}

func TestImages(t *testing.T) {
	b := newBench(t, "turns: [{text: ok}]")
	hook.On(b.reg, func(_ context.Context, in *hook.UserPromptSubmit) (hook.Result, error) {
		b.note("%d %s", len(in.Images), in.Images[0].String("data"))
		return hook.None(), nil
	})
	img := model.Image{Type: "base64", MediaType: "image/png", Data: "aGk="}
	if _, err := b.a.Run(t.Context(), agent.Prompt{Text: "what is this?", Images: []model.Image{img}}); err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(b.noted(), "|"); got != "1 aGk=" {
		t.Errorf("hooks saw %s", got)
	}
	content := b.model.requests[0].Messages[0].Content
	if len(content) != 2 || content[1].Type != model.ImageBlock || content[1].Source == nil || *content[1].Source != img {
		t.Errorf("the model saw %+v", content)
	}
}

// A background hook may end the run and tell the person something, too.
func TestLateResultThatHalts(t *testing.T) {
	person := ui.NewRecorder()
	b := newBench(t, "turns: [{text: one}, {text: two}]", withUI(person))
	hook.On(b.reg, func(context.Context, *hook.UserPromptSubmit) (hook.Result, error) {
		return hook.Result{Async: &hook.Async{Wait: func(context.Context) (hook.Result, error) {
			return hook.Result{Continue: hook.No, StopReason: "the build is broken", Notice: "late notice"}, nil
		}}}, nil
	}, hook.Once())
	b.prompt("a")
	for deadline := time.Now().Add(20 * time.Second); len(b.eng.LateReady()) == 0 && time.Now().Before(deadline); {
		time.Sleep(time.Millisecond)
	}
	if len(b.model.texts()) == 1 { // it may have come while the first prompt ran
		if res := b.prompt("b"); res.End != agent.EndHalted || res.Reason != "the build is broken" || len(b.model.texts()) != 1 {
			t.Errorf("%+v after %d calls", res, len(b.model.texts()))
		}
	}
	expect(t, told(person), "late notice")
}

// silent is a model that says nothing at all, once.
type silent struct {
	model.Provider
	n int
}

func (m *silent) Stream(ctx context.Context, req *model.Request) iter.Seq2[model.Event, error] {
	if m.n++; m.n > 1 {
		return m.Provider.Stream(ctx, req)
	}
	return func(yield func(model.Event, error) bool) {
		if yield(model.Event{Kind: model.Start, ID: "m"}, nil) {
			yield(model.Event{Kind: model.Stop, Reason: model.StopEndTurn}, nil)
		}
	}
}

// Context that the model was told is delivered, also when it had no answer to it.
func TestContextBeforeAnEmptyAnswer(t *testing.T) {
	b := newBench(t, talk, func(_ *bench, cfg *agent.Config) { cfg.Model = &silent{Provider: cfg.Model} })
	hook.On(b.reg, func(context.Context, *hook.UserPromptSubmit) (hook.Result, error) {
		return hook.AddContext("remember 4711"), nil
	}, hook.Once())
	b.prompt("a")
	if n := len(b.a.Session().Pending()); n != 0 {
		t.Errorf("%d texts wait", n)
	}
	b.prompt("b")
	expect(t, b.all(), "user: b", "!4711")
}

func TestRequestThatLosesAResultIsMended(t *testing.T) {
	b := newBench(t, oneCall).allowAll()
	hook.On(b.reg, func(_ context.Context, in *hook.ProviderRequest) (hook.Result, error) {
		msgs, _ := in.Payload.Get("messages")
		var list []hook.JSON
		if err := msgs.Decode(&list); err != nil || len(list) < 3 {
			return hook.None(), err
		}
		return hook.None(), in.Payload.Set("messages", list[:2])
	})
	b.prompt("go")
	expect(t, b.model.texts()[1], "The result was removed", "!ran {")
}

// What a model had said before it failed is kept, its tool calls are not: nobody
// ran them.
func TestAnswerThatFailsAfterACall(t *testing.T) {
	b := newBench(t, "turns:\n  - text: \"I look.\"\n    tool_calls: [{name: Look, input: {a: 1}}]\n    error: {status: 400, message: \"no more\"}\n  - text: fine\n")
	if _, err := b.a.Prompt(t.Context(), "go"); err == nil {
		t.Error("it went well")
	}
	expect(t, strings.Join(messages(t, b.a.Session()), "\n"), "I look.", "!tool_use")
	b.prompt("go on")
}

func TestHaltBeforeTheModelIsAskedAgain(t *testing.T) {
	b := newBench(t, "turns:\n  - error: {status: 529}\n  - text: never\n")
	hook.On(b.reg, func(context.Context, *hook.AutoRetryStart) (hook.Result, error) {
		return hook.Result{Continue: hook.No, StopReason: "enough"}, nil
	})
	if res, _ := b.a.Prompt(t.Context(), "go"); len(b.model.texts()) != 1 {
		t.Errorf("%d calls: %+v", len(b.model.texts()), res)
	}
}

// A provider that asks for more time than anybody waits is not waited for.
func TestWhatAProviderAsksForIsBounded(t *testing.T) {
	b := newBench(t, "turns:\n  - error: {status: 429, retry_after: 3600}\n  - text: never\n")
	hook.On(b.reg, func(_ context.Context, in *hook.AutoRetryStart) (hook.Result, error) {
		t.Errorf("it waits %d ms", in.DelayMS)
		return hook.None(), nil
	})
	if _, err := b.a.Prompt(t.Context(), "go"); err == nil || !strings.Contains(err.Error(), "it asks to wait 1h0m0s") {
		t.Errorf("error %v", err)
	}
}

// Each further attempt is told, with what went wrong.
func TestRetriesAreTold(t *testing.T) {
	b := newBench(t, "turns:\n  - error: {status: 529}\n  - error: {status: 500}\n  - text: fine\n")
	b.prompt("go")
	var got []string
	for _, ev := range b.shown {
		if r := ev.Retry; ev.Kind == agent.KindRetry {
			got = append(got, fmt.Sprintf("%d of %d after %s: %v", r.Attempt, r.Max, r.Delay, r.Err))
		}
	}
	if len(got) != 2 || !strings.HasPrefix(got[0], "1 of 4 after 1ms: ") || !strings.Contains(got[0], "529") || !strings.HasPrefix(got[1], "2 of 4 after 2ms: ") {
		t.Errorf("%q", got)
	}
}

func TestHaltBeforeACompaction(t *testing.T) {
	b := newBench(t, talk)
	b.prompt("one")
	h := hook.On(b.reg, func(context.Context, *hook.PreCompact) (hook.Result, error) {
		return hook.Result{Continue: hook.No, StopReason: "enough"}, nil
	})
	n := b.a.Session().Len()
	if refused, err := b.a.Compact(t.Context(), ""); refused == "" || err != nil || b.a.Session().Len() != n {
		t.Errorf("%q, %v, %d entries of %d", refused, err, b.a.Session().Len(), n)
	}
	h.Remove()

	b = newBench(t, "turns:\n  - text: long\n    usage: {input: 900, output: 10}\n  - text: never\n", func(_ *bench, cfg *agent.Config) { cfg.Window = 1000 })
	b.prompt("one")
	hook.On(b.reg, func(context.Context, *hook.AutoCompactionStart) (hook.Result, error) {
		return hook.Result{Continue: hook.No, StopReason: "enough"}, nil
	})
	if res := b.prompt("two"); res.End != agent.EndHalted || len(b.model.texts()) != 1 {
		t.Errorf("%+v after %d calls", res, len(b.model.texts()))
	}
}

// A compaction that keeps from an entry which isn't there keeps what the agent's own
// would have kept.
func TestSuppliedCompactionOfAnUnknownEntry(t *testing.T) {
	b := newBench(t, talk)
	b.prompt("one")
	b.prompt("two")
	hook.On(b.reg, func(context.Context, *hook.PreCompact) (hook.Result, error) {
		return hook.Result{Compaction: &hook.Compaction{Summary: "in short", FirstKeptEntryID: "nowhere"}}, nil
	})
	if _, err := b.a.Compact(t.Context(), ""); err != nil {
		t.Fatal(err)
	}
	e, err := b.a.Session().Entry(b.a.Session().Leaf())
	if err != nil || e.FirstKeptEntryID == "nowhere" || e.Summary != "in short" {
		t.Errorf("%+v, %v", e, err)
	}
	expect(t, strings.Join(messages(t, b.a.Session()), "\n"), "in short")
}

// A PreCompact hook may steer the summary as a Compacting hook does, which has the
// last word.
func TestPreCompactSteersTheSummary(t *testing.T) {
	b := newBench(t, talk)
	b.prompt("one")
	hook.On(b.reg, func(context.Context, *hook.PreCompact) (hook.Result, error) {
		return hook.Result{Compacting: &hook.CompactingAnswer{Context: []string{"the colour"}}}, nil
	})
	if _, err := b.a.Compact(t.Context(), ""); err != nil {
		t.Fatal(err)
	}
	expect(t, b.model.texts()[1], "the colour")
	hook.On(b.reg, func(context.Context, *hook.Compacting) (hook.Result, error) {
		return hook.Result{Compacting: &hook.CompactingAnswer{Context: []string{"the size"}}}, nil
	})
	b.prompt("two")
	if _, err := b.a.Compact(t.Context(), ""); err != nil {
		t.Fatal(err)
	}
	expect(t, b.model.texts()[3], "the size", "!the colour")
}

// A person's command that a hook refused is told with the next prompt; that of a program is not.
func TestTheModelHearsOfARefusedSwitch(t *testing.T) {
	for source, told := range map[string]string{"command": "", "sdk": "!"} {
		b := newBench(t, talk, func(b *bench, cfg *agent.Config) { cfg.Resolve = resolveTo(b.model) })
		hook.On(b.reg, func(context.Context, *hook.PreModelSwitch) (hook.Result, error) { return hook.Deny("too dear"), nil })
		if why, err := b.a.SetModel(t.Context(), "other", source); err != nil || why != "too dear" {
			t.Errorf("%s: %q, %v", source, why, err)
		}
		b.prompt("go")
		expect(t, b.all(), told+"<local-command-stdout>A PreModelSwitch hook refused the change to the-other: too dear</local-command-stdout>")
	}
}

func TestModelSwitchThatIsAskedAbout(t *testing.T) {
	for _, tt := range []struct {
		answer ui.Answer
		model  string
	}{{ui.Yes(), "the-other"}, {ui.No(), "script"}} {
		person := ui.NewRecorder(tt.answer)
		b := newBench(t, talk, withUI(person), func(b *bench, cfg *agent.Config) { cfg.Resolve = resolveTo(b.model) })
		hook.On(b.reg, func(context.Context, *hook.PreModelSwitch) (hook.Result, error) {
			return hook.Ask("it costs more"), nil
		})
		why, err := b.a.SetModel(t.Context(), "other", "command")
		if err != nil || b.a.Model() != tt.model || (why == "") != (tt.model != "script") || person.Remaining() != 0 {
			t.Errorf("%s: %q, %v", b.a.Model(), why, err)
		}
	}
}

func TestElicitationResultIsChanged(t *testing.T) {
	b := newBench(t, talk, withUI(ui.NewRecorder(ui.Type("blue"))))
	hook.On(b.reg, func(context.Context, *hook.ElicitationResult) (hook.Result, error) {
		return hook.Result{Host: &hook.HostEffects{ElicitationAction: "accept", ElicitationContent: hook.RawJSON(`{"colour":"red"}`)}}, nil
	})
	form := hook.RawJSON(`{"type":"object","properties":{"colour":{"type":"string"}}}`)
	action, content, err := b.a.Elicit(t.Context(), &hook.Elicitation{MCPServerName: "srv", Message: "which?", Mode: "form", RequestedSchema: form})
	if err != nil || action != agent.Accept || content.Raw() != `{"colour":"red"}` {
		t.Errorf("%s %s, %v", action, content.Raw(), err)
	}
}

// A session whose last call has no result, because the process was killed, gets one
// when it is opened.
func TestCallsThatWereOpenAreAnswered(t *testing.T) {
	s := session.Memory(session.Options{})
	for _, m := range []string{
		`{"role":"user","content":"go"}`,
		`{"role":"assistant","content":[{"type":"tool_use","id":"t1","name":"Do","input":{}},{"type":"tool_use","id":"t2","name":"Do","input":{}}]}`,
	} {
		if _, err := s.Append(session.Entry{Type: session.Message, Message: jsontext.Value(m)}); err != nil {
			t.Fatal(err)
		}
	}
	b := newBench(t, talk, func(_ *bench, cfg *agent.Config) { cfg.Session = s })
	expect(t, strings.Join(messages(t, s), "\n"), `"tool_use_id":"t1"`, `"tool_use_id":"t2"`, "interrupted before it ended")
	b.prompt("go on")
	messages(t, s)
}

func TestAnswersThatEndEarly(t *testing.T) {
	person := ui.NewRecorder()
	b := newBench(t, `
turns:
  - text: "I am not"
    stop: pause_turn
  - text: "done."
  - text: "It is a long"
    stop: max_tokens
  - text: "I won't"
    stop: refusal
  - text: "There is no room"
    stop: model_context_window_exceeded
  - text: "the summary"
  - text: "Now there is."
`, withUI(person))
	if res := b.prompt("one"); res.Text != "done." || res.Turns != 2 {
		t.Errorf("a pause: %+v", res)
	}
	if res := b.prompt("two"); res.End != agent.EndDone || !strings.Contains(res.Reason, "cut off") {
		t.Errorf("cut off: %+v", res)
	}
	if res := b.prompt("three"); !strings.Contains(res.Reason, "refused") {
		t.Errorf("refused: %+v", res)
	}
	expect(t, told(person), "cut off at the limit", "the model refused")
	if res := b.prompt("four"); res.Text != "Now there is." {
		t.Errorf("no room: %+v", res)
	}
	expect(t, b.model.texts()[6], "the summary")
}

// Hooks can't keep a teammate busy for ever.
func TestTeammateThatIsNeverIdle(t *testing.T) {
	b := newBench(t, `
turns:
  - when: {system: "You are a subagent"}
    text: "still here"
    repeat: -1
  - tool_calls: [{name: Agent, input: {prompt: "work", name: jo, run_in_background: true}}]
  - text: "Done."
    repeat: -1
`, func(_ *bench, cfg *agent.Config) { cfg.Team, cfg.MaxStops = true, 2 }).allowAll()
	hook.On(b.reg, func(context.Context, *hook.TeammateIdle) (hook.Result, error) {
		b.note("idle")
		return hook.Deny("go on"), nil
	})
	b.prompt("go")
	if n := len(b.noted()); n != 3 {
		t.Errorf("it was idle %d times", n)
	}
	expect(t, b.all(), "Your teammate jo reports:\n\nstill here")
}

// A prompt at which a hook ends the run is neither kept nor worked on; the next one says why.
func TestHaltAtThePrompt(t *testing.T) {
	b := newBench(t, talk)
	hook.On(b.reg, func(context.Context, *hook.UserPromptSubmit) (hook.Result, error) {
		return hook.Result{Continue: hook.No, StopReason: "enough"}, nil
	}, hook.Once())
	hook.On(b.reg, func(context.Context, *hook.AgentStart) (hook.Result, error) {
		b.note("started")
		return hook.None(), nil
	})
	if res := b.prompt("a secret"); res.End != agent.EndHalted || b.a.Session().Len() != 1 || len(b.noted()) != 0 {
		t.Errorf("%+v, %d entries, %v", res, b.a.Session().Len(), b.noted())
	}
	b.prompt("another")
	expect(t, b.all(), "!a secret", "user: another", "Operation stopped by hook: enough")
}

// A result that a hook takes out of the middle is answered where it was missing.
func TestContextThatRemovesAResultInTheMiddle(t *testing.T) {
	b := newBench(t, "turns:\n  - tool_calls: [{name: Do, input: {n: 1}}]\n  - tool_calls: [{name: Do, input: {n: 2}}]\n  - text: done\n").allowAll()
	hook.On(b.reg, func(_ context.Context, in *hook.Context) (hook.Result, error) {
		if len(in.Messages) == 5 {
			in.Messages = slices.Delete(in.Messages, 2, 3)
		}
		return hook.None(), nil
	})
	b.prompt("go")
	msgs := b.model.requests[2].Messages
	for i, m := range msgs {
		for _, call := range m.ToolUses() {
			if i+1 == len(msgs) || !slices.ContainsFunc(msgs[i+1].Content, func(r model.Block) bool { return r.ToolUseID == call.ID }) {
				t.Errorf("the call of message %d has no result behind it: %+v", i, msgs)
			}
		}
	}
	expect(t, b.model.texts()[2], "The result was removed", `ran {"n":2}`, `!ran {"n":1}`)
}

func TestSkillsAreLookedForAnew(t *testing.T) {
	for _, asks := range []bool{false, true} {
		n := 0
		person := ui.NewRecorder()
		b := newBench(t, talk, withUI(person), func(_ *bench, cfg *agent.Config) {
			cfg.ReloadSkills = func(context.Context) error { n++; return errors.New("no such folder") }
		})
		hook.On(b.reg, func(context.Context, *hook.SessionStart) (hook.Result, error) {
			return hook.Result{Host: &hook.HostEffects{ReloadSkills: asks}}, nil
		})
		b.prompt("go")
		if (n == 1) != asks || strings.Contains(told(person), "no such folder") != asks {
			t.Errorf("asked %v: %d times, told %q", asks, n, told(person))
		}
	}
}
