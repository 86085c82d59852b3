package claude_test

import (
	"testing"

	"github.com/hookline-dev/hookline/dialect/claude"
	"github.com/hookline-dev/hookline/hook"
)

func TestReasonsReachTheModelInAFrame(t *testing.T) {
	two := 2
	said := &hook.Report{ExitCode: &two, Stderr: "not here\n"}
	for _, test := range []struct {
		report       *hook.Report
		reason, want string
	}{
		{nil, "no rm", "PreToolUse:Bash hook error: no rm"},
		{said, "not here", "PreToolUse:Bash hook error: [guard.sh]: not here"},
		{said, "of the JSON", "PreToolUse:Bash hook error: of the JSON"},
		{nil, hook.DefaultReason("guard.sh"), "PreToolUse:Bash hook error: Blocked by hook"},
	} {
		run := &hook.Run{Hook: &hook.Info{Name: "guard.sh"}, Report: test.report}
		if got := (claude.Dialect{}).Frame(&hook.PreToolUse{ToolName: "Bash"}, run, test.reason); got != test.want {
			t.Errorf("%q, want %q", got, test.want)
		}
	}
}
