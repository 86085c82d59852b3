package agent_test

import (
	"strings"
	"testing"

	"github.com/hookline-dev/hookline/agent"
	"github.com/hookline-dev/hookline/agent/instructions"
	"github.com/hookline-dev/hookline/hook"
)

func TestInstructionsAreReadAnewAfterACompaction(t *testing.T) {
	b := newBench(t, "turns:\n  - text: ok\n    repeat: -1\n", func(_ *bench, cfg *agent.Config) {
		cfg.Instructions = []instructions.File{{Path: "/p/AGENTS.md", Type: instructions.Project, Text: "be brief"}}
	})
	noteJSON(b, hook.EventInstructionsLoaded, hook.EventUserPromptSubmit, hook.EventPostCompact)
	b.prompt("one")
	b.prompt("two")
	if _, err := b.a.Compact(t.Context(), ""); err != nil {
		t.Fatal(err)
	}
	b.prompt("three")
	b.prompt("four")
	heard(t, b, "InstructionsLoaded UserPromptSubmit UserPromptSubmit PostCompact InstructionsLoaded(compact) UserPromptSubmit UserPromptSubmit")
}

func TestInstructionsAreReadAnewAfterAnOverflow(t *testing.T) {
	b := newBench(t, overflowing, func(_ *bench, cfg *agent.Config) {
		cfg.Instructions = []instructions.File{{Path: "/p/AGENTS.md", Type: instructions.Project, Text: "be brief"}}
	})
	b.prompt("one")
	noteJSON(b, hook.EventInstructionsLoaded, hook.EventProviderRequest, hook.EventPostCompact)
	b.prompt("two")
	heard(t, b, "ProviderRequest PostCompact InstructionsLoaded(compact) ProviderRequest")
}

// heard compares the events that were noted.
func heard(t *testing.T, b *bench, want string) {
	t.Helper()
	var got []string
	for _, line := range b.noted() {
		event, in, _ := strings.Cut(line, " ")
		if event == "InstructionsLoaded" && strings.Contains(in, `"load_reason":"compact"`) {
			event += "(compact)"
		}
		got = append(got, event)
	}
	if strings.Join(got, " ") != want {
		t.Errorf("%s, want %s", got, want)
	}
}
