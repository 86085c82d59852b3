package agent_test

import (
	"context"
	"strings"
	"testing"

	"github.com/hookline-dev/hookline/agent"
	"github.com/hookline-dev/hookline/hook"
	"github.com/hookline-dev/hookline/permission"
)

// Shell commands that are known to read only run beside each other, others one by one, and
// so do those that a hook made into others.
func TestShellCommandsThatOnlyReadRunAtOnce(t *testing.T) {
	for _, tt := range []struct{ second, rewrite, want string }{
		{"echo two", "", "pre pre post post"},
		{"touch two", "", "pre post pre post"},
		{"cd two", "", "pre post pre post"},
		{"echo two", `{"command":"touch two"}`, "pre pre post post"},
	} {
		b := newBench(t, `
turns:
  - tool_calls: [{name: Bash, input: {command: "echo one"}}, {name: Bash, input: {command: "`+tt.second+`"}}]
  - text: "Done."
`, withBash, withPermission(rules(t, permission.Allow, "Bash")...))
		hook.On(b.reg, func(_ context.Context, in *hook.PreToolUse) (hook.Result, error) {
			b.note("pre")
			if tt.rewrite != "" && in.ToolInput.String("command") == tt.second {
				return hook.Result{UpdatedInput: hook.RawJSON(tt.rewrite)}, nil
			}
			return hook.None(), nil
		})
		hook.On(b.reg, func(context.Context, *hook.PostToolUse) (hook.Result, error) { b.note("post"); return hook.None(), nil })
		b.prompt("go")
		if got := strings.Join(b.noted(), " "); got != tt.want {
			t.Errorf("%s: %s, want %s", tt.second, got, tt.want)
		}
	}
}

// What hooks put in without asking for anything is told apart from what the model was asked.
func TestMessagesThatAskForNothingAreCounted(t *testing.T) {
	b := newBench(t, "turns: [{text: one}, {text: two}, {text: three}]")
	hook.On(b.reg, func(context.Context, *hook.SessionStart) (hook.Result, error) {
		return hook.Result{Host: &hook.HostEffects{InitialUserMessage: "first"}}, nil
	})
	again := []hook.Result{hook.Deny("go on"), {Continue: hook.Yes}, hook.None()}
	hook.On(b.reg, func(context.Context, *hook.Stop) (hook.Result, error) {
		next := again[0]
		again = again[1:]
		return next, nil
	})
	res := b.prompt("go")
	if res.End != agent.EndDone || res.ContextOnly != 2 || len(res.Messages) != 7 {
		t.Errorf("%d for context only among %d messages, %s", res.ContextOnly, len(res.Messages), res.End)
	}
}
