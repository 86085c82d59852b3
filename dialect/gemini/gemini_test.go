package gemini_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/hookline-dev/hookline/config"
	"github.com/hookline-dev/hookline/dialect"
	"github.com/hookline-dev/hookline/dialect/gemini"
	"github.com/hookline-dev/hookline/handler"
	"github.com/hookline-dev/hookline/hook"
)

func Example() {
	codec := gemini.Dialect().Codec()
	in, _, err := codec.DecodeInput([]byte(`{"hook_event_name":"BeforeTool","tool_name":"write_file","tool_input":{"file_path":"/a","content":"x"}}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	out := &hook.Outcome{Event: in.Event(), Decision: hook.DecisionDeny, Reason: "not there"}
	a, _, err := codec.EncodeOutcome(in, out)
	fmt.Printf("%v %s %s %v", in.Event(), in.Subject(), a.Stdout, err)
	// Output: PreToolUse Write {"decision":"deny","reason":"not there"}
	//  <nil>
}

func TestAnswersAreReadAsTheHostReadsThem(t *testing.T) {
	pre := &hook.PreToolUse{ToolName: "Bash", ToolInput: hook.RawJSON(`{"command":"ls"}`)}
	for _, tt := range []struct {
		name           string
		d              dialect.Dialect
		stdout, stderr string
		exit           int
		want           hook.Decision
		reason, fails  string
	}{
		{name: "JSON beats the exit code", d: gemini.Dialect(), stdout: `{"decision":"allow"}`, exit: 2, want: hook.DecisionAllow},
		{name: "and so it does in a warning", d: gemini.Dialect(), stdout: `{"decision":"block","reason":"r"}`, exit: 1, want: hook.DecisionDeny, reason: "r"},
		{name: "every code from 2 on refuses", d: gemini.Dialect(), stderr: "r", exit: 3, want: hook.DecisionDeny, reason: "r"},
		{name: "1 is a failure", d: gemini.Dialect(), stderr: "r", exit: 1, fails: "exit code 1: r"},
		{name: "Claude's form means nothing", d: gemini.Dialect(), stdout: `{"hookSpecificOutput":{"permissionDecision":"deny"}}`},
		{name: "a question", d: gemini.Dialect(), stdout: `{"decision":"ask","reason":"r"}`, want: hook.DecisionAsk, reason: "r"},
		{name: "Qwen reads stderr", d: gemini.Qwen(), stdout: `{"hookSpecificOutput":{"permissionDecision":"allow"}}`, stderr: "r", exit: 2, want: hook.DecisionDeny, reason: "r"},
		{name: "and JSON beside 1", d: gemini.Qwen(), stdout: `{"hookSpecificOutput":{"permissionDecision":"deny","permissionDecisionReason":"r"}}`, exit: 1, want: hook.DecisionDeny, reason: "r"},
		{name: "other codes fail", d: gemini.Qwen(), exit: 7, fails: "exit code 7"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r, _, err := tt.d.Codec().DecodeResult(&hook.Call{Input: pre}, handler.Answer{Stdout: []byte(tt.stdout), Stderr: []byte(tt.stderr), ExitCode: tt.exit})
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

func TestWhatIsWrittenIsWhatTheHostActsOn(t *testing.T) {
	pre := &hook.PreToolUse{ToolName: "Bash", ToolInput: hook.RawJSON(`{"command":"ls"}`)}
	post := &hook.PostToolUse{ToolName: "Bash", ToolInput: hook.RawJSON(`{"command":"ls"}`), ToolResponse: hook.MustJSON("secret")}
	for _, tt := range []struct {
		d    dialect.Dialect
		in   hook.Input
		out  hook.Outcome
		want string
		lost string
	}{
		{gemini.Dialect(), pre, hook.Outcome{Decision: hook.DecisionAsk, Reason: "sure?"}, `{"decision":"deny","reason":"a person would have to be asked: sure?"}`, ""},
		{gemini.Dialect(), pre, hook.Outcome{UpdatedInput: hook.RawJSON(`{"command":"x","run_in_background":true}`)}, `{"hookSpecificOutput":{"hookEventName":"BeforeTool","tool_input":{"command":"x","is_background":true}}}`, ""},
		{gemini.Dialect(), pre, hook.Outcome{Context: []string{"c"}}, `{}`, "context "},
		{gemini.Dialect(), post, hook.Outcome{UpdatedOutput: hook.RawJSON(`{"stdout":"[redacted]","stderr":""}`)}, `{"decision":"deny","reason":"[redacted]"}`, ""},
		{gemini.Dialect(), &hook.Stop{}, hook.Outcome{KeepGoing: true, Decision: hook.DecisionDeny, Reason: "tests"}, `{"decision":"deny","reason":"tests"}`, ""},
		{gemini.Dialect(), pre, hook.Outcome{Halt: true, StopReason: "spent"}, `{"continue":false,"stopReason":"spent"}`, ""},
		{gemini.Qwen(), pre, hook.Outcome{UpdatedInput: hook.RawJSON(`{"command":"x"}`), Decision: hook.DecisionAllow}, `{}`, "updatedInput "},
		{gemini.Qwen(), pre, hook.Outcome{Halt: true, StopReason: "spent"}, `{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"spent"}}`, ""},
		{gemini.Qwen(), post, hook.Outcome{Decision: hook.DecisionDeny, Reason: "no"}, `{}`, "deny "},
	} {
		tt.out.Event = tt.in.Event()
		a, notes, err := tt.d.Codec().EncodeOutcome(tt.in, &tt.out)
		if err != nil || strings.TrimSpace(string(a.Stdout)) != tt.want || tt.lost != "" && !strings.Contains("\n"+strings.Join(notes, "\n"), "\n"+tt.lost) {
			t.Errorf("%s: %+v became %s, %q, %v", tt.d.Name(), tt.out, a.Stdout, notes, err)
		}
	}
}

func FuzzCodecs(f *testing.F) {
	f.Add([]byte(`{"hook_event_name":"AfterTool","tool_name":"x","tool_response":{"error":{}}}`), []byte(`{"decision":"deny","hookSpecificOutput":{"tool_input":{}}}`), 2)
	f.Fuzz(func(t *testing.T, payload, stdout []byte, exit int) {
		for _, d := range []dialect.Dialect{gemini.Dialect(), gemini.Qwen()} {
			in, _, err := d.Codec().DecodeInput(payload)
			if err != nil {
				continue
			}
			if _, err := d.Codec().EncodeInput(&hook.Call{Input: in}); err != nil {
				t.Fatal(err)
			}
			_, _, _ = d.Codec().DecodeResult(&hook.Call{Input: in}, handler.Answer{Stdout: stdout, ExitCode: exit})
		}
	})
}

// TestResultsAndFailuresHaveRowsOfTheirOwn: the host has one name for both, and acts on a
// changed output of a result only.
func TestResultsAndFailuresHaveRowsOfTheirOwn(t *testing.T) {
	row := gemini.Dialect().(dialect.Hosted).Hosts()[0].Event("AfterTool")
	for ev, want := range map[hook.Event]bool{hook.EventPostToolUse: true, hook.EventPostToolUseFailure: false} {
		e := row.For(ev)
		if got := e.Honours&hook.FieldUpdatedOutput != 0; e.Event != ev || got != want {
			t.Errorf("the row of %v is of %v and honours changed output: %v", ev, e.Event, got)
		}
	}
}

// TestAHookOfBothRunsForBoth: an entry for the name is one for results and for failures.
func TestAHookOfBothRunsForBoth(t *testing.T) {
	found := find(t, `{"hooks":{"AfterTool":[{"hooks":[{"type":"command","command":"./one"}]}]}}`)
	var events []string
	for _, f := range found {
		events = append(events, f.Event.String())
	}
	if slices.Sort(events); !slices.Equal(events, []string{"PostToolUse", "PostToolUseFailure"}) {
		t.Errorf("it runs for %v", events)
	}
}

// TestHooksThatAreSwitchedOffAreNotRead leaves out those that the file names as disabled, by
// their name or by the command of those that have none.
func TestHooksThatAreSwitchedOffAreNotRead(t *testing.T) {
	found := find(t, `{"hooksConfig":{"disabled":["one","./two"]},"hooks":{"BeforeTool":[{"hooks":[
		{"type":"command","command":"./one","name":"one"},{"type":"command","command":"./two"},{"type":"command","command":"./three"}]}]}}`)
	if len(found) != 1 || found[0].Command != "./three" {
		t.Errorf("%+v", found)
	}
}

// find finds the hooks of a person's settings of Gemini CLI.
func find(t *testing.T, text string) []dialect.Found {
	path := filepath.Join(t.TempDir(), ".gemini", "settings.json")
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	home := filepath.Dir(filepath.Dir(path))
	f := gemini.Dialect().Finder(&dialect.Kit{Dirs: dialect.Dirs{Home: home}, Config: &config.Config{}, Last: func() []dialect.Found { return nil }, HeldFile: func(string) bool { return false }})
	found, diags := f.Find(t.Context())
	if len(diags) > 0 {
		t.Errorf("%v", diags)
	}
	return found
}
