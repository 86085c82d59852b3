package crush_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/hookline-dev/hookline/dialect/crush"
	"github.com/hookline-dev/hookline/handler"
	"github.com/hookline-dev/hookline/hook"
)

// An agent asks, and is told no.
func Example() {
	codec := crush.Dialect().Codec()
	in, _, err := codec.DecodeInput([]byte(`{"event":"PreToolUse","session_id":"s","cwd":"/repo","tool_name":"view","tool_input":{"file_path":"key"}}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	a, _, err := codec.EncodeOutcome(in, &hook.Outcome{Event: in.Event(), Decision: hook.DecisionDeny, Reason: "not the key"})
	fmt.Printf("%s: %s%v", in.Subject(), a.Stdout, err)
	// Output: Read: {"decision":"deny","reason":"not the key"}
	// <nil>
}

// TestAnswersOfItsDocuments reads answers as its documents have them, and writes ours so.
func TestAnswersOfItsDocuments(t *testing.T) {
	codec := crush.Dialect().Codec()
	const sent = `{"event":"PreToolUse","session_id":"s","cwd":"/p","tool_name":"bash","tool_input":{"command":"npm test","timeout":60000}}`
	in, _, err := codec.DecodeInput([]byte(sent))
	if err != nil {
		t.Fatal(err)
	}
	pre := in.(*hook.PreToolUse)
	if pre.ToolName != "Bash" || pre.ToolInput.String("command") != "npm test" || pre.SessionID != "s" || pre.CWD != "/p" {
		t.Errorf("read %+v", pre)
	}
	for _, tt := range []struct {
		answer handler.Answer
		want   func(r hook.Result) bool
	}{
		{handler.Answer{ExitCode: 2, Stderr: []byte("no")}, func(r hook.Result) bool { return r.Decision == hook.DecisionDeny && r.Reason == "no" }},
		{handler.Answer{ExitCode: 49, Stderr: []byte("stop")}, func(r hook.Result) bool { return r.Decision == hook.DecisionDeny && r.Reason == "stop" }},
		{handler.Answer{Stdout: []byte(`{"halt":true,"reason":"enough"}`)}, func(r hook.Result) bool { return r.Continue == hook.No && r.StopReason == "enough" }},
		{handler.Answer{Stdout: []byte(`{"halt":false,"decision":"allow","reason":"LGTM"}`)}, func(r hook.Result) bool { return r.Decision == hook.DecisionAllow && r.Continue != hook.No }},
		{handler.Answer{Stdout: []byte(`{"version":1,"updated_input":{"command":"bun test"}}`)}, func(r hook.Result) bool {
			return r.UpdatedInput.Raw() == `{"command":"bun test","timeout":60000}`
		}},
	} {
		r, _, err := codec.DecodeResult(&hook.Call{Input: in}, tt.answer)
		if err != nil || !tt.want(r) {
			t.Errorf("%d %s%s is %+v, %v", tt.answer.ExitCode, tt.answer.Stdout, tt.answer.Stderr, r, err)
		}
	}
	for _, tt := range []struct {
		out  hook.Outcome
		want string
	}{
		{hook.Outcome{Decision: hook.DecisionAsk, Reason: "sure?"}, `{"decision":"deny","reason":"a person would have to be asked: sure?"}`},
		{hook.Outcome{Halt: true, StopReason: "spent"}, `{"halt":true,"reason":"spent"}`},
		{hook.Outcome{UpdatedInput: hook.RawJSON(`{"command":"true"}`), InputChanged: true}, `{"updated_input":{"command":"true","timeout":null}}`},
	} {
		tt.out.Event = hook.EventPreToolUse
		a, _, err := codec.EncodeOutcome(in, &tt.out)
		if got := strings.TrimSpace(string(a.Stdout)); err != nil || got != tt.want {
			t.Errorf("told %s, %v, not %s", got, err, tt.want)
		}
	}
}
