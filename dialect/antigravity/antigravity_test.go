package antigravity_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/hookline-dev/hookline/config"
	"github.com/hookline-dev/hookline/dialect"
	"github.com/hookline-dev/hookline/dialect/antigravity"
	"github.com/hookline-dev/hookline/handler"
	"github.com/hookline-dev/hookline/hook"
)

// An agent asks, and is told no.
func Example() {
	codec := antigravity.Dialect().Codec()
	in, _, err := codec.DecodeInput([]byte(`{"conversationId":"c","workspacePaths":["/repo"],"stepIdx":1,"toolCall":{"name":"view_file","args":{"AbsolutePath":"/repo/key"}}}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	a, _, err := codec.EncodeOutcome(in, &hook.Outcome{Event: in.Event(), Decision: hook.DecisionDeny, Reason: "not the key"})
	fmt.Printf("%s: %s%v", in.Subject(), a.Stdout, err)
	// Output: Read: {"decision":"deny","reason":"not the key"}
	// <nil>
}

const call = `{"conversationId":"s","workspacePaths":["/p","/q"],"transcriptPath":"/t","stepIdx":2,"toolCall":{"name":"run_command","args":{"CommandLine":"npm test","Cwd":"/p"}}}`

// TestAnswersOfItsDocuments reads answers as its documents have them, and writes ours so.
func TestAnswersOfItsDocuments(t *testing.T) {
	codec := antigravity.Dialect().Codec()
	in, _, err := codec.DecodeInput([]byte(call))
	if err != nil {
		t.Fatal(err)
	}
	pre := in.(*hook.PreToolUse)
	if pre.ToolName != "Bash" || pre.ToolInput.String("command") != "npm test" || pre.SessionID != "s" || pre.CWD != "/p" {
		t.Errorf("read %+v", pre)
	}
	b, err := codec.EncodeInput(&hook.Call{Input: in})
	if sent := hook.RawJSON(b); err != nil || !strings.Contains(sent.Raw(), `"toolCall":{"name":"run_command","args":{"CommandLine":"npm test","Cwd":"/p"}}`) {
		t.Errorf("wrote %s, %v", b, err)
	}
	stop, prompt := &hook.Stop{}, &hook.UserPromptSubmit{}
	for _, tt := range []struct {
		in     hook.Input
		answer handler.Answer
		want   func(r hook.Result) bool
	}{
		{in, handler.Answer{Stdout: []byte(`{"decision":"deny","reason":"no"}`)}, func(r hook.Result) bool { return r.Decision == hook.DecisionDeny && r.Reason == "no" }},
		{in, handler.Answer{Stdout: []byte(`{"decision":"force_ask","reason":"sure?"}`)}, func(r hook.Result) bool { return r.Decision == hook.DecisionAsk }},
		{in, handler.Answer{Stdout: []byte(`{"decision":"allow"}`)}, func(r hook.Result) bool { return r.Decision == hook.DecisionAllow }},
		{in, handler.Answer{ExitCode: 1, Stderr: []byte("broken")}, func(r hook.Result) bool { return r.Decision == hook.DecisionDeny }},
		{in, handler.Answer{}, func(r hook.Result) bool { return r.Decision == hook.DecisionNone }},
		{stop, handler.Answer{Stdout: []byte(`{"decision":"continue","reason":"test first"}`)}, func(r hook.Result) bool { return r.Decision == hook.DecisionDeny && r.Reason == "test first" }},
		{stop, handler.Answer{Stdout: []byte(`{"decision":""}`)}, func(r hook.Result) bool { return r.Decision == hook.DecisionNone }},
		{prompt, handler.Answer{Stdout: []byte(`{"injectSteps":[{"userMessage":"a"},{"toolCall":{}},{"ephemeralMessage":"b"}]}`)}, func(r hook.Result) bool {
			return slices.Equal(r.Context, []string{"a\nb"})
		}},
	} {
		r, _, err := codec.DecodeResult(&hook.Call{Input: tt.in}, tt.answer)
		if err != nil || !tt.want(r) {
			t.Errorf("%d %s%s is %+v, %v", tt.answer.ExitCode, tt.answer.Stdout, tt.answer.Stderr, r, err)
		}
	}
	for _, text := range []string{`{"decision":"deny","extra":1}`, `{"decision":"perhaps"}`} {
		if r, _, err := codec.DecodeResult(&hook.Call{Input: in}, handler.Answer{Stdout: []byte(text)}); err == nil && r.Decision != hook.DecisionDeny {
			t.Errorf("%s is %+v", text, r)
		}
	}
	for _, tt := range []struct {
		in   hook.Input
		out  hook.Outcome
		want string
	}{
		{in, hook.Outcome{}, ``}, // since {} is a deny
		{in, hook.Outcome{Decision: hook.DecisionAsk, Reason: "sure?"}, `{"decision":"deny","reason":"a person would have to be asked: sure?"}`},
		{in, hook.Outcome{Halt: true, StopReason: "spent"}, `{"decision":"deny","reason":"spent"}`},
		{stop, hook.Outcome{KeepGoing: true, FollowUps: []string{"test"}}, `{"decision":"continue","reason":"test"}`},
		{prompt, hook.Outcome{Context: []string{"T-42"}}, `{"injectSteps":[{"userMessage":"T-42"}]}`},
	} {
		tt.out.Event = tt.in.Event()
		a, _, err := codec.EncodeOutcome(tt.in, &tt.out)
		if got := strings.TrimSpace(string(a.Stdout)); err != nil || got != tt.want {
			t.Errorf("told %s, %v, not %s", got, err, tt.want)
		}
	}
}

// TestThePayloadIsOfTheEventThatItWasSentFor: it does not say so itself.
func TestThePayloadIsOfTheEventThatItWasSentFor(t *testing.T) {
	codec := antigravity.Dialect().Codec().(dialect.EventCodec)
	for name, want := range map[string]hook.Event{"PreToolUse": hook.EventPreToolUse, "PostToolUse": hook.EventPostToolUse} {
		in, notes, err := codec.DecodeEvent(name, []byte(call))
		if err != nil || in.Event() != want || len(notes) > 0 {
			t.Errorf("%s is %v, %q, %v", name, in, notes, err)
		}
	}
}

// TestFilesHaveNamedGroups reads a file whose groups have names, one of them switched off, with
// matchers for tools only.
func TestFilesHaveNamedGroups(t *testing.T) {
	home := t.TempDir()
	path := filepath.Join(home, ".gemini", "config", "hooks.json")
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	text := `{
	"off": {"enabled": false, "Stop": [{"command": "./off"}]},
	"audit": {"PreToolUse": [{"matcher": "run_command|view_file", "hooks": [{"type": "command", "command": "./audit"}]}], "PostInvocation": [{"command": "./x"}]},
	"remind": {"PreInvocation": [{"command": "./remind", "timeout": 5}], "PreToolUse": [{"command": "./bare"}]}}`
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	f := antigravity.Dialect().Finder(&dialect.Kit{Dirs: dialect.Dirs{Home: home}, Config: &config.Config{}, Last: func() []dialect.Found { return nil }, HeldFile: func(string) bool { return false }})
	found, _ := f.Find(t.Context())
	diags, ok, err := antigravity.Dialect().(dialect.Files).CheckFile(path)
	if err != nil || !ok {
		t.Fatal(ok, err)
	}
	var got []string
	for _, h := range found {
		got = append(got, fmt.Sprintf("%v %s %s", h.Event, h.Command, h.Matcher))
	}
	want := []string{"PreToolUse ./audit run_command|view_file", "UserPromptSubmit ./remind ", "PostToolBatch ./remind ", "PreToolUse ./bare "}
	if !slices.Equal(got, want) || len(diags) != 1 || !strings.Contains(diags[0].Message, "PostInvocation is not fired here") {
		t.Errorf("read %q, %v", got, diags)
	}
}
