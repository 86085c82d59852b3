package worker_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hookline-dev/hookline/dialect/worker"
	host "github.com/hookline-dev/hookline/handler/worker"
	"github.com/hookline-dev/hookline/hook"
	"github.com/hookline-dev/hookline/hook/hooktest"
	"github.com/hookline-dev/hookline/ui"
)

func options() worker.ExtensionOptions {
	return worker.ExtensionOptions{ID: "ext", Cwd: "/work", DataDir: "/data", Config: hook.RawJSON(`{"level":3}`), Version: "1.2.3"}
}

func extension(t *testing.T, change ...func(*worker.Spec)) (*hook.Engine, []hook.Registration, []string) {
	t.Helper()
	s := spec("extension")
	for _, c := range change {
		c(&s)
	}
	w, err := worker.StartExtension(t.Context(), s, options())
	if err != nil {
		t.Fatal(err)
	}
	return registered(t, w)
}

func TestExtensionRegistrations(t *testing.T) {
	_, regs, remarks := extension(t)
	var got []hook.Event
	for _, r := range regs {
		got = append(got, r.Event)
		want := worker.DefaultTimeout
		switch r.Event {
		case hook.EventTurnEnd:
			want = 1500 * time.Millisecond
		case hook.EventSessionEnd:
			want = 0
		}
		if r.Dialect != "kodelet" || r.Timeout != want || r.OnFailure != hook.FailDefault || !strings.HasPrefix(r.Name, "ext#") {
			t.Errorf("registration %+v", r)
		}
	}
	want := []hook.Event{
		hook.EventPreToolUse, hook.EventPostToolUse, hook.EventPostToolUseFailure, hook.EventUserPromptSubmit, hook.EventStop, hook.EventSubagentStop,
		hook.EventTurnEnd, hook.EventSessionStart, hook.EventSessionEnd, hook.EventAgentStart, hook.EventTurnStart, hook.EventPreToolUse,
	}
	if !slices.Equal(got, want) {
		t.Errorf("events %v", got)
	}
	if last := regs[len(regs)-1]; last.Priority != 10 {
		t.Errorf("priority %d", last.Priority)
	}
	all := strings.Join(remarks, "\n")
	if len(remarks) != 2 || !strings.Contains(all, "offers tools (1)") || !strings.Contains(all, `event "agent.init": this host takes no changes of the tool list; the hook never runs`) {
		t.Errorf("remarks %q", remarks)
	}
}

func tool(answer string) *hook.PreToolUse {
	in := &hook.PreToolUse{Common: hook.Common{SessionID: "s1", CWD: "/repo", RecipeName: "r"}, ToolName: "Bash", ToolUseID: "c1"}
	in.ToolInput = hook.MustJSON(map[string]any{"command": "ls", "timeout": 3000, "answer": answer})
	return in
}

// TestExtensionPayloads: extensions get kodelet's words, and what they answer in them is
// understood.
func TestExtensionPayloads(t *testing.T) {
	e, _, _ := extension(t)
	fire := func(in hook.Input) hook.Outcome {
		t.Helper()
		out, err := e.Fire(t.Context(), in)
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	out := fire(tool("echo"))
	want := `{"sessionId":"s1","conversationId":"s1","cwd":"/repo","recipeName":"r","invokedBy":"main"} ` +
		`{"tool":{"callId":"c1","input":{"answer":"echo","command":"ls","timeout":3},"name":"bash"}}`
	if out.Decision != hook.DecisionDeny || out.Reason != want {
		t.Errorf("decision %v, reason %s", out.Decision, out.Reason)
	}

	in := tool(`{"input":{"command":"pwd","timeout":9}}`)
	if out := fire(in); !out.InputChanged || in.ToolInput.Raw() != `{"command":"pwd","timeout":9000}` {
		t.Errorf("input %s, runs %+v", in.ToolInput.Raw(), out.Runs[0].Err)
	}
	out = fire(tool(`{"message":"m","surprise":1}`))
	if out.Decision != hook.DecisionNone || !slices.Contains(out.Runs[0].Notes, `key "surprise" means nothing here`) || len(out.Runs[0].Ignored) != 1 {
		t.Errorf("%+v", out.Runs[0])
	}

	if out = fire(tool(`{"Block":{"Reason":"in any case"}}`)); out.Reason != "in any case" {
		t.Errorf("%+v", out.Runs[0])
	}

	prompt := &hook.UserPromptSubmit{Prompt: `{"message":"better"}`}
	fire(prompt)
	if prompt.Prompt != "better" {
		t.Errorf("prompt %q", prompt.Prompt)
	}
	out = fire(&hook.UserPromptSubmit{Prompt: "echo"})
	if out.Decision != hook.DecisionDeny || !strings.HasSuffix(out.Reason, ` {"message":"echo"}`) {
		t.Errorf("decision %v, reason %q", out.Decision, out.Reason)
	}
	out = fire(&hook.PostToolUse{ToolName: "Bash", ToolInput: hook.RawJSON(`{"command":"ls"}`), ToolResponse: hook.RawJSON(`{"stdout":"secret","stderr":"","exitCode":0}`)})
	if out.UpdatedOutput.String("stdout") != "redacted" {
		t.Errorf("output %s, error %v", out.UpdatedOutput.Raw(), out.Runs[0].Err)
	}
	out = fire(&hook.Stop{LastAssistantMessage: "done"})
	if !slices.Equal(out.Continuation(), []string{"go on"}) {
		t.Errorf("continuation %q, error %v", out.Continuation(), out.Runs[0].Err)
	}
	for _, in := range []hook.Input{&hook.TurnEnd{Response: "r"}, &hook.TurnStart{TurnIndex: 1}, &hook.SessionStart{}, &hook.SessionEnd{}, &hook.AgentStart{}} {
		if out := fire(in); len(out.Runs) != 1 || out.Runs[0].Err != nil {
			t.Errorf("%v: %+v", in.Event(), out.Runs)
		}
	}
}

type person struct{ ui.None }

func (person) HasUI() bool { return true }
func (person) Confirm(_ context.Context, title, message string, _ ui.Dialog) (bool, error) {
	return title+message == "Sure?really", nil
}

func (person) Select(_ context.Context, _ string, choices []string, _ ui.Dialog) (int, bool, error) {
	return 1, len(choices) > 1, nil
}

func (person) Input(_ context.Context, _, placeholder string, _ ui.Dialog) (string, bool, error) {
	return placeholder, true, nil
}

func TestExtensionAsks(t *testing.T) {
	withPerson := func(s *worker.Spec) { s.Host = host.Local{Person: person{}} }
	for _, tc := range []struct {
		ask, answer string
		nobody      bool
	}{
		{`kodelet.ui.confirm {"title":"Sure?","message":"really","confirmButtonText":"Yes"}`, `{"status":"submitted","confirmed":true}`, false},
		{`kodelet.ui.confirm {"title":"Sure?"}`, `{"status":"submitted","confirmed":false}`, false},
		{`kodelet.ui.confirm {"title":"Sure?"}`, `{"status":"unavailable","reason":"there is nobody to ask"}`, true},
		{`kodelet.ui.select {"title":"Which?","options":["a","b"]}`, `{"status":"submitted","value":"b"}`, false},
		{`kodelet.ui.select {"title":"Which?","options":[]}`, `{"status":"dismissed"}`, false},
		{`kodelet.ui.input {"title":"Name?","defaultValue":"x"}`, `{"status":"submitted","value":"x"}`, false},
		{`kodelet.ui.notify {"message":"hi"}`, `{"status":"submitted"}`, false},
		{`kodelet.child.start {}`, `{"code":-32601,"message":"host request method not found: kodelet.child.start"}`, false},
		{`kodelet.ui.input {"title":1}`, `{"code":-32602,"message":"the parameters cannot be read`, false},
	} {
		var change []func(*worker.Spec)
		if !tc.nobody {
			change = append(change, withPerson)
		}
		e, _, _ := extension(t, change...)
		out, err := e.Fire(t.Context(), tool(tc.ask))
		if err != nil || !strings.HasPrefix(out.Reason, tc.answer) {
			t.Errorf("%s: %q, error %v %v", tc.ask, out.Reason, err, out.Runs[0].Err)
		}
	}
}

func TestExtensionStartErrors(t *testing.T) {
	w, err := worker.StartExtension(t.Context(), spec("refuses"), options())
	if err == nil {
		w.Close()
	}
	if _, ok := errors.AsType[*hook.Failure](err); !ok || !strings.Contains(err.Error(), "it refuses to begin: wrong version") {
		t.Error(err)
	}
}

// TestExtensionConformance: an extension is a kind of hook like others.
func TestExtensionConformance(t *testing.T) {
	answers := map[hooktest.Behaviour]string{
		hooktest.Silent: "{}", hooktest.Deny: `{"block":{"reason":"` + hooktest.DenyReason + `"}}`, hooktest.Fail: "fail",
		hooktest.Garbage: "garbage", hooktest.Hang: "hang", hooktest.Rewrite: `{"input":{"command":"` + hooktest.RewrittenCmd + `"}}`,
		hooktest.WrongField: `{"followUpMessages":["x"]}`,
	}
	hooktest.TestKind(t, hooktest.Kind{Make: func(t testing.TB, b hooktest.Behaviour) (hook.Handler, bool) {
		answer, ok := answers[b]
		if !ok {
			return nil, false // the protocol has no words for it
		}
		w, err := worker.StartExtension(t.Context(), spec("extension"), options())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { w.Close() })
		h := w.Handler(0)
		return hook.HandlerFunc(func(ctx context.Context, c *hook.Call) (hook.Result, error) {
			in := *c.Input.(*hook.PreToolUse)
			if err := in.ToolInput.Set("answer", answer); err != nil {
				return hook.Result{}, err
			}
			inner := *c
			inner.Input = &in
			res, err := h.Handle(ctx, &inner)
			c.Report = inner.Report
			return res, err
		}), true
	}})
}

func TestExtensionID(t *testing.T) {
	for _, tc := range []struct{ root, path, want string }{
		{"/x/extensions", "/x/extensions/kodelet-extension-weather", "weather"},
		{"/x/extensions/", "/x/extensions/kodelet-extension-weather.exe", "weather"},
		{"/x/extensions", "/x/extensions/security/kodelet-extension-guardrails", "security"},
		{"", "/y/kodelet-extension-gh", "gh"},
	} {
		if got := worker.ExtensionID(tc.root, tc.path); got != tc.want {
			t.Errorf("%s: %q", tc.path, got)
		}
	}
}

func TestExtensionTakenBack(t *testing.T) {
	w, err := worker.StartExtension(t.Context(), spec("extension"), options())
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	if _, err := w.Handler(0).Handle(ctx, &hook.Call{Input: tool("yield")}); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("error %v", err)
	}
	time.Sleep(300 * time.Millisecond)
	if _, err := w.Handler(0).Handle(t.Context(), &hook.Call{Input: tool("{}")}); err != nil || w.Starts() != 1 {
		t.Errorf("error %v, %d starts", err, w.Starts())
	}
}
