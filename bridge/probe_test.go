package bridge_test

import (
	"slices"
	"testing"

	"github.com/hookline-dev/hookline/bridge"
	"github.com/hookline-dev/hookline/dialect"
	"github.com/hookline-dev/hookline/dialect/all"
	"github.com/hookline-dev/hookline/hook"
	"github.com/hookline-dev/hookline/internal/recording"
	"github.com/hookline-dev/hookline/internal/redact"
)

func TestDifferencesNameToolsAndEventsThatTheTableHasNot(t *testing.T) {
	h, d := dialect.HostByName(all.Dialects(), "gemini")
	const start = `{"session_id":"s","transcript_path":"/t","cwd":"/repo","hook_event_name":"BeforeTool","timestamp":"2026-11-28T00:00:00.000Z",`
	state := t.TempDir()
	p, err := bridge.NewProbe(t.Context(), state, h, d)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range []struct{ event, payload string }{
		{"BeforeTool", start + `"tool_name":"run_shell_command","tool_input":{"command":"ls"}}`},
		{"BeforeTool", start + `"tool_name":"mcp_a_b","tool_input":{},"mcp_context":{"server_name":"a","tool_name":"b"}}`},
		{"BeforeTool", start + `"tool_name":"fly","tool_input":{}}`},
		{"BeforeFlight", `{}`},
		{"AfterAgent", start + `"tool_name":"run_shell_command","tool_input":{}}`},
	} {
		one := recording.Entry{Agent: "gemini", Event: e.event, Session: "s", Payload: []byte(e.payload)}
		if err := recording.In(state).Add(t.Context(), &redact.Redactor{}, one); err != nil {
			t.Fatal(err)
		}
	}
	input := func(ev hook.Event) (hook.Input, error) {
		return hook.UnmarshalInput(ev, []byte(`{"session_id":"s","tool_name":"Bash","tool_input":{"command":"ls"}}`))
	}
	got, seen, err := p.Differences(input)
	want := []string{
		"AfterAgent: it is read as PreToolUse", "BeforeFlight: the table has no such event", `BeforeTool: the table has no tool "fly"`,
	}
	if err != nil || !slices.Equal(got, want) || seen["BeforeTool"] != 3 {
		t.Errorf("found %q in %v, %v", got, seen, err)
	}
	if err := p.Close(); err != nil {
		t.Error(err)
	}
}
