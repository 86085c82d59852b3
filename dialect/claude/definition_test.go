package claude

import (
	"testing"

	"github.com/hookline-dev/hookline/hook"
	"github.com/hookline-dev/hookline/sandbox"
)

// TestDefinitionIsAsApprovalsKeepIt: approvals that people gave have this text, with every
// member and in this order; another one would end them all.
func TestDefinitionIsAsApprovalsKeepIt(t *testing.T) {
	full := Entry{
		Event: hook.EventPreToolUse, Type: TypeCommand, Matcher: "Bash<", Command: "a \xff", Args: []string{"x"}, Env: map[string]string{"B": "2", "A": "1"},
		Headers: map[string]string{"Z": "", "H": "h"}, Input: hook.RawJSON(`{"b": 1, "a":2}`), AllowedEnvVars: []string{"V"}, If: "Bash(x)", Once: true, Prewarm: 2,
	}
	for _, e := range []Entry{{}, full} {
		for _, n := range []sandbox.Needs{{}, {Write: []string{"w"}}} {
			want := map[string]any{
				"event": e.Event.String(), "matcher": e.Matcher, "type": e.Type, "if": e.If, "timeout": e.Timeout.String(), "onFailure": e.OnFailure.String(),
				"subagents": e.IncludeSubagents, "guard": e.Guard, "once": e.Once, "env": e.Env, "command": e.Command, "args": e.Args, "shell": e.Shell,
				"prewarm": e.Prewarm, "async": e.Async, "asyncRewake": e.AsyncRewake, "url": e.URL, "headers": e.Headers, "allowedEnvVars": e.AllowedEnvVars,
				"server": e.Server, "tool": e.Tool, "input": e.Input, "prompt": e.Prompt, "model": e.Model, "continueOnBlock": e.ContinueOnBlock,
			}
			if !n.Zero() {
				want["sandbox"] = n
			}
			if got := definition(&e, n); got != hook.MustJSON(want).Raw() {
				t.Errorf("it is\n%s\nwant\n%s", got, hook.MustJSON(want).Raw())
			}
		}
	}
}
