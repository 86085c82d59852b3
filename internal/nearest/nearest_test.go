package nearest_test

import (
	"testing"

	"github.com/hookline-dev/hookline/internal/nearest"
)

func TestName(t *testing.T) {
	known := []string{"PreToolUse", "PostToolUse", "Stop", "before_tool_call", "tool_call", "list"}
	for name, want := range map[string]string{
		"PreToolUs": "PreToolUse", "pretooluse": "PreToolUse", "PreTool": "PreToolUse", "before_tool_cal": "before_tool_call",
		"tool_cal": "tool_call", "lst": "list", "Stpo": "", "Sto": "Stop", "nonsense": "", "": "", "befo": "before_tool_call",
	} {
		if got := nearest.Name(name, known); got != want {
			t.Errorf("%q: %q, want %q", name, got, want)
		}
	}
}

func TestEvent(t *testing.T) {
	for name, want := range map[string]string{"pretooluse": "PreToolUse", "PreTolUze": "PreToolUse", "Zebra": ""} {
		if got := nearest.Event(name); got.Name != name || got.Suggestion != want {
			t.Errorf("%q: %+v, want %q", name, got, want)
		}
	}
}

func FuzzName(f *testing.F) {
	f.Add("PreToolUs")
	f.Add("\xff\x00ä")
	f.Fuzz(func(t *testing.T, name string) {
		if got := nearest.Name(name, []string{"PreToolUse"}); got != "" && got != "PreToolUse" {
			t.Errorf("%q is not a known name", got)
		}
	})
}
