package copilot_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hookline-dev/hookline/diag"
	"github.com/hookline-dev/hookline/dialect"
	"github.com/hookline-dev/hookline/dialect/copilot"
	"github.com/hookline-dev/hookline/handler"
	"github.com/hookline-dev/hookline/hook"
)

var codec = copilot.Dialect().Codec()

func Example() {
	named := copilot.Dialect().Codec().(dialect.EventCodec)
	in, _, err := named.DecodeEvent("preToolUse", []byte(`{"sessionId":"s","timestamp":1,"toolName":"create","toolArgs":"{\"path\":\"/a\",\"file_text\":\"x\"}"}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	out := &hook.Outcome{Event: in.Event(), UpdatedInput: hook.RawJSON(`{"file_path":"/b","content":"x"}`)}
	a, _, err := named.EncodeOutcome(in, out)
	fmt.Printf("%v %s %s %v", in.Event(), in.Subject(), a.Stdout, err)
	// Output: PreToolUse Write {"modifiedArgs":{"path":"/b","file_text":"x"}}
	//  <nil>
}

// TestTheAnswerHasTheFormOfThePayload puts the same refusal to each of the forms, all of
// which come for one event's name.
func TestTheAnswerHasTheFormOfThePayload(t *testing.T) {
	for _, tt := range []struct{ sentFor, payload, want string }{
		{"preToolUse", `{"sessionId":"s","timestamp":1,"toolName":"bash","toolArgs":{"command":"ls"}}`, `{"permissionDecision":"deny","permissionDecisionReason":"no"}`},
		{"preToolUse", `{"hook_event_name":"PreToolUse","timestamp":"t","tool_name":"Bash","tool_input":{}}`, `{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"no"}}`},
		{"preToolUse", `{"hookEventName":"PreToolUse","timestamp":"t","tool_name":"run_in_terminal","tool_input":{}}`, `{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"no"}}`},
		{"agentStop", `{"sessionId":"s","timestamp":1,"stopReason":"end_turn"}`, `{"decision":"block","reason":"no"}`},
		{"agentStop", `{"hookEventName":"Stop","timestamp":"t"}`, `{"hookSpecificOutput":{"hookEventName":"Stop","decision":"block","reason":"no"}}`},
		{"subagentStart", `{"sessionId":"s","timestamp":1,"agentName":"explore"}`, `{}`},
		{"notification", `{"sessionId":"s","timestamp":1,"hook_event_name":"Notification","message":"m","notification_type":"agent_idle"}`, `{}`},
	} {
		in, notes, err := codec.(dialect.EventCodec).DecodeEvent(tt.sentFor, []byte(tt.payload))
		if err != nil || len(notes) > 0 {
			t.Errorf("%s: %v %q", tt.payload, err, notes)
			continue
		}
		out := &hook.Outcome{Event: in.Event()}
		if in.Event().Spec().CanBlock() {
			out.Decision, out.Reason, out.KeepGoing = hook.DecisionDeny, "no", in.Event().Spec().KeepsGoing()
		}
		a, _, err := codec.EncodeOutcome(in, out)
		if err != nil || strings.TrimSpace(string(a.Stdout)) != tt.want {
			t.Errorf("%s became %s, %v", tt.payload, a.Stdout, err)
		}
	}
	if _, _, err := codec.DecodeInput([]byte(`{"sessionId":"s","timestamp":1,"agentName":"explore"}`)); err == nil {
		t.Error("a payload that says nothing of its event was read without its name")
	}
}

func TestAnswersAreReadAsTheHostReadsThem(t *testing.T) {
	pre, stop := &hook.PreToolUse{ToolName: "Bash"}, &hook.Stop{}
	for _, tt := range []struct {
		name           string
		in             hook.Input
		stdout, stderr string
		exit           int
		want           hook.Decision
		reason, fails  string
	}{
		{name: "a deny", in: pre, stdout: `{"permissionDecision":"deny","permissionDecisionReason":"r"}`, want: hook.DecisionDeny, reason: "r"},
		{name: "a question", in: pre, stdout: `{"permissionDecision":"ask","permissionDecisionReason":"r"}`, want: hook.DecisionAsk, reason: "r"},
		{name: "what goes on is shown before", in: pre, stdout: "{\"type\": \"progress\", \"message\": \"wait\"}\n{\"permissionDecision\":\"deny\",\"permissionDecisionReason\":\"r\"}\n", want: hook.DecisionDeny, reason: "r"},
		{name: "every exit code refuses, beside an allow too", in: pre, stdout: `{"permissionDecision":"allow"}`, stderr: "r", exit: 1, want: hook.DecisionDeny, reason: "r"},
		{name: "Claude Code's form means nothing", in: pre, stdout: `{"hookSpecificOutput":{"permissionDecision":"deny"}}`},
		{name: "two answers are none", in: pre, stdout: `{"permissionDecision":"allow"}{"permissionDecision":"allow"}`, fails: "not one JSON object"},
		{name: "keep going", in: stop, stdout: `{"decision":"block","reason":"r"}`, want: hook.DecisionDeny, reason: "r"},
		{name: "an exit code is a failure elsewhere", in: stop, stderr: "r", exit: 2, fails: "exit code 2: r"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r, _, err := codec.DecodeResult(&hook.Call{Input: tt.in}, handler.Answer{Stdout: []byte(tt.stdout), Stderr: []byte(tt.stderr), ExitCode: tt.exit})
			if tt.fails != "" {
				if err == nil || !strings.Contains(err.Error(), tt.fails) {
					t.Errorf("%+v, %v", r, err)
				}
				return
			}
			if err != nil || r.Decision != tt.want || r.Reason != tt.reason {
				t.Errorf("%+v, %v", r, err)
			}
		})
	}
}

func TestFiles(t *testing.T) {
	good := map[string]string{}
	if dir := os.Getenv("HOOKLINE_FIXTURES"); dir != "" {
		data, err := os.ReadFile(filepath.Join(dir, "hosts", "copilot", "1password-hooks.json"))
		if err != nil {
			t.Fatal(err)
		}
		good["of the fixtures"] = string(data)
	}
	good["flat"] = `{"version":1,"hooks":{"preToolUse":[{"type":"command","bash":"a","powershell":"b","timeoutSec":5,"matcher":"bash|edit"}],"Stop":[{"command":"c"}]}}`
	for name, text := range good {
		if list := check(t, text); len(list) > 0 {
			t.Errorf("%s: %+v", name, list)
		}
	}
	for _, tt := range []struct{ text, says string }{
		{`{"hooks":{"preToolUse":[{"bash":"a"}]}}`, "version must be 1"},
		{`{"version":1,"hooks":{"preToolUse":[{"matcher":"Bash","hooks":[{"type":"command","command":"a"}]}]}}`, "no groups here"},
		{`{"version":1,"hooks":{"preToolUse":[{"type":"http","url":"https://x"}]}}`, "hooks of type"},
		{`{"version":1,"hooks":{"preTolUse":[{"bash":"a"}]}}`, `unknown event "preTolUse"`},
		{`{"version":1,"hooks":{"preToolUse":[{"bash":"a","matcher":"("}]}}`, "it was not loaded"},
	} {
		list := check(t, tt.text)
		if len(list) != 1 || list[0].Severity != diag.Error || !strings.Contains(list[0].Message, tt.says) || list[0].Line != 1 || list[0].Remedy == "" {
			t.Errorf("%s: %+v", tt.text, list)
		}
	}
}

func check(t *testing.T, text string) []diag.Diagnostic {
	t.Helper()
	path := filepath.Join(t.TempDir(), ".github", "hooks", "any.json")
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	list, ok, err := copilot.Dialect().(dialect.Files).CheckFile(path)
	if err != nil || !ok {
		t.Fatal(ok, err)
	}
	return list
}

// TestTheEditorTakesWhatTheCommandLineSends puts payloads of both to VS Code's dialect: entries
// of one file are run by both, and each is answered in its own form. What came from nowhere is
// answered as VS Code reads it.
func TestTheEditorTakesWhatTheCommandLineSends(t *testing.T) {
	editor := copilot.Editor().Codec().(dialect.EventCodec)
	for _, tt := range []struct{ sentFor, payload, want string }{
		{"PreToolUse", `{"hook_event_name":"PreToolUse","session_id":"s","timestamp":"t","transcript_path":"/t","tool_name":"read_file","tool_input":{"filePath":"/key"},"tool_use_id":"u"}`, `{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"no"}}`},
		{"PreToolUse", `{"hook_event_name":"PreToolUse","session_id":"s","timestamp":"t","tool_name":"Read","tool_input":{"path":"/key"}}`, `{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"no"}}`},
		{"Stop", `{"hook_event_name":"Stop","session_id":"s","timestamp":"t","transcript_path":"/t","stop_hook_active":false}`, `{"hookSpecificOutput":{"hookEventName":"Stop","decision":"block","reason":"no"}}`},
		{"Stop", `{"hook_event_name":"Stop","session_id":"s","timestamp":"t","transcript_path":"/t","stop_reason":"end_turn"}`, `{"decision":"block","reason":"no"}`},
	} {
		in, notes, err := editor.DecodeEvent(tt.sentFor, []byte(tt.payload))
		if err != nil || len(notes) > 0 {
			t.Errorf("%s: %v %q", tt.payload, err, notes)
			continue
		}
		if pre, ok := in.(*hook.PreToolUse); ok && (pre.ToolName != "Read" || pre.ToolInput.String("file_path") != "/key") {
			t.Errorf("%s is a call of %s with %s", tt.payload, pre.ToolName, pre.ToolInput.Raw())
		}
		out := &hook.Outcome{Event: in.Event(), Decision: hook.DecisionDeny, Reason: "no", KeepGoing: in.Event().Spec().KeepsGoing()}
		a, _, err := editor.EncodeOutcome(in, out)
		if err != nil || strings.TrimSpace(string(a.Stdout)) != tt.want {
			t.Errorf("%s became %s, %v", tt.payload, a.Stdout, err)
		}
	}
	a, _, err := editor.EncodeOutcome(&hook.PreToolUse{}, &hook.Outcome{Event: hook.EventPreToolUse, Decision: hook.DecisionDeny, Reason: "no"})
	if err != nil || !strings.Contains(string(a.Stdout), `"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny"`) {
		t.Errorf("a refusal is %s, %v", a.Stdout, err)
	}
}

// TestTheCloudAsksNobody: its row has the command line's events and answers, but for what needs
// a person.
func TestTheCloudAsksNobody(t *testing.T) {
	rows := map[string]*dialect.Host{}
	for _, h := range copilot.Dialect().(dialect.Hosted).Hosts() {
		rows[h.Name] = h
	}
	cli, cloud := rows["copilot"].Event("preToolUse"), rows["copilot-cloud"].Event("preToolUse")
	if cli == nil || cloud == nil || cli.Honours != cloud.Honours|hook.FieldAsk || cloud.Honours&hook.FieldAsk != 0 || cloud.Honours&hook.FieldDeny == 0 {
		t.Errorf("the rows of preToolUse are %+v and %+v", cli, cloud)
	}
	if rows["copilot-cloud"].Event("permissionRequest") != nil || rows["copilot"].Event("permissionRequest") == nil {
		t.Error("the cloud asks for permission")
	}
}
