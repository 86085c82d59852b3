package claude_test

import (
	"context"
	"fmt"

	"github.com/hookline-dev/hookline/dialect/claude"
	"github.com/hookline-dev/hookline/handler"
	"github.com/hookline-dev/hookline/hook"
)

// A settings file becomes hooks of an engine. The hook is a command, which is run by sh.
func Example() {
	settings, diags := claude.ParseSettings(".claude/settings.json", []byte(`{
  "hooks": {
    "PreToolUse": [
      {"matcher": "Bash", "hooks": [{"type": "command", "command": "echo not on Fridays >&2; exit 2", "timeout": 10}]},
      {"matcher": "Bash(rm *)", "hooks": [{"type": "command", "command": "never.sh"}]},
    ],
  },
}`), claude.Options{Scope: claude.ScopeProject})
	for _, d := range diags {
		fmt.Println(d)
	}

	reg := hook.NewRegistry()
	regs, _ := settings.Registrations(claude.Builder{Group: reg.Group("claude", hook.Parallel, claude.Rank)})
	if _, err := reg.AddAll(regs); err != nil {
		fmt.Println(err)
		return
	}
	eng := hook.New(reg)
	defer eng.Close()
	out, err := eng.Fire(context.Background(), &hook.PreToolUse{ToolName: "Bash", ToolInput: hook.RawJSON(`{"command":"git push"}`)})
	fmt.Println(out.Decision, out.Reason, err)
	// Output:
	// .claude/settings.json:5:19: matcher "Bash(rm *)" is a permission rule, but a matcher is a regular expression over the tool's name: it will practically never match
	// deny not on Fridays <nil>
}

func ExampleCodec_DecodeResult() {
	codec := claude.NewCodec(claude.CodecOptions{})
	call := &hook.Call{Input: &hook.PreToolUse{ToolName: "Bash"}}
	for _, stdout := range []string{
		`{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"no"}}`,
		`{"result":"block"}`,
	} {
		res, notes, err := codec.DecodeResult(call, handler.Answer{Stdout: []byte(stdout)})
		fmt.Println(res.Decision, res.Reason, notes, err)
	}
	_, _, err := codec.DecodeResult(call, handler.Answer{ExitCode: 1, Stderr: []byte("oops")})
	fmt.Println(err)
	// Output:
	// deny no [] <nil>
	// none  [unknown key result, no decision read (a decision is written {"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny"}})] <nil>
	// exit 1 is not a block: oops
}
