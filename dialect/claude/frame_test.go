package claude_test

import (
	"slices"
	"testing"

	"github.com/hookline-dev/hookline/dialect/claude"
	"github.com/hookline-dev/hookline/hook"
)

func TestReasonsReachTheModelInAFrame(t *testing.T) {
	two := 2
	said := &hook.Report{ExitCode: &two, Stderr: "not here\n"}
	asked := &hook.Report{Asked: true}
	pre := &hook.PreToolUse{ToolName: "Bash"}
	for _, test := range []struct {
		in     hook.Input
		report *hook.Report
		reason string
		want   []string
	}{
		{pre, nil, "no rm", []string{"PreToolUse:Bash hook error: no rm"}},
		{pre, said, "not here", []string{"PreToolUse:Bash hook error: [guard.sh]: not here"}},
		{pre, said, "of the JSON", []string{"PreToolUse:Bash hook error: of the JSON"}},
		{pre, nil, hook.DefaultReason("guard.sh"), []string{"PreToolUse:Bash hook error: Blocked by hook"}},
		{&hook.PostToolUse{ToolName: "Bash"}, said, "not here", []string{`PostToolUse:Bash hook blocking error from command: "guard.sh": [guard.sh]: not here`}},
		{&hook.PostToolUseFailure{ToolName: "Bash"}, nil, "bad", []string{`PostToolUseFailure:Bash hook blocking error from command: "guard.sh": bad`}},
		{&hook.Stop{}, said, "not here", []string{"Stop hook feedback:\n[guard.sh]: not here"}},
		{pre, asked, "not so", []string{"PreToolUse:Bash hook error: [guard.sh]: not so"}},
		{&hook.Stop{}, asked, "more", []string{"Stop hook feedback:\n[guard.sh]: more"}},
		{&hook.Stop{}, nil, "more", []string{`Stop hook blocking error from command: "guard.sh": more`, "Stop hook feedback:\nmore"}},
		{&hook.SubagentStop{}, nil, "more", []string{`SubagentStop hook blocking error from command: "guard.sh": more`, "Stop hook feedback:\nmore"}},
		{&hook.TeammateIdle{}, nil, "more", []string{`TeammateIdle hook blocking error from command: "guard.sh": more`, "TeammateIdle hook feedback:\nmore"}},
		{&hook.UserPromptSubmit{}, said, "not here", []string{"[guard.sh]: not here"}},
	} {
		run := &hook.Run{Hook: &hook.Info{Name: "guard.sh"}, Report: test.report}
		if got := (claude.Dialect{}).Frame(test.in, run, test.reason); !slices.Equal(got, test.want) {
			t.Errorf("%v: %q, want %q", test.in.Event(), got, test.want)
		}
	}
}

func TestPlainTextIsToldFromContextOfAnAnswer(t *testing.T) {
	run := &hook.Run{Hook: &hook.Info{Name: "h"}, Report: &hook.Report{Stdout: "words\n"}}
	for _, test := range []struct {
		in            hook.Input
		context, want string
	}{
		{&hook.SessionStart{Source: "resume"}, "words", "SessionStart:resume hook success"},
		{&hook.UserPromptSubmit{}, "words", "UserPromptSubmit hook success"},
		{&hook.UserPromptSubmit{}, "of the JSON", ""},
		{&hook.PostToolUse{}, "words", ""},
	} {
		if got := (claude.Dialect{}).Label(test.in, run, test.context); got != test.want {
			t.Errorf("%v: %q, want %q", test.in.Event(), got, test.want)
		}
	}
}
