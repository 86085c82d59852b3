package openhands_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/hookline-dev/hookline/dialect/openhands"
	"github.com/hookline-dev/hookline/handler"
	"github.com/hookline-dev/hookline/hook"
)

// payload is what all payloads have.
func payload(event, more string) []byte {
	return fmt.Appendf(nil, `{"event_type":%q,%s"message":null,"session_id":"s","working_dir":"/p","metadata":{}}`, event, more)
}

// An agent asks, and is told no.
func Example() {
	codec := openhands.Dialect().Codec()
	in, _, err := codec.DecodeInput(payload("PreToolUse", `"tool_name":"file_editor","tool_input":{"command":"view","path":"/p/key"},"tool_response":null,`))
	if err != nil {
		fmt.Println(err)
		return
	}
	a, _, err := codec.EncodeOutcome(in, &hook.Outcome{Event: in.Event(), Decision: hook.DecisionDeny, Reason: "not the key"})
	fmt.Printf("%s: %s%v", in.Subject(), a.Stdout, err)
	// Output: Read: {"decision":"deny","reason":"not the key"}
	// <nil>
}

// TestTheEditorIsTheToolThatItIsUsedAs: a guard of one of them is asked by its name, with its
// fields; a use that nobody knows keeps the editor's name.
func TestTheEditorIsTheToolThatItIsUsedAs(t *testing.T) {
	for _, tt := range []struct{ input, tool, want string }{
		{`{"command":"create","path":"/a","file_text":"x"}`, "Write", `"file_path":"/a","content":"x"`},
		{`{"command":"str_replace","path":"/a","old_str":"x","new_str":"y"}`, "Edit", `"file_path":"/a","old_string":"x","new_string":"y"`},
		{`{"command":"insert","path":"/a","new_str":"y","insert_line":1}`, "Edit", `"file_path":"/a","new_string":"y"`},
		{`{"command":"rename","path":"/a"}`, "file_editor", `"path":"/a"`},
	} {
		in, notes, err := openhands.Dialect().Codec().DecodeInput(payload("PreToolUse", `"tool_name":"file_editor","tool_input":`+tt.input+`,"tool_response":null,`))
		if err != nil || len(notes) > 0 {
			t.Errorf("%s: %q, %v", tt.input, notes, err)
			continue
		}
		if pre := in.(*hook.PreToolUse); pre.ToolName != tt.tool || !strings.Contains(pre.ToolInput.Raw(), tt.want) {
			t.Errorf("%s is a call of %s with %s", tt.input, pre.ToolName, pre.ToolInput.Raw())
		}
	}
}

// TestAnswersOfItsSource reads answers as its code does, and writes ours so.
func TestAnswersOfItsSource(t *testing.T) {
	codec := openhands.Dialect().Codec()
	in, _, err := codec.DecodeInput(payload("PostToolUse", `"tool_name":"terminal","tool_input":{"command":"ls"},"tool_response":{"content":[{"type":"text","text":"no such file"}],"is_error":true},`))
	if err != nil {
		t.Fatal(err)
	}
	if post, ok := in.(*hook.PostToolUseFailure); !ok || post.ToolName != "Bash" || post.Error != "no such file" || post.CWD != "/p" {
		t.Errorf("read %+v", in)
	}
	pre, prompt, stop := &hook.PreToolUse{ToolName: "Bash"}, &hook.UserPromptSubmit{}, &hook.Stop{}
	for _, tt := range []struct {
		in     hook.Input
		answer handler.Answer
		want   hook.Decision
		reason string
	}{
		{pre, handler.Answer{ExitCode: 2, Stderr: []byte("no")}, hook.DecisionDeny, "no"},
		{pre, handler.Answer{Stdout: []byte(`{"decision":"deny","reason":"no"}`)}, hook.DecisionDeny, "no"},
		{prompt, handler.Answer{Stdout: []byte(`{"continue":false,"reason":"no"}`)}, hook.DecisionDeny, "no"},
		{pre, handler.Answer{Stdout: []byte(`{"decision":"allow"}`)}, hook.DecisionNone, ""},
	} {
		r, _, err := codec.DecodeResult(&hook.Call{Input: tt.in}, tt.answer)
		if err != nil || r.Decision != tt.want || r.Reason != tt.reason {
			t.Errorf("%d %s%s is %+v, %v", tt.answer.ExitCode, tt.answer.Stdout, tt.answer.Stderr, r, err)
		}
	}
	for _, tt := range []struct {
		in   hook.Input
		out  hook.Outcome
		want string
	}{
		{pre, hook.Outcome{Decision: hook.DecisionAsk, Reason: "sure?"}, `{"decision":"deny","reason":"a person would have to be asked: sure?"}`},
		{pre, hook.Outcome{Halt: true, StopReason: "spent"}, `{"decision":"deny","reason":"spent"}`},
		{prompt, hook.Outcome{Context: []string{"T-42"}}, `{"additionalContext":"T-42"}`},
		{stop, hook.Outcome{KeepGoing: true, FollowUps: []string{"test"}}, `{"decision":"deny","reason":"test"}`},
	} {
		tt.out.Event = tt.in.Event()
		a, _, err := codec.EncodeOutcome(tt.in, &tt.out)
		if got := strings.TrimSpace(string(a.Stdout)); err != nil || got != tt.want {
			t.Errorf("told %s, %v, not %s", got, err, tt.want)
		}
	}
}
