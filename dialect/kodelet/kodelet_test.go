package kodelet_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/hookline-dev/hookline/dialect/kodelet"
	"github.com/hookline-dev/hookline/handler"
	"github.com/hookline-dev/hookline/hook"
	"github.com/hookline-dev/hookline/hook/hooktest"
)

var codec = kodelet.Codec{Now: func() time.Time { return time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC) }}

var common = hook.Common{SessionID: "c1", CWD: "/w", InvokedBy: "main", RecipeName: "code-review"}

func TestPayloads(t *testing.T) {
	tests := []struct {
		in   hook.Input
		want string
	}{
		{
			&hook.PreToolUse{Common: common, ToolName: "Edit", ToolInput: hook.RawJSON(`{"file_path":"/a","old_string":"x","new_string":"y"}`), ToolUseID: "t1"},
			`{"event":"before_tool_call","conv_id":"c1","cwd":"/w","invoked_by":"main","recipe_name":"code-review","tool_name":"file_edit","tool_input":{"file_path":"/a","old_text":"x","new_text":"y"},"tool_user_id":"t1"}`,
		},
		{
			&hook.PreToolUse{Common: hook.Common{SessionID: "c", CWD: "/", AgentID: "a"}, ToolName: "Bash", ToolInput: hook.RawJSON(`{"command":"ls","timeout":1500}`)},
			`{"event":"before_tool_call","conv_id":"c","cwd":"/","invoked_by":"subagent","tool_name":"bash","tool_input":{"command":"ls","timeout":2}}`,
		},
		{
			&hook.PostToolUse{Common: common, ToolName: "Bash", ToolInput: hook.RawJSON(`{"command":"ls"}`), ToolResponse: hook.RawJSON(`{"stdout":"a\n","stderr":"b"}`), DurationMS: 1.5},
			`{"event":"after_tool_call","conv_id":"c1","cwd":"/w","invoked_by":"main","recipe_name":"code-review","tool_name":"bash","tool_input":{"command":"ls"},"tool_output":{"toolName":"bash","success":true,"metadataType":"bash","metadata":{"command":"ls","exitCode":0,"output":"a\nb","executionTime":1500000,"workingDir":"/w"},"timestamp":"2026-01-02T03:04:05Z"}}`,
		},
		{
			&hook.PostToolUseFailure{Common: common, ToolName: "mcp__x__y", ToolInput: hook.RawJSON(`{}`), Error: "boom"},
			`{"event":"after_tool_call","conv_id":"c1","cwd":"/w","invoked_by":"main","recipe_name":"code-review","tool_name":"mcp__x__y","tool_input":{},"tool_output":{"toolName":"mcp__x__y","success":false,"error":"boom","timestamp":"2026-01-02T03:04:05Z"}}`,
		},
		{
			&hook.UserPromptSubmit{Common: common, Prompt: ""},
			`{"event":"user_message_send","conv_id":"c1","cwd":"/w","invoked_by":"main","recipe_name":"code-review","message":""}`,
		},
		{
			&hook.Stop{Common: common, Messages: []hook.Message{hook.UserMessage("hi")}},
			`{"event":"agent_stop","conv_id":"c1","cwd":"/w","invoked_by":"main","recipe_name":"code-review","messages":[{"role":"user","content":"hi"}]}`,
		},
		{
			&hook.Stop{Common: common, Messages: []hook.Message{
				{Role: "assistant", Content: hook.RawJSON(`[{"type":"thinking","thinking":"\nhm"},{"type":"text","text":"look"},{"type":"tool_use","id":"t","name":"Write","input":{"file_path":"/a","content":"<x>"}}]`)},
				{Role: "user", Content: hook.RawJSON(`[{"type":"tool_result","tool_use_id":"t","content":[{"type":"text","text":"written"}]},{"type":"tool_result","tool_use_id":"u","content":"ok"}]`)},
			}},
			`{"event":"agent_stop","conv_id":"c1","cwd":"/w","invoked_by":"main","recipe_name":"code-review","messages":[{"role":"assistant","content":"💭 Thinking: hm"},{"role":"assistant","content":"look"},` +
				`{"role":"assistant","content":"🔧 Using tool: file_write with input: {\"file_path\":\"/a\",\"text\":\"<x>\"}"},{"role":"assistant","content":"🔄 Tool result:\nwritten"},{"role":"assistant","content":"🔄 Tool result:\nok"}]}`,
		},
		{
			&hook.SubagentStop{Common: common, LastAssistantMessage: "done", Messages: []hook.Message{hook.UserMessage("hi")}},
			`{"event":"agent_stop","conv_id":"c1","cwd":"/w","invoked_by":"main","recipe_name":"code-review","messages":[{"role":"user","content":"hi"}]}`,
		},
		{
			&hook.TurnEnd{Common: common, TurnIndex: 0, Response: "done"},
			`{"event":"turn_end","conv_id":"c1","cwd":"/w","invoked_by":"main","recipe_name":"code-review","response":"done","turn_number":1}`,
		},
	}
	for _, tt := range tests {
		b, err := codec.Encode(tt.in)
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(tt.want+"\n", string(b)); d != "" {
			t.Error(d)
		}
	}
	if _, err := codec.Encode(&hook.SessionStart{}); !errors.Is(err, kodelet.ErrNoType) {
		t.Errorf("SessionStart: %v", err)
	}
}

func decode(in hook.Input, a handler.Answer) (hook.Result, []string, error) {
	return codec.DecodeResult(&hook.Call{Input: in}, a)
}

func TestAnswers(t *testing.T) {
	pre := &hook.PreToolUse{ToolName: "Write", ToolInput: hook.RawJSON(`{"file_path":"/a","content":"x"}`)}
	tests := []struct {
		name   string
		in     hook.Input
		stdout string
		want   hook.Result
		notes  int
	}{
		{"empty is not an action", pre, "", hook.Result{}, 0},
		{"not blocked", pre, `{"blocked": false}`, hook.Result{}, 0},
		{"success is what observers print", &hook.TurnEnd{}, `{"success": true}`, hook.Result{}, 0},
		{"blocked", pre, `{"blocked":true,"reason":"no"}`, hook.Deny("no"), 0},
		{"names in any case", pre, `{"Blocked":true,"REASON":"no"}`, hook.Deny("no"), 0},
		{"replaced input", pre, `{"blocked":false,"input":{"file_path":"/b","text":"y"}}`, hook.Result{UpdatedInput: hook.RawJSON(`{"file_path":"/b","content":"y"}`)}, 0},
		{"null input is unchanged", pre, `{"blocked":false,"input":null}`, hook.Result{}, 0},
		{"follow-ups", &hook.Stop{}, `{"follow_up_messages":["a","b"]}`, hook.Result{FollowUps: []string{"a", "b"}}, 0},
		{"blocked at the end counts for nothing", &hook.Stop{}, `{"blocked":true,"reason":"no"}`, hook.Result{}, 1},
		{"blocked after a tool counts for nothing", &hook.PostToolUse{}, `{"blocked":true,"reason":"no"}`, hook.Result{}, 1},
		{"unknown key", pre, `{"block":true}`, hook.Result{}, 1},
		{"byte order mark and line ends", pre, "\ufeff{\"blocked\":true,\"reason\":\"r\"}\r\n", hook.Deny("r"), 0},
		{
			"replaced output", &hook.PostToolUse{ToolName: "Bash"}, `{"output":{"toolName":"bash","success":true,"metadataType":"bash","metadata":{"output":"[redacted]","exitCode":0},"timestamp":"2026-01-02T03:04:05Z"}}`,
			hook.Result{UpdatedOutput: hook.RawJSON(`{"stdout":"[redacted]","stderr":"","interrupted":false,"isImage":false,"exitCode":0}`)},
			0,
		},
		{
			"output that turns a success into an error", &hook.PostToolUse{ToolName: "X"}, `{"output":{"toolName":"X","success":false,"error":"rejected","timestamp":"2026-01-02T03:04:05Z"}}`,
			hook.Result{UpdatedOutput: hook.MustJSON("rejected"), IsError: hook.Yes},
			0,
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, notes, err := decode(tt.in, handler.Answer{Stdout: []byte(tt.stdout)})
			if err != nil || len(notes) != tt.notes {
				t.Errorf("err %v, notes %q", err, notes)
			}
			if d := cmp.Diff(tt.want, got, cmp.AllowUnexported(hook.JSON{})); d != "" {
				t.Error(d)
			}
		})
	}
}

func TestWhatIsNoAnswerIsAFailure(t *testing.T) {
	pre := &hook.PreToolUse{ToolName: "Bash"}
	for name, tt := range map[string]struct {
		a    handler.Answer
		kind hook.FailureKind
	}{
		"exit code beats a block":       {handler.Answer{ExitCode: 1, Stdout: []byte(`{"blocked":true}`), Stderr: []byte("trace\nValueError: x\n")}, hook.FailureExit},
		"signal":                        {handler.Answer{ExitCode: -1, Signal: "killed"}, hook.FailureSignal},
		"text":                          {handler.Answer{Stdout: []byte("hello")}, hook.FailureAnswer},
		"array":                         {handler.Answer{Stdout: []byte(`["blocked"]`)}, hook.FailureAnswer},
		"blocked is a word":             {handler.Answer{Stdout: []byte(`{"blocked":"yes"}`)}, hook.FailureAnswer},
		"duplicate key in another case": {handler.Answer{Stdout: []byte(`{"blocked":true,"Blocked":false}`)}, hook.FailureAnswer},
		"duplicate key":                 {handler.Answer{Stdout: []byte(`{"blocked":true,"blocked":false}`)}, hook.FailureAnswer},
		"duplicate key inside":          {handler.Answer{Stdout: []byte(`{"input":{"command":"ls","command":"rm"}}`)}, hook.FailureAnswer},
		"duplicate unknown key":         {handler.Answer{Stdout: []byte(`{"x":1,"x":2}`)}, hook.FailureAnswer},
		"two documents":                 {handler.Answer{Stdout: []byte(`{"blocked":false}{"blocked":true}`)}, hook.FailureAnswer},
		"truncated":                     {handler.Answer{Stdout: []byte(`{}`), StdoutTruncated: true}, hook.FailureAnswer},
		"input is not an object":        {handler.Answer{Stdout: []byte(`{"input":"rm"}`)}, hook.FailureAnswer},
		"invalid UTF-8":                 {handler.Answer{Stdout: []byte("{\"reason\":\"\xff\"}")}, hook.FailureAnswer},
	} {
		res, _, err := decode(pre, tt.a)
		f, ok := errors.AsType[*hook.Failure](err)
		if !ok || f.Kind != tt.kind || res.Decision != hook.DecisionNone {
			t.Errorf("%s: %v, %v", name, err, res.Decision)
		}
	}
}

func TestPayloadsWithDuplicateKeys(t *testing.T) {
	for _, text := range []string{
		`{"event":"before_tool_call","event":"turn_end"}`,
		`{"event":"before_tool_call","tool_name":"file_read","tool_name":"bash"}`,
		`{"event":"before_tool_call","tool_name":"file_read","tool_n\u0061me":"bash"}`,
		`{"event":"after_tool_call","tool_output":{"toolName":"bash","success":true,"success":false,"timestamp":"2026-01-02T03:04:05Z"}}`,
		`{"event":"agent_stop","messages":[{"role":"user","content":"a"},{"role":"user","role":"assistant","content":"b"}]}`,
	} {
		if in, _, err := codec.DecodeInput([]byte(text)); err == nil || !strings.Contains(err.Error(), "duplicate key") {
			t.Errorf("%s became %+v, %v", text, in, err)
		}
	}
	// What a model wrote, and what a tool returned, reaches hooks as it is.
	input := `{"x":1,"x":"\ud800"}`
	in, _, err := codec.DecodeInput([]byte(`{"event":"before_tool_call","tool_name":"mcp__a__b","tool_input":` + input + `}`))
	if pre, ok := in.(*hook.PreToolUse); err != nil || !ok || pre.ToolInput.Raw() != input {
		t.Errorf("%+v, %v", in, err)
	}
	in, _, err = codec.DecodeInput([]byte(`{"event":"after_tool_call","tool_output":{"toolName":"x","success":true,"metadata":` + input + `,"timestamp":"2026-01-02T03:04:05Z"}}`))
	if post, ok := in.(*hook.PostToolUse); err != nil || !ok || post.ToolResponse.Raw() != input {
		t.Errorf("%+v, %v", in, err)
	}
	in, _, err = codec.DecodeInput([]byte("{\"event\":\"agent_stop\",\"messages\":[{\"role\":\"assistant\",\"content\":\"a\xff\"}]}"))
	if stop, ok := in.(*hook.Stop); err != nil || !ok || !strings.HasPrefix(stop.LastAssistantMessage, "a") {
		t.Errorf("%+v, %v", in, err)
	}
}

func TestToolVocabularyRoundTrips(t *testing.T) {
	for _, tool := range (kodelet.Dialect{}).Tools() {
		input := hook.RawJSON(`{"keep":9007199254740993}`)
		for _, f := range tool.Fields {
			_ = input.Set(f.Canonical, 3000)
		}
		name, out := kodelet.Dialect{}.Tools().Out(tool.Canonical, input)
		back, in := kodelet.Dialect{}.Tools().In(name, out)
		if in != input || back != tool.Canonical && tool.Canonical != "Task" || name == tool.Canonical {
			t.Errorf("%s: %s -> %s %s -> %s %s", tool.Canonical, input.Raw(), name, out.Raw(), back, in.Raw())
		}
	}
	if name, in := (kodelet.Dialect{}).Tools().Out("mcp__a__b", hook.RawJSON(`{"a":1}`)); name != "mcp__a__b" || in.Raw() != `{"a":1}` {
		t.Errorf("an unknown tool became %s %s", name, in.Raw())
	}
}

// What a hook made of a result arrives at a kodelet host as the hook wrote it.
func TestReplacedErrorsAreToldAsErrors(t *testing.T) {
	out := &hook.Outcome{UpdatedOutput: hook.MustJSON("rejected"), IsError: hook.Yes}
	a, _, err := codec.EncodeOutcome(&hook.PostToolUse{ToolName: "Bash"}, out)
	want := `{"output":{"toolName":"bash","success":false,"error":"rejected","timestamp":"2026-01-02T03:04:05Z"}}` + "\n"
	if err != nil || string(a.Stdout) != want {
		t.Errorf("err %v, told\n%s, want\n%s", err, a.Stdout, want)
	}
	failed := &hook.PostToolUseFailure{ToolName: "Bash", Error: "boom"}
	if a, _, err := codec.EncodeOutcome(failed, out); err != nil || string(a.Stdout) != want {
		t.Errorf("err %v, told of a failed call\n%s, want\n%s", err, a.Stdout, want)
	}
}

func TestConformance(t *testing.T) {
	hooktest.TestCodec(t, hooktest.Codec{
		Events:      []hook.Event{hook.EventPreToolUse, hook.EventPostToolUse, hook.EventPostToolUseFailure, hook.EventUserPromptSubmit, hook.EventStop, hook.EventTurnEnd},
		EncodeInput: codec.Encode,
		DecodeInput: func(data []byte) (hook.Input, error) { in, _, err := codec.DecodeInput(data); return in, err },
		EncodeOutcome: func(in hook.Input, out *hook.Outcome) ([]byte, []byte, int, error) {
			if in.Event() == hook.EventStop {
				out.KeepGoing = out.Decision == hook.DecisionDeny
			}
			a, _, err := codec.EncodeOutcome(in, out)
			return a.Stdout, nil, 0, err
		},
		DecodeResult: func(in hook.Input, stdout, stderr []byte, exit int) (hook.Result, error) {
			r, _, err := decode(in, handler.Answer{ExitCode: exit, Stdout: stdout, Stderr: stderr})
			switch in.Event() { // these have no block of their own; what a host does with one is tested elsewhere
			case hook.EventPostToolUse, hook.EventPostToolUseFailure:
				r.Decision, r.Context = hook.DecisionDeny, []string{"remember"}
			case hook.EventUserPromptSubmit, hook.EventPreToolUse, hook.EventStop:
				r.Context = []string{"remember"}
			}
			return r, err
		},
		Input: func(ev hook.Event) hook.Input {
			switch ev {
			case hook.EventPreToolUse:
				return &hook.PreToolUse{Common: common, ToolName: "Write", ToolInput: hook.RawJSON(`{"file_path":"/a","content":"x","id":9007199254740993}`), ToolUseID: "t"}
			case hook.EventPostToolUse:
				return &hook.PostToolUse{Common: common, ToolName: "mcp__x", ToolInput: hook.RawJSON(`{}`), ToolResponse: hook.RawJSON(`{"rows":[1],"id":9007199254740993}`), ToolUseID: "t"}
			case hook.EventPostToolUseFailure:
				return &hook.PostToolUseFailure{Common: common, ToolName: "mcp__x", ToolInput: hook.RawJSON(`{}`), ToolUseID: "t", Error: "boom"}
			case hook.EventUserPromptSubmit:
				return &hook.UserPromptSubmit{Common: common, Prompt: "hi"}
			case hook.EventStop:
				return &hook.Stop{Common: common, Messages: []hook.Message{hook.UserMessage("a"), {Role: "assistant", Content: hook.MustJSON("b")}}, LastAssistantMessage: "b"}
			default:
				return &hook.TurnEnd{Common: common, TurnIndex: 2, Response: "r"}
			}
		},
	})
}

type memory struct {
	hook.Session
	msgs []hook.Message
}

func (m *memory) SetMessages(msgs []hook.Message) error { m.msgs = msgs; return nil }

func TestSwapContextOnce(t *testing.T) {
	reg := hook.NewRegistry()
	regs, err := kodelet.DefaultBuiltins().Registrations(kodelet.RecipeHook{Recipe: "compact", Type: kodelet.TurnEnd, Handler: "swap_context", Once: true, Source: "compact.md:4"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := reg.AddAll(regs); err != nil {
		t.Fatal(err)
	}
	e := hook.New(reg)
	defer e.Close()
	live := &memory{msgs: []hook.Message{hook.UserMessage("a"), hook.UserMessage("b")}}
	for i, text := range []string{"", "summary", "second"} { // a turn without words ends none
		in := &hook.TurnEnd{Common: hook.Common{SessionID: "s", Live: live}, TurnIndex: i, Response: text}
		if out, err := e.Fire(context.Background(), in); err != nil || out.Runs[0].Err != nil {
			t.Fatal(err, out.Runs[0].Err)
		}
	}
	if len(live.msgs) != 1 || live.msgs[0].Text() != "summary" {
		t.Errorf("messages %v", live.msgs)
	}
	_, err = kodelet.DefaultBuiltins().Registrations(kodelet.RecipeHook{Recipe: "r", Type: kodelet.TurnEnd, Handler: "nope"})
	if u, ok := errors.AsType[*kodelet.UnknownBuiltinError](err); !ok || !slices.Contains(u.Known, "swap_context") {
		t.Errorf("err %v", err)
	}
	if _, err := kodelet.SwapContext(t.Context(), &hook.TurnEnd{Response: "x"}); err == nil || !strings.Contains(err.Error(), "no session") {
		t.Errorf("without a session: %v", err)
	}
}

func FuzzDecode(f *testing.F) {
	for _, s := range []string{`{"blocked":true,"reason":"x"}`, `{"input":{"a":1}}`, `{"output":{"toolName":"bash","success":true,"metadataType":"bash","metadata":{"output":1}}}`, `{"event":"after_tool_call","tool_output":{}}`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, in := range []hook.Input{&hook.PreToolUse{ToolName: "Write"}, &hook.PostToolUse{ToolName: "Bash"}, &hook.Stop{}} {
			res, _, err := decode(in, handler.Answer{Stdout: data})
			if err != nil && res.Decision != hook.DecisionNone {
				t.Fatalf("%q: a failure with a decision", data)
			}
		}
		if in, _, err := codec.DecodeInput(data); err == nil {
			if _, err := codec.Encode(in); err != nil {
				t.Fatal(err)
			}
		}
	})
}

// The payload that an executable hook reads.
func ExampleCodec_Encode() {
	b, err := kodelet.Codec{}.Encode(&hook.PreToolUse{
		Common:   hook.Common{SessionID: "c1", CWD: "/work"},
		ToolName: "Write", ToolInput: hook.RawJSON(`{"file_path":"/work/a","content":"x"}`),
	})
	if err != nil {
		panic(err)
	}
	fmt.Print(string(b))
	// Output: {"event":"before_tool_call","conv_id":"c1","cwd":"/work","invoked_by":"main","tool_name":"file_write","tool_input":{"file_path":"/work/a","text":"x"}}
}
