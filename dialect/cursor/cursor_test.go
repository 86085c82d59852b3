package cursor_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hookline-dev/hookline/diag"
	"github.com/hookline-dev/hookline/dialect"
	"github.com/hookline-dev/hookline/dialect/cursor"
	"github.com/hookline-dev/hookline/handler"
	"github.com/hookline-dev/hookline/hook"
)

func Example() {
	codec := cursor.Dialect().Codec()
	in, _, err := codec.DecodeInput([]byte(`{"hook_event_name":"beforeShellExecution","conversation_id":"c","command":"git push","cwd":"","workspace_roots":["/repo"]}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	a, _, err := codec.EncodeOutcome(in, &hook.Outcome{Event: in.Event(), Decision: hook.DecisionAsk, Reason: "sure?"})
	fmt.Printf("%s in %s: %s%v", in.Subject(), in.Base().CWD, a.Stdout, err)
	// Output: Bash in /repo: {"permission":"ask","user_message":"sure?"}
	// <nil>
}

func TestPayloadsOfSingleTools(t *testing.T) {
	for _, tt := range []struct{ payload, tool, want string }{
		{`{"hook_event_name":"beforeMCPExecution","conversation_id":"c","tool_name":"query","tool_input":"{\"n\":12345678901234567890.0}"}`, "MCP:query", `"tool_input":{"n":12345678901234567890.0}`},
		{`{"hook_event_name":"beforeReadFile","conversation_id":"c","file_path":"/a","content":"x"}`, "Read", `"tool_input":{"file_path":"/a"}`},
		{`{"hook_event_name":"afterShellExecution","conversation_id":"c","command":"ls","output":"a\n","duration":1.5}`, "Bash", `"stdout":"a\n"`},
		{`{"hook_event_name":"postToolUse","conversation_id":"c","tool_name":"Shell","tool_input":{"command":"ls"},"tool_output":"{\"exitCode\":0,\"big\":9007199254740993}","duration":1.5}`, "Bash", `"big":9007199254740993`},
		{`{"hook_event_name":"preToolUse","conversation_id":"c","tool_name":"Write","tool_input":{"file_path":"/a","contents":"x"}}`, "Write", `"content":"x"`},
		{`{"hook_event_name":"stop","conversation_id":"c","status":"error","loop_count":0}`, "error", `"error":"error"`},
	} {
		in, notes, err := cursor.Dialect().Codec().DecodeInput([]byte(tt.payload))
		if err != nil || len(notes) > 0 {
			t.Errorf("%s: %v %q", tt.payload, err, notes)
			continue
		}
		b, _ := hook.MarshalInput(in)
		if in.Subject() != tt.tool || !strings.Contains(string(b), tt.want) {
			t.Errorf("%s became %s", tt.payload, b)
		}
		back, err := cursor.Dialect().Codec().EncodeInput(&hook.Call{Input: in})
		for _, key := range []string{"tool_name", "tool_input", "command", "file_path", "output", "tool_output"} {
			was, ok := hook.RawJSON(tt.payload).Get(key)
			if is, _ := hook.RawJSON(back).Get(key); err != nil || ok && is != was {
				t.Errorf("%s of %s became %s, %v", key, tt.payload, back, err)
			}
		}
	}
}

func TestAnswers(t *testing.T) {
	pre := &hook.PreToolUse{ToolName: "Bash", ToolInput: hook.RawJSON(`{"command":"ls"}`)}
	for _, tt := range []struct {
		in   hook.Input
		out  hook.Outcome
		want string
	}{
		{pre, hook.Outcome{Decision: hook.DecisionDeny, Reason: "no"}, `{"permission":"deny","user_message":"no"}`},
		{pre, hook.Outcome{Decision: hook.DecisionAsk, Reason: "sure?"}, `{"permission":"deny","user_message":"a person would have to be asked: sure?"}`},
		{pre, hook.Outcome{UpdatedInput: hook.RawJSON(`{"command":"x"}`)}, `{"updated_input":{"command":"x"}}`},
		{pre, hook.Outcome{}, `{}`},
		{&hook.UserPromptSubmit{}, hook.Outcome{Decision: hook.DecisionDeny, Reason: "no"}, `{"continue":false,"user_message":"no"}`},
		{&hook.Stop{}, hook.Outcome{KeepGoing: true, FollowUps: []string{"test"}}, `{"followup_message":"test"}`},
	} {
		tt.out.Event = tt.in.Event()
		a, _, err := cursor.Dialect().Codec().EncodeOutcome(tt.in, &tt.out)
		if err != nil || strings.TrimSpace(string(a.Stdout)) != tt.want {
			t.Errorf("%+v became %s, %v", tt.out, a.Stdout, err)
		}
	}
	r, _, err := cursor.Dialect().Codec().DecodeResult(&hook.Call{Input: &hook.UserPromptSubmit{}}, handler.Answer{Stdout: []byte(`{"continue":false,"user_message":"no"}`)})
	if err != nil || r.Decision != hook.DecisionDeny || r.Reason != "no" {
		t.Errorf("%+v, %v", r, err)
	}
}

func TestFiles(t *testing.T) {
	for _, tt := range []struct {
		text, says string
		line       int
	}{
		{`{"version":1,"hooks":{"beforeShellExecution":[{"command":"a","matcher":"rm -rf","failClosed":true,"timeout":30}],"stop":[{"command":"b"}]}}`, "", 0},
		{"{\n\"hooks\":{\"stop\":[{\"command\":\"b\"}]}}", "version must be 1, it has none", 1},
		{"{\n\"version\": 2,\"hooks\":{\"stop\":[{\"command\":\"b\"}]}}", "version must be 1, it is 2", 2},
		{`{"version":1,"hooks":{"preTolUse":[{"command":"b"}]}}`, `unknown event "preTolUse"`, 1},
		{`{"version":1,"hooks":{"preToolUse":[{"type":"prompt","prompt":"b"}]}}`, "hooks of type", 1},
		{`{"version":1,"hooks":{"preToolUse":[{"command":"b","timeout":"x"}]}}`, "timeout must be a number", 1},
		{`{"version":1,"hooks":{"preToolUse":[{"hooks":[{"command":"b"}]}]}}`, "no groups here", 1},
	} {
		path := filepath.Join(t.TempDir(), ".cursor", "hooks.json")
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(tt.text), 0o644); err != nil {
			t.Fatal(err)
		}
		list, ok, err := cursor.Dialect().(dialect.Files).CheckFile(path)
		if err != nil || !ok {
			t.Fatal(ok, err)
		}
		if tt.says == "" && len(list) == 0 {
			continue
		}
		if tt.says == "" || len(list) != 1 || list[0].Severity != diag.Error || !strings.Contains(list[0].Message, tt.says) || list[0].Line != tt.line {
			t.Errorf("%s: %+v", tt.text, list)
		}
	}
}

func FuzzCodec(f *testing.F) {
	f.Add([]byte(`{"hook_event_name":"beforeMCPExecution","tool_name":"a__b","tool_input":"{"}`), []byte(`{"permission":"deny"}`), 0)
	f.Add([]byte(`{"hook_event_name":"stop","workspace_roots":[[]]}`), []byte(`{"followup_message":""}`), 2)
	f.Fuzz(func(t *testing.T, payload, stdout []byte, exit int) {
		codec := cursor.Dialect().Codec()
		in, _, err := codec.DecodeInput(payload)
		if err != nil {
			return
		}
		if _, err := codec.EncodeInput(&hook.Call{Input: in}); err != nil {
			t.Fatal(err)
		}
		_, _, _ = codec.DecodeResult(&hook.Call{Input: in}, handler.Answer{Stdout: stdout, ExitCode: exit})
	})
}
