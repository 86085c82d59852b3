package script

import (
	"testing"
)

func TestSeedBlocksWithoutUI(t *testing.T) {
	m := load(t, "testdata/seed/block.ts", Options{})
	if got, want := fire(t, m, "tool_call", bashCall), `{"block":true,"reason":"rm -rf blocked (no UI)"}`; got != want {
		t.Fatalf("got %s", got)
	}
	if got := fire(t, m, "tool_call", `{"toolName":"bash","input":{"command":"ls"}}`); got != "" {
		t.Fatalf("a harmless command was answered %s", got)
	}
}

func TestSeedRedacts(t *testing.T) {
	m := load(t, "testdata/seed/redact.ts", Options{})
	got := fire(t, m, "tool_result", `{"toolName":"read","isError":false,"content":[{"type":"text","text":"API_KEY=abc x"},{"type":"image"}]}`)
	if want := `{"content":[{"type":"text","text":"API_KEY=[REDACTED] x"},{"type":"image"}]}`; got != want {
		t.Fatalf("got %s", got)
	}
}

func TestSeedFiltersContext(t *testing.T) {
	m := load(t, "testdata/seed/context.ts", Options{})
	got := fire(t, m, "context", `{"messages":[{"role":"custom","customType":"debug-only"},{"role":"user","content":"hi"}]}`)
	if want := `{"messages":[{"role":"user","content":"hi"}]}`; got != want {
		t.Fatalf("got %s", got)
	}
}
