package prompt_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/hookline-dev/hookline/handler/prompt"
	"github.com/hookline-dev/hookline/hook"
	"github.com/hookline-dev/hookline/hook/hooktest"
)

func TestVerdicts(t *testing.T) {
	const failure = "failure"
	for _, tt := range []struct {
		name, said string
		want       string // the reason of a deny, "" for no opinion
		strict     string // the same in strict mode, "=" when nothing differs
	}{
		{"ok", `{"ok":true}`, "", "="},
		{"ok with a reason", `{"ok":true,"reason":"fine"}`, "", "="},
		{"not ok", `{"ok":false,"reason":"no tests"}`, "no tests", "="},
		{"no reason", `{"ok":false}`, "a check by a model did not pass", "="},
		{"blanks", " \n{\"ok\":false,\"reason\":\" r \"}\n", "r", "="},
		{"a fence", "```json\n{\"ok\":false,\"reason\":\"r\"}\n```", "r", failure},
		{"a bare fence", "```\n{\"ok\":true}\n```\n", "", failure},
		{"a fence on one line", "```{\"ok\":true}```", "", failure},
		{"other keys", `{"ok":false,"reason":"r","confidence":0.9}`, "r", "="},
		{"impossible where it may be denied", `{"ok":false,"impossible":true,"reason":"r"}`, "r", "="},
		{"prose", `I think it is fine.`, failure, "="},
		{"prose and JSON", `Sure! {"ok":true}`, failure, "="},
		{"two objects", `{"ok":false,"reason":"r"}{"ok":true}`, failure, "="},
		{"empty", ``, failure, "="},
		{"no ok", `{"reason":"r"}`, failure, "="},
		{"null", `{"ok":null}`, failure, "="},
		{"a string", `{"ok":"true"}`, failure, "="},
		{"a number", `{"ok":1}`, failure, "="},
		{"another case", `{"OK":true}`, failure, "="},
		{"twice", `{"ok":false,"ok":true}`, failure, "="},
		{"an array", `[{"ok":true}]`, failure, "="},
		{"an open fence", "```json\n{\"ok\":true}", failure, "="},
		{"huge", `{"ok":true,"reason":"` + strings.Repeat("x", 300<<10) + `"}`, failure, "="},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for _, mode := range []struct {
				want string
				opts []hook.EngineOption
			}{{tt.want, nil}, {tt.strict, []hook.EngineOption{hook.WithStrict()}}} {
				if mode.want == "=" {
					mode.want = tt.want
				}
				h := &prompt.Hook{Prompt: "?", Model: says(tt.said), Codec: plain}
				out, run := fire(t, h, toolUse(), time.Minute, mode.opts...)
				switch {
				case mode.want == failure:
					if kindOf(run.Err) != hook.FailureAnswer || run.Decision != hook.DecisionNone {
						t.Errorf("%v %v, want a failure", run.Decision, run.Err)
					}
				case run.Err != nil:
					t.Errorf("%v", run.Err)
				case mode.want == "":
					if out.Decision != hook.DecisionNone || run.Report.Stdout != tt.said {
						t.Errorf("%v %q", out.Decision, run.Report.Stdout)
					}
				case out.Decision != hook.DecisionDeny || out.Reason != mode.want:
					t.Errorf("%v %q, want deny %q", out.Decision, out.Reason, mode.want)
				}
			}
		})
	}
}

func TestStopThatCannotBeFulfilled(t *testing.T) {
	h := &prompt.Hook{Prompt: "done?", Model: says(`{"ok":false,"reason":"tests fail"}`), Codec: plain}
	out, _ := fire(t, h, &hook.Stop{}, time.Minute)
	if !out.KeepGoing || out.Reason != "tests fail" {
		t.Errorf("%+v", out)
	}
	h.Model = says(`{"ok":false,"impossible":true,"reason":"no network"}`)
	out, run := fire(t, h, &hook.Stop{}, time.Minute)
	if out.KeepGoing || run.Err != nil || len(out.Notices) != 1 || !strings.Contains(out.Notices[0], "no network") {
		t.Errorf("%+v", out)
	}
	h = &prompt.Hook{Prompt: "?", Model: says(`{"ok":false,"reason":"enough"}`), Codec: plain, HaltOnBlock: true}
	out, _ = fire(t, h, &hook.PostToolUse{ToolName: "Bash"}, time.Minute)
	if !out.Halt || out.StopReason != "enough" {
		t.Errorf("%+v", out)
	}
}

func TestRequests(t *testing.T) {
	in := toolUse()
	b, err := hook.MarshalInput(in)
	if err != nil {
		t.Fatal(err)
	}
	event := string(b)
	var got prompt.Request
	ask := model(func(_ context.Context, r prompt.Request) (string, error) {
		got = r
		return `{"ok":true}`, nil
	})
	for _, tt := range []struct {
		h      prompt.Hook
		prompt string
		tools  bool
		turns  int
	}{
		{prompt.Hook{Prompt: "Safe?"}, "Safe?\n\n" + event, false, 0},
		{prompt.Hook{Prompt: "<$ARGUMENTS> or <$ARGUMENTS>?"}, "<" + event + "> or <" + event + ">?", false, 0},
		{prompt.Hook{Prompt: "Safe?", Agent: true}, "Safe?\n\n" + event, true, 50},
		{prompt.Hook{Prompt: "Safe?", Agent: true, MaxTurns: 3, ModelName: "small"}, "Safe?\n\n" + event, true, 3},
	} {
		h := tt.h
		h.Model, h.Codec = ask, plain
		if _, run := fire(t, &h, in, time.Minute); run.Err != nil {
			t.Fatal(run.Err)
		}
		if got.Prompt != tt.prompt || got.Model != h.ModelName || got.Tools != tt.tools || got.MaxTurns != tt.turns || got.System == "" || !got.Schema.Valid() {
			t.Errorf("%+v", got)
		}
	}
}

func TestWithoutAModel(t *testing.T) {
	for _, tt := range []struct {
		h    hook.Handler
		want string
	}{
		{&prompt.Hook{Prompt: "?", Codec: plain}, "needs a model"},
		{&prompt.Hook{Prompt: "?", Agent: true, Codec: plain}, "needs a model"},
		{&prompt.Tool{Server: "s", Tool: "t", Codec: plain}, "needs an MCP client"},
	} {
		out, run := fire(t, tt.h, toolUse(), time.Minute)
		if out.Decision != hook.DecisionNone || kindOf(run.Err) != hook.FailureLaunch || !strings.Contains(run.Err.Error(), tt.want) {
			t.Errorf("%v %v", out.Decision, run.Err)
		}
		if out, _ := fire(t, tt.h, toolUse(), time.Minute, hook.WithStrict()); out.Decision != hook.DecisionDeny {
			t.Errorf("strict: %v", out.Decision)
		}
	}
}

func TestModelThatFails(t *testing.T) {
	overloaded := errors.New("overloaded")
	h := &prompt.Hook{Prompt: "?", Codec: plain, Model: model(func(context.Context, prompt.Request) (string, error) { return `{"ok":false}`, overloaded })}
	out, run := fire(t, h, toolUse(), time.Minute)
	if kindOf(run.Err) != hook.FailureError || !errors.Is(run.Err, overloaded) || out.Decision != hook.DecisionNone {
		t.Errorf("%v", run.Err)
	}
	h.Model = model(func(context.Context, prompt.Request) (string, error) { panic("bug") })
	if _, run := fire(t, h, toolUse(), time.Minute); kindOf(run.Err) != hook.FailurePanic {
		t.Errorf("%v", run.Err)
	}
}

func TestConformance(t *testing.T) {
	wait := model(func(ctx context.Context, _ prompt.Request) (string, error) {
		<-ctx.Done()
		return "", ctx.Err()
	})
	hooktest.TestKind(t, hooktest.Kind{Make: func(_ testing.TB, b hooktest.Behaviour) (hook.Handler, bool) {
		m, ok := map[hooktest.Behaviour]model{
			hooktest.Silent:  says(`{"ok":true}`),
			hooktest.Deny:    says(`{"ok":false,"reason":"` + hooktest.DenyReason + `"}`),
			hooktest.Garbage: says("maybe"),
			hooktest.Fail:    func(context.Context, prompt.Request) (string, error) { return "", errors.New("overloaded") },
			hooktest.Hang:    wait,
		}[b]
		return &prompt.Hook{Prompt: "?", Model: m, Codec: plain, Origin: string(b)}, ok
	}})
}

func TestToolConformance(t *testing.T) {
	hooktest.TestKind(t, hooktest.Kind{Make: func(_ testing.TB, b hooktest.Behaviour) (hook.Handler, bool) {
		s, ok := map[hooktest.Behaviour]server{
			hooktest.Silent:  replies("", false, nil),
			hooktest.Allow:   replies(`{"decision":"allow"}`, false, nil),
			hooktest.Deny:    replies(`{"decision":"deny","reason":"`+hooktest.DenyReason+`"}`, false, nil),
			hooktest.Ask:     replies(`{"decision":"ask"}`, false, nil),
			hooktest.Context: replies(`{"context":"`+hooktest.ContextText+`"}`, false, nil),
			hooktest.Fail:    replies(`{"decision":"allow"}`, true, nil),
			hooktest.Garbage: replies(`{"decision"`, false, nil),
			hooktest.Echo: func(_ context.Context, _, _ string, input hook.JSON) (string, bool, error) {
				id, _ := input.Get("id")
				return string(hook.MustJSON(map[string]string{"context": id.Raw()}).Raw()), false, nil
			},
			hooktest.Hang: func(ctx context.Context, _, _ string, _ hook.JSON) (string, bool, error) {
				<-ctx.Done()
				return "", false, ctx.Err()
			},
		}[b]
		return &prompt.Tool{Server: "s", Tool: "t", Input: hook.RawJSON(`{"id":"${tool_input.id}"}`), MCP: s, Codec: plain, Origin: string(b)}, ok
	}})
}

func TestToolInput(t *testing.T) {
	var got hook.JSON
	call := server(func(_ context.Context, s, tool string, input hook.JSON) (string, bool, error) {
		if s != "audit" || tool != "check" {
			t.Errorf("%s %s", s, tool)
		}
		got = input
		return "", false, nil
	})
	for _, tt := range []struct{ template, want, note string }{
		{``, `{}`, ""},
		{`{"plain":"x","n":1.50,"b":[true,null,"y"]}`, `{"plain":"x","n":1.50,"b":[true,null,"y"]}`, ""},
		{`{"tool":"${tool_name}","id":"${tool_input.id}"}`, `{"tool":"Bash","id":9007199254740993}`, ""},
		{`{"text":"a ${tool_name} with ${tool_input.id}: ${tool_input.s}"}`, `{"text":"a Bash with 9007199254740993: two words"}`, ""},
		{`{"el":"${tool_input.list.0.a}","raw":"${tool_input.list.1}"}`, `{"el":"x","raw":"\ud800"}`, ""},
		{`{"whole":"${tool_input.list}"}`, `{"whole":[{"a":"x"},"\ud800"]}`, ""},
		{`{"${tool_name}":{"deep":["${tool_name}"]}}`, `{"${tool_name}":{"deep":["Bash"]}}`, ""},
		{`{"once":"${tool_input.command}"}`, `{"once":"echo $ARGUMENTS"}`, ""},
		{`{"gone":"${tool_input.nope}","in":"<${nope.x}>","far":"${tool_input.list.7}"}`, `{"gone":"","in":"<>","far":""}`, "no tool_input.nope"},
		{`{"odd":"$${tool_name}} ${ ${} ${a b} $tool_name"}`, `{"odd":"$Bash} ${ ${} ${a b} $tool_name"}`, ""},
	} {
		h := &prompt.Tool{Server: "audit", Tool: "check", Input: hook.RawJSON(tt.template), MCP: call, Codec: plain}
		_, run := fire(t, h, toolUse(), time.Minute)
		if run.Err != nil || got.Raw() != tt.want {
			t.Errorf("%s became %s, want %s (%v)", tt.template, got.Raw(), tt.want, run.Err)
		}
		if notes := strings.Join(run.Notes, "\n"); !strings.Contains(notes, tt.note) || tt.note == "" && notes != "" {
			t.Errorf("%s: notes %q", tt.template, notes)
		}
	}
	for _, bad := range []string{`[]`, `"x"`, `{"a":`, `{"a":1,"a":2}`, `{} {`, `{}{}`} {
		h := &prompt.Tool{Server: "audit", Tool: "check", Input: hook.RawJSON(bad), MCP: call, Codec: plain}
		if _, run := fire(t, h, toolUse(), time.Minute); kindOf(run.Err) != hook.FailureLaunch {
			t.Errorf("%s: %v", bad, run.Err)
		}
	}
}

func TestToolAnswers(t *testing.T) {
	down := errors.New("server not connected")
	for _, tt := range []struct {
		name     string
		mcp      server
		decision hook.Decision
		kind     hook.FailureKind
		want     string
	}{
		{"silent", replies("", false, nil), hook.DecisionNone, "", ""},
		{"text", replies("all good", false, nil), hook.DecisionNone, "", ""},
		{"deny", replies(`{"decision":"deny","reason":"r"}`, false, nil), hook.DecisionDeny, "", ""},
		{"an error of the tool", replies(`{"decision":"allow"}`, true, nil), hook.DecisionNone, hook.FailureError, "reports an error"},
		{"no call", replies("", false, down), hook.DecisionNone, hook.FailureError, "server not connected"},
		{"garbage", replies(`{"decision":`, false, nil), hook.DecisionNone, hook.FailureAnswer, "not one JSON object"},
		{"huge", replies(`{"decision":"allow","reason":"`+strings.Repeat("é", 1<<20)+`"}`, false, nil), hook.DecisionNone, hook.FailureAnswer, "too large"},
	} {
		out, run := fire(t, &prompt.Tool{Server: "s", Tool: "t", MCP: tt.mcp, Codec: plain}, toolUse(), time.Minute)
		if out.Decision != tt.decision || kindOf(run.Err) != tt.kind || tt.want != "" && !strings.Contains(run.Err.Error(), tt.want) {
			t.Errorf("%s: %v %v", tt.name, out.Decision, run.Err)
		}
	}
}

func TestIdentity(t *testing.T) {
	hooks := []hook.Identifier{
		&prompt.Hook{Prompt: "a"}, &prompt.Hook{Prompt: "b"}, &prompt.Hook{Prompt: "a", Agent: true}, &prompt.Hook{Prompt: "a", ModelName: "m"},
		&prompt.Hook{Prompt: "a", Origin: "p"}, &prompt.Tool{Server: "a"}, &prompt.Tool{Tool: "a"}, &prompt.Tool{Server: "a", Input: hook.RawJSON(`{"x":1}`)},
	}
	seen := map[string]int{}
	for i, h := range hooks {
		if j, dup := seen[h.Identity()]; dup {
			t.Errorf("%d and %d are the same", i, j)
		}
		seen[h.Identity()] = i
	}
	if (&prompt.Hook{Prompt: "a", Model: says("")}).Identity() != hooks[0].Identity() {
		t.Error("the model is part of the identity")
	}
}
