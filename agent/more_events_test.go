package agent_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/hookline-dev/hookline/agent"
	"github.com/hookline-dev/hookline/agent/instructions"
	"github.com/hookline-dev/hookline/agent/model"
	rulefiles "github.com/hookline-dev/hookline/agent/rules"
	"github.com/hookline-dev/hookline/agent/tool"
	"github.com/hookline-dev/hookline/hook"
)

// noteJSON notes the payload of events, without the common fields.
func noteJSON(b *bench, events ...hook.Event) {
	hook.OnEvent(b.reg, func(_ context.Context, in hook.Input) (hook.Result, error) {
		raw, err := hook.MarshalInput(in)
		if err != nil {
			return hook.None(), err
		}
		var m map[string]any
		if err := json.Unmarshal(raw, &m); err != nil {
			return hook.None(), err
		}
		for _, k := range []string{"session_id", "transcript_path", "cwd", "permission_mode", "invoked_by", "prompt_id", "agent_id", "hook_event_name"} {
			delete(m, k)
		}
		short, err := json.Marshal(m, json.Deterministic(true))
		b.note("%v %s", in.Event(), short)
		return hook.None(), err
	}, events)
}

func TestRetry(t *testing.T) {
	b := newBench(t, `
turns:
  - error: {status: 529, retry_after: 0.003}
  - text: "half an ans"
    truncate: true
  - text: "whole"
  - error: {status: 429}
    repeat: 5
`)
	noteJSON(b, hook.EventAutoRetryStart, hook.EventAutoRetryEnd, hook.EventStopFailure, hook.EventStop)
	if res := b.prompt("go"); res.Text != "whole" || res.Turns != 1 {
		t.Errorf("%+v", res)
	}
	got := strings.Join(b.noted(), "\n")
	expect(t, got, `AutoRetryStart {"attempt":1,"delay_ms":3,"error_message":"script: the model is overloaded`, `"max_attempts":4}`,
		`AutoRetryStart {"attempt":2,"delay_ms":2,`, "cut off", `AutoRetryEnd {"attempt":2,"success":true}`)
	for _, m := range messages(t, b.a.Session()) {
		expect(t, m, "!half an")
	}
	res, err := b.a.Prompt(t.Context(), "again")
	if _, ok := errors.AsType[*model.APIError](err); !ok || res.End != agent.EndFailed {
		t.Errorf("%+v, %v", res, err)
	}
	got = strings.Join(b.noted(), "\n")
	expect(t, got, `AutoRetryEnd {"attempt":4,"final_error":"script: rate limit`, `StopFailure {"error":"rate_limit"`)
	if n := strings.Count(got, "Stop {"); n != 1 {
		t.Errorf("Stop fired %d times", n)
	}
}

func TestErrorsThatDoNotPassAreNotTriedAgain(t *testing.T) {
	b := newBench(t, "turns:\n  - error: {status: 401}\n  - text: never\n")
	noteJSON(b, hook.EventAutoRetryStart, hook.EventAutoRetryEnd, hook.EventMessageDisplay, hook.EventStopFailure)
	if _, err := b.a.Prompt(t.Context(), "go"); err == nil {
		t.Error("no error")
	}
	const said = "Failed to authenticate. API Error: 401 as the script says"
	got := b.noted()
	if len(got) != 2 {
		t.Fatalf("noted %q", got)
	}
	expect(t, got[0], "MessageDisplay {", `"delta":"`+said+`"`, `"final":true`, `"index":0`)
	expect(t, got[1], `StopFailure {"error":"authentication_failed"`, `"last_assistant_message":"`+said+`"`, "!error_details")
}

func TestKindsOfErrorsThatHooksHear(t *testing.T) {
	for status, want := range map[int]string{
		400: "unknown", 402: "billing_error", 403: "authentication_failed", 404: "model_not_found", 413: "invalid_request", 422: "unknown", 500: "server_error", 529: "server_error",
	} {
		b := newBench(t, fmt.Sprintf("turns:\n  - error: {status: %d}\n    repeat: 9\n", status))
		noteJSON(b, hook.EventStopFailure, hook.EventPreCompact)
		if _, err := b.a.Prompt(t.Context(), "go"); err == nil {
			t.Errorf("%d: no error", status)
		}
		got := b.noted()
		if len(got) != 1 {
			t.Errorf("%d: noted %q", status, got)
			continue
		}
		expect(t, got[0], `StopFailure {"error":"`+want+`"`)
		if told := strings.Contains(got[0], `"error_details":"`); told != (status == 413) {
			t.Errorf("%d: %s", status, got[0])
		}
	}
}

func TestRulesInterruptTheStream(t *testing.T) {
	b := newBench(t, `
turns:
  - text: "I'll write console.log here, and more"
    chunks: 8
  - text: "I'll write console.log again" # once per rule and turn
  - text: "console.log in the next prompt"
  - text: "ok"
`, func(_ *bench, cfg *agent.Config) {
		cfg.Rules = []rulefiles.Rule{{Name: "logger", Path: "logger.md", Trigger: regexp.MustCompile(`console\.log`), Text: "Use the logger."}}
	})
	noteJSON(b, hook.EventRuleTriggered, hook.EventTurnStart)
	b.prompt("go")
	got := b.noted()
	if len(got) != 2 || !strings.Contains(got[1], `RuleTriggered {"rules":[{"content":"Use the logger.","name":"logger","path":"logger.md","trigger":"console\\.log"}]}`) {
		t.Errorf("%q", got)
	}
	texts := b.model.texts()
	expect(t, texts[1], "Use the logger.", "!console.log here")
	expect(t, strings.Join(messages(t, b.a.Session()), "\n"), "console.log again", "!console.log here")
	b.prompt("next")
	if n := len(b.model.texts()); n != 4 {
		t.Errorf("%d calls", n)
	}
}

func TestTodoReminder(t *testing.T) {
	todos := []tool.Todo{{Content: "write the test", Status: "in_progress"}, {Content: "look", Status: "completed"}}
	b := newBench(t, "turns: [{text: done}, {text: really done}]", func(_ *bench, cfg *agent.Config) {
		cfg.Todos = func() []tool.Todo { return todos }
	})
	noteJSON(b, hook.EventTodoReminder, hook.EventStop)
	b.prompt("go")
	got := b.noted()
	if len(got) != 2 {
		t.Fatal(got)
	}
	expect(t, got[0], `TodoReminder {"attempt":1,"max_attempts":1,"todos":[{"content":"write the test","status":"in_progress"}]}`)
	expect(t, got[1], `Stop {"last_assistant_message":"really done"`)
	expect(t, b.model.texts()[1], "write the test (in_progress)", "!look")
}

func TestSetupInstructionsAndInitialMessage(t *testing.T) {
	b := newBench(t, "turns: [{text: ok}]", func(_ *bench, cfg *agent.Config) {
		cfg.Instructions = []instructions.File{{Path: "/p/AGENTS.md", Type: instructions.Project, Text: "be brief"}}
	})
	noteJSON(b, hook.EventSetup, hook.EventInstructionsLoaded, hook.EventSessionStart)
	hook.On(b.reg, func(context.Context, *hook.Setup) (hook.Result, error) { return hook.AddContext("set up"), nil }) // is before there is a conversation
	hook.On(b.reg, func(context.Context, *hook.SessionStart) (hook.Result, error) {
		return hook.Result{Context: []string{"from the start"}, Host: &hook.HostEffects{InitialUserMessage: "first of all"}}, nil
	})
	if err := b.a.Setup(t.Context(), "init"); err != nil {
		t.Fatal(err)
	}
	b.prompt("go")
	got := strings.Join(b.noted(), "\n")
	if !strings.HasPrefix(got, "Setup {") || strings.Index(got, "SessionStart {") > strings.Index(got, "InstructionsLoaded {") {
		t.Errorf("in another order: %s", got)
	}
	expect(t, got, `Setup {"trigger":"init"}`, `InstructionsLoaded {"file_path":"/p/AGENTS.md","load_reason":"session_start","memory_type":"Project"}`)
	expect(t, b.all(), "be brief", "!set up", "from the start", "user: first of all")
}

func TestCwdChanged(t *testing.T) {
	dir := "/one"
	b := newBench(t, oneCall, func(_ *bench, cfg *agent.Config) {
		cfg.Cwd = func() string { return dir }
		cfg.Tools = []tool.Tool{&funcTool{name: "Do", run: func(context.Context, tool.Input) (tool.Result, error) {
			dir = "/two"
			return textResult("moved"), nil
		}}}
	}).allowAll()
	noteJSON(b, hook.EventCwdChanged)
	b.prompt("go")
	if got := b.noted(); !slices.Equal(got, []string{`CwdChanged {"new_cwd":"/two","old_cwd":"/one"}`}) {
		t.Error(got)
	}
}

func TestIdleNotification(t *testing.T) {
	b := newBench(t, "turns: [{text: ok}]", func(_ *bench, cfg *agent.Config) { cfg.IdleAfter = time.Millisecond })
	told := make(chan string, 1)
	hook.On(b.reg, func(_ context.Context, in *hook.Notification) (hook.Result, error) {
		told <- in.NotificationType
		return hook.None(), nil
	})
	b.prompt("go")
	if got := <-told; got != "idle_prompt" {
		t.Error(got)
	}
}

func TestMessageUpdates(t *testing.T) {
	b := newBench(t, "turns: [{text: abcdef, chunks: 3}]")
	hook.On(b.reg, func(_ context.Context, in *hook.MessageUpdate) (hook.Result, error) {
		b.note("%s of %s", in.Delta, in.Message.Text())
		return hook.None(), nil
	})
	b.prompt("go")
	if got := b.noted(); !slices.Equal(got, []string{"ab of ab", "cd of abcd", "ef of abcdef"}) {
		t.Error(got)
	}
}

func TestToolProgress(t *testing.T) {
	b := newBench(t, oneCall, func(_ *bench, cfg *agent.Config) {
		cfg.Tools = []tool.Tool{&funcTool{name: "Do", run: func(_ context.Context, in tool.Input) (tool.Result, error) {
			in.Progress("half", nil)
			return textResult("whole"), nil
		}}}
	}).allowAll()
	noteJSON(b, hook.EventToolExecutionStart, hook.EventToolExecutionUpdate, hook.EventToolExecutionEnd)
	b.prompt("go")
	got := strings.Join(b.noted(), "\n")
	expect(t, got, `ToolExecutionStart {"tool_input":{"command":"original"},"tool_name":"Do"`, `"partial_result":"half"`, `"result":"whole"`)
}

// Calls that only read run at the same time; hooks see them in the model's order.
func TestParallelReads(t *testing.T) {
	const n = 4
	var gate sync.WaitGroup
	gate.Add(n)
	calls := make([]string, n)
	for i := range calls {
		calls[i] = fmt.Sprintf("{name: Wait, input: {n: %d}}", i)
	}
	b := newBench(t, "turns:\n  - tool_calls: ["+strings.Join(calls, ", ")+", {name: Do, input: {}}]\n  - text: ok\n", func(_ *bench, cfg *agent.Config) {
		cfg.Tools = append(cfg.Tools, &funcTool{name: "Wait", readOnly: true, run: func(ctx context.Context, in tool.Input) (tool.Result, error) {
			gate.Done()
			gate.Wait() // for ever, unless all run at once
			return textResult("read " + string(in.JSON)), nil
		}})
	}).allowAll()
	hook.OnEvent(b.reg, func(_ context.Context, in hook.Input) (hook.Result, error) {
		input := ""
		switch in := in.(type) {
		case *hook.PreToolUse:
			input = in.ToolInput.Raw()
		case *hook.PostToolUse:
			input = in.ToolInput.Raw()
		}
		b.note("%v %s", in.Event(), input)
		return hook.None(), nil
	}, []hook.Event{hook.EventPreToolUse, hook.EventPostToolUse})
	b.prompt("go")
	var want []string
	for _, ev := range []string{"PreToolUse", "PostToolUse"} {
		for i := range n {
			want = append(want, fmt.Sprintf(`%s {"n":%d}`, ev, i))
		}
	}
	want = append(want, "PreToolUse {}", "PostToolUse {}")
	if got := b.noted(); !slices.Equal(got, want) {
		t.Errorf("got  %v\nwant %v", got, want)
	}
	result := b.lastResult()
	if strings.Index(result, `read {\"n\":0}`) > strings.Index(result, `read {\"n\":3}`) {
		t.Errorf("results out of order: %s", result)
	}
}

func TestLateResultsAndRewake(t *testing.T) {
	release := make(chan struct{})
	b := newBench(t, "turns: [{text: one}, {text: two}, {text: three}]", func(_ *bench, cfg *agent.Config) { cfg.Rewake = true })
	n := 0
	hook.On(b.reg, func(ctx context.Context, _ *hook.UserPromptSubmit) (hook.Result, error) {
		if n++; n > 1 {
			return hook.None(), nil
		}
		return hook.Result{Async: &hook.Async{Wait: func(ctx context.Context) (hook.Result, error) {
			<-release
			return hook.Result{Context: []string{"late news"}, SystemMessage: "late word"}, nil
		}}}, nil
	})
	b.prompt("a")
	expect(t, b.model.texts()[0], "!late")
	close(release)
	for len(b.eng.LateReady()) == 0 {
		time.Sleep(time.Millisecond)
	}
	b.prompt("b")
	expect(t, b.model.texts()[1], "late news", "late word")
	if got := b.model.texts(); len(got) != 2 {
		t.Errorf("%d calls", len(got))
	}
}

func TestBackgroundHookWakesTheIdleAgent(t *testing.T) {
	release := make(chan struct{})
	b := newBench(t, "turns: [{text: one}, {text: two}]", func(_ *bench, cfg *agent.Config) { cfg.Rewake = true })
	hook.On(b.reg, func(context.Context, *hook.Stop) (hook.Result, error) {
		<-release
		return hook.Deny("the build is broken"), nil
	}, hook.InBackground(hook.AsyncRewake, time.Minute), hook.Once())
	b.prompt("a")
	close(release)
	for len(b.model.texts()) < 2 {
		time.Sleep(time.Millisecond)
	}
	if err := b.a.WaitIdle(t.Context()); err != nil {
		t.Fatal(err)
	}
	expect(t, b.model.texts()[1], "the build is broken")
}

func TestBounds(t *testing.T) {
	loop := "turns:\n  - tool_calls: [{name: Do, input: {}}]\n    usage: {input: 100, output: 10}\n    repeat: -1\n"
	b := newBench(t, loop, func(_ *bench, cfg *agent.Config) { cfg.MaxTurns = 3 }).allowAll()
	if res := b.prompt("go"); res.End != agent.EndMaxTurns || res.Turns != 3 {
		t.Errorf("%+v", res)
	}
	messages(t, b.a.Session())
	b = newBench(t, loop, func(_ *bench, cfg *agent.Config) { cfg.Budget = 200 }).allowAll()
	if res := b.prompt("go"); res.End != agent.EndBudget || res.Turns != 2 {
		t.Errorf("%+v", res)
	}
}

func TestBusyAndClosed(t *testing.T) {
	b := newBench(t, "turns: [{text: ok}]")
	hook.On(b.reg, func(ctx context.Context, _ *hook.TurnStart) (hook.Result, error) {
		if _, err := b.a.Prompt(ctx, "within"); !errors.Is(err, agent.ErrBusy) {
			t.Errorf("within a prompt: %v", err)
		}
		return hook.None(), nil
	})
	b.prompt("go")
	if err := b.a.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := b.a.Prompt(t.Context(), "after"); !errors.Is(err, agent.ErrClosed) {
		t.Errorf("after the end: %v", err)
	}
}

func TestEngineThatIsClosedGuardsNothingOpen(t *testing.T) {
	b := newBench(t, oneCall).allowAll()
	hook.On(b.reg, func(context.Context, *hook.TurnStart) (hook.Result, error) { return hook.None(), b.eng.Close() })
	if _, err := b.a.Prompt(t.Context(), "go"); err == nil {
		expect(t, b.lastResult(), "could not be asked", "!ran {")
	}
}

func TestWatchedFiles(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "watched.txt")
	b := newBench(t, "turns:\n  - text: ok\n    repeat: -1\n", func(_ *bench, cfg *agent.Config) { cfg.Dir = dir })
	hook.On(b.reg, func(context.Context, *hook.SessionStart) (hook.Result, error) {
		return hook.Result{Host: &hook.HostEffects{WatchPaths: []string{"watched.txt"}}}, nil
	})
	noteJSON(b, hook.EventFileChanged)
	b.prompt("nothing has happened")
	for _, text := range []string{"", "longer"} {
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		b.prompt("go")
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	b.prompt("go")
	b.prompt("nothing more")
	named := filepath.Join(dir, "named.txt")
	hook.On(b.reg, func(context.Context, *hook.FileChanged) (hook.Result, error) { return hook.None(), nil }, hook.Match("named.txt|other"))
	b.prompt("names it")
	if err := os.WriteFile(named, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	b.prompt("go")
	var want []string
	for _, change := range []string{"add", "change", "unlink"} {
		want = append(want, fmt.Sprintf(`FileChanged {"event":%q,"file_path":%q}`, change, path))
	}
	want = append(want, fmt.Sprintf(`FileChanged {"event":"add","file_path":%q}`, named))
	if got := b.noted(); !slices.Equal(got, want) {
		t.Errorf("got %q\nwant %q", got, want)
	}
}

// ToolExecutionEnd has the result as hooks left it, and the text of a failure.
func TestToolExecutionEndComesAfterHooks(t *testing.T) {
	b := newBench(t, "turns:\n  - tool_calls: [{name: Do}, {name: Broken}]\n  - text: Done.\n", func(_ *bench, cfg *agent.Config) {
		cfg.Tools = []tool.Tool{
			&funcTool{name: "Do", run: func(context.Context, tool.Input) (tool.Result, error) { return textResult("the secret"), nil }},
			&funcTool{name: "Broken", run: func(context.Context, tool.Input) (tool.Result, error) {
				return tool.Result{}, errors.New("out of paper")
			}},
		}
	}).allowAll()
	hook.On(b.reg, func(context.Context, *hook.PostToolUse) (hook.Result, error) {
		return hook.Result{UpdatedOutput: hook.MustJSON("hidden"), IsError: hook.Yes}, nil
	})
	hook.On(b.reg, func(_ context.Context, in *hook.ToolExecutionEnd) (hook.Result, error) {
		b.note("%s %v", in.Result.Raw(), in.IsError)
		return hook.None(), nil
	})
	b.prompt("go")
	if got := strings.Join(b.noted(), "|"); got != `"hidden" true|"out of paper" true` {
		t.Errorf("got %s", got)
	}
}

// A MessageEnd hook may put another message in the place of one: that is what is kept and
// what the model gets. One of another kind changes nothing, and the person is told.
func TestMessageEndPutsAnotherMessageInItsPlace(t *testing.T) {
	b := newBench(t, oneCall).allowAll()
	hook.On(b.reg, func(_ context.Context, in *hook.MessageEnd) (hook.Result, error) {
		m := *in.Message
		switch {
		case strings.Contains(m.Content.Raw(), "tool_result"):
			m.Content = hook.RawJSON(strings.Replace(m.Content.Raw(), "original", "hidden", 1))
		case m.Text() == "Done.":
			m.Content = hook.MustJSON("All is well.")
		case m.Text() == "go":
			m.Role = "assistant"
		default:
			return hook.None(), nil
		}
		return hook.Result{Host: &hook.HostEffects{Message: &m}}, nil
	})
	b.prompt("go")
	b.prompt("again")
	last := b.model.texts()[2]
	expect(t, last, "user: go", "hidden", "assistant: All is well.", "!Done.")
	expect(t, strings.Join(messages(t, b.a.Session()), "\n"), "All is well.", "!Done.")
	if !slices.ContainsFunc(b.shownEvents(), func(e agent.Event) bool { return strings.HasPrefix(e.Text, "The message stays as it was") }) {
		t.Error("the person is not told of a message that could not be put in")
	}
}
