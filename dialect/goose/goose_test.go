package goose_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/hookline-dev/hookline/dialect/goose"
	"github.com/hookline-dev/hookline/handler"
	"github.com/hookline-dev/hookline/hook"
)

// An agent asks, and is told no.
func Example() {
	codec := goose.Dialect().Codec()
	in, _, err := codec.DecodeInput([]byte(`{"event":"PreToolUse","session_id":"s","matcher_context":"developer__edit","tool_name":"developer__edit","tool_input":{"path":"key","before":"a","after":"b"},"working_dir":"/repo"}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	a, _, err := codec.EncodeOutcome(in, &hook.Outcome{Event: in.Event(), Decision: hook.DecisionDeny, Reason: "not the key"})
	fmt.Printf("%s: %s%v", in.Subject(), a.Stdout, err)
	// Output: Edit: {"decision":"block","reason":"not the key"}
	// <nil>
}

// TestAnswersOfItsDocuments reads answers as its documents have them, and writes ours so.
func TestAnswersOfItsDocuments(t *testing.T) {
	codec := goose.Dialect().Codec()
	in, notes, err := codec.DecodeInput([]byte(`{"event":"PreToolUse","session_id":"s","matcher_context":"developer__shell","tool_call_id":"c","tool_name":"developer__shell","tool_input":{"command":"rg TODO","timeout_secs":5},"working_dir":"/p"}`))
	if err != nil || len(notes) > 0 {
		t.Fatal(notes, err)
	}
	pre := in.(*hook.PreToolUse)
	if pre.ToolName != "Bash" || pre.ToolInput.Raw() != `{"command":"rg TODO","timeout":5000}` || pre.CWD != "/p" || pre.ToolUseID != "c" {
		t.Errorf("read %+v", pre)
	}
	for _, tt := range []struct {
		answer handler.Answer
		want   hook.Decision
		reason string
	}{
		{handler.Answer{ExitCode: 2, Stderr: []byte("no")}, hook.DecisionDeny, "no"},
		{handler.Answer{ExitCode: 1, Stdout: []byte(`{"decision":"block","reason":"no"}`)}, hook.DecisionDeny, "no"},
		{handler.Answer{Stdout: []byte(`{"decision":"allow"}`)}, hook.DecisionNone, ""},
		{handler.Answer{}, hook.DecisionNone, ""},
	} {
		r, _, err := codec.DecodeResult(&hook.Call{Input: in}, tt.answer)
		if err != nil || r.Decision != tt.want || r.Reason != tt.reason {
			t.Errorf("%d %s%s is %+v, %v", tt.answer.ExitCode, tt.answer.Stdout, tt.answer.Stderr, r, err)
		}
	}
	if r, _, err := codec.DecodeResult(&hook.Call{Input: in}, handler.Answer{ExitCode: 1}); err == nil {
		t.Errorf("a hook that ended with 1 said %+v", r)
	}
	for _, tt := range []struct {
		in   hook.Input
		out  hook.Outcome
		want string
	}{
		{in, hook.Outcome{}, ``}, // since {} is not a decision, which is a deny
		{in, hook.Outcome{Decision: hook.DecisionAllow}, ``},
		{in, hook.Outcome{Decision: hook.DecisionAsk, Reason: "sure?"}, `{"decision":"block","reason":"a person would have to be asked: sure?"}`},
		{in, hook.Outcome{Halt: true, StopReason: "spent"}, `{"decision":"block","reason":"spent"}`},
		{&hook.Stop{}, hook.Outcome{KeepGoing: true, FollowUps: []string{"test"}}, `{"decision":"block","reason":"test"}`},
	} {
		tt.out.Event = tt.in.Event()
		a, _, err := codec.EncodeOutcome(tt.in, &tt.out)
		if got := strings.TrimSpace(string(a.Stdout)); err != nil || a.ExitCode != 0 || got != tt.want {
			t.Errorf("told %s, %v, not %s", got, err, tt.want)
		}
	}
}
