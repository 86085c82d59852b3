package script

import (
	"context"
	"regexp"
	"testing"
)

func TestBlocksWithoutUI(t *testing.T) {
	m := load(t, "testdata/gates/block.ts", Options{})
	if got, want := fire(t, m, "tool_call", bashCall), `{"block":true,"reason":"rm -rf blocked (no UI)"}`; got != want {
		t.Fatalf("got %s", got)
	}
	if got := fire(t, m, "tool_call", `{"toolName":"bash","input":{"command":"ls"}}`); got != "" {
		t.Fatalf("a harmless command was answered %s", got)
	}
}

func TestRedacts(t *testing.T) {
	m := load(t, "testdata/gates/redact.ts", Options{})
	got := fire(t, m, "tool_result", `{"toolName":"read","isError":false,"content":[{"type":"text","text":"API_KEY=abc x"},{"type":"image"}]}`)
	if want := `{"content":[{"type":"text","text":"API_KEY=[REDACTED] x"},{"type":"image"}]}`; got != want {
		t.Fatalf("got %s", got)
	}
}

func TestFiltersContext(t *testing.T) {
	m := load(t, "testdata/gates/context.ts", Options{})
	got := fire(t, m, "context", `{"messages":[{"role":"custom","customType":"debug-only"},{"role":"user","content":"hi"}]}`)
	if want := `{"messages":[{"role":"user","content":"hi"}]}`; got != want {
		t.Fatalf("got %s", got)
	}
}

func TestAsksWithUI(t *testing.T) {
	for answer, want := range map[bool]string{true: "", false: `{"block":true,"reason":"user denied command"}`} {
		var asked string
		m := load(t, "testdata/gates/block.ts", withUI(func(_ context.Context, title, message string) (bool, error) {
			asked = title + ": " + message
			return answer, nil
		}))
		if got := fire(t, m, "tool_call", bashCall); got != want {
			t.Errorf("answer %v gave %s", answer, got)
		}
		if asked != "Dangerous command: Allow: rm -rf /" {
			t.Errorf("asked %q", asked)
		}
	}
}

func TestHandsOff(t *testing.T) {
	host := &testHost{}
	m := load(t, "testdata/gates/handoff.ts", Options{Host: host})
	if got := m.Info().Commands; len(got) != 1 || got[0].Name != "handoff" || got[0].Description != "Create a new session with setup message" {
		t.Fatalf("commands %v", got)
	}
	if err := m.RunCommand(context.Background(), "handoff", ""); err != nil {
		t.Fatal(err)
	}
	want := regexp.MustCompile(`^idle\nnewSession \[\{"parentSession":"/sessions/1.jsonl","setup":\[\["appendMessage",\[\{"role":"user","content":\[\{"type":"text","text":"Continue from prior session summary."\}\],"timestamp":\d+\}\]\]\]\}\]$`)
	if got := host.all(); !want.MatchString(got) {
		t.Errorf("the host was asked for %s", got)
	}
}
