package claude_test

import (
	"strings"
	"testing"

	"github.com/hookline-dev/hookline/dialect/claude"
	"github.com/hookline-dev/hookline/hook"
)

// TestOutcomes is what a host of this dialect is told.
func TestOutcomes(t *testing.T) {
	prompt := "p"
	for _, tt := range []struct {
		name           string
		in             hook.Input
		out            hook.Outcome
		exit           int
		stdout, stderr string
		notes          string
	}{
		{name: "nothing to say", in: bash()},
		{
			name: "deny", in: bash(), out: hook.Outcome{Decision: deny, Reason: "r"},
			stdout: `{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"r"}}`,
		},
		{
			name: "ask with an input", in: bash(), out: hook.Outcome{Decision: ask, Reason: "r", UpdatedInput: hook.RawJSON(`{"z":1,"a":9007199254740993}`), Context: []string{"a", "b"}},
			stdout: `{"hookSpecificOutput":{"hookEventName":"PreToolUse","additionalContext":"a\nb","permissionDecision":"ask","permissionDecisionReason":"r","updatedInput":{"z":1,"a":9007199254740993}}}`,
		},
		{
			name: "halt", in: bash(), out: hook.Outcome{Halt: true, StopReason: "s", Notices: []string{"n"}, SystemMessages: []string{"m"}, SuppressOutput: true},
			stdout: `{"continue":false,"stopReason":"s","suppressOutput":true,"systemMessage":"m\nn"}`,
		},
		{name: "prompt refused", in: &hook.UserPromptSubmit{}, out: hook.Outcome{Decision: deny, Reason: "r"}, stdout: `{"decision":"block","reason":"r"}`},
		{
			name: "prompt rewritten", in: &hook.UserPromptSubmit{}, out: hook.Outcome{UpdatedPrompt: &prompt, Host: &hook.HostEffects{SessionTitle: "t"}},
			stdout: `{"hookSpecificOutput":{"hookEventName":"UserPromptSubmit","updatedPrompt":"p","sessionTitle":"t"}}`,
		},
		{name: "stop kept going", in: &hook.Stop{}, out: hook.Outcome{Decision: deny, Reason: "r", KeepGoing: true, FollowUps: []string{"f"}}, stdout: `{"decision":"block","reason":"r\n\nf"}`},
		{name: "stop kept going without a word", in: &hook.Stop{}, out: hook.Outcome{KeepGoing: true}, stdout: `{"decision":"block","reason":"` + hook.DefaultContinuation + `"}`},
		{
			name: "permission allowed", in: &hook.PermissionRequest{}, out: hook.Outcome{Decision: allow, PermissionUpdates: []hook.PermissionUpdate{{Type: "setMode", Mode: "plan", Destination: "session"}}},
			stdout: `{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"allow","updatedPermissions":[{"type":"setMode","mode":"plan","destination":"session"}]}}}`,
		},
		{
			name: "permission denied", in: &hook.PermissionRequest{}, out: hook.Outcome{Decision: deny, Reason: "r", Interrupt: true},
			stdout: `{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"deny","message":"r","interrupt":true}}}`,
		},
		{
			name: "output replaced", in: &hook.PostToolUse{}, out: hook.Outcome{UpdatedOutput: hook.RawJSON(`"o"`), IsError: hook.Yes},
			stdout: `{"hookSpecificOutput":{"hookEventName":"PostToolUse","updatedToolOutput":"o"}}`, notes: "isError cannot be said",
		},
		{name: "teammate kept going", in: &hook.TeammateIdle{}, out: hook.Outcome{Decision: deny, Reason: "r"}, exit: 2, stderr: "r\n"},
		{name: "worktree", in: &hook.WorktreeCreate{}, out: hook.Outcome{Host: &hook.HostEffects{WorktreePath: "/w"}}, stdout: "/w"},
		{name: "no worktree", in: &hook.WorktreeCreate{}, exit: 1, stderr: "no hook created the worktree\n"},
		{name: "worktree refused", in: &hook.WorktreeCreate{}, out: hook.Outcome{Decision: deny}, exit: 2, stderr: "refused by a hook\n"},
		{
			name: "elicitation answered", in: &hook.Elicitation{}, out: hook.Outcome{Host: &hook.HostEffects{ElicitationAction: "accept", ElicitationContent: hook.RawJSON(`{"x":1}`)}},
			stdout: `{"hookSpecificOutput":{"hookEventName":"Elicitation","action":"accept","content":{"x":1}}}`,
		},
		{name: "compaction supplied", in: &hook.PreCompact{}, out: hook.Outcome{Compaction: &hook.Compaction{Summary: "s"}}, notes: "compaction cannot be said"},
		{name: "compaction refused", in: &hook.PreCompact{}, out: hook.Outcome{Cancel: true, Decision: deny, Reason: "r"}, stdout: `{"decision":"block","reason":"r"}`},
		{
			name: "session title", in: &hook.SessionStart{}, out: hook.Outcome{Host: &hook.HostEffects{WatchPaths: []string{"/a"}, ReloadSkills: true, TerminalSequence: "\a"}},
			stdout: `{"terminalSequence":"\u0007","hookSpecificOutput":{"hookEventName":"SessionStart","watchPaths":["/a"],"reloadSkills":true}}`,
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tt.out.Event = tt.in.Event()
			ans, notes, err := claude.NewCodec(claude.CodecOptions{}).EncodeOutcome(tt.in, &tt.out)
			if err != nil || ans.ExitCode != tt.exit || strings.TrimSuffix(string(ans.Stdout), "\n") != tt.stdout || string(ans.Stderr) != tt.stderr {
				t.Errorf("exit %d, stdout %s, stderr %q, %v", ans.ExitCode, ans.Stdout, ans.Stderr, err)
			}
			if got := strings.Join(notes, "; "); (tt.notes == "") != (got == "") || !strings.Contains(got, tt.notes) {
				t.Errorf("notes %q", got)
			}
			if back := decode(tt.in, true, ans); back.err != nil && tt.exit != 1 {
				t.Errorf("its own answer is not accepted in strict mode: %v", back.err)
			}
		})
	}
}

func TestMessagesForTheModelOnly(t *testing.T) {
	ans, _, err := claude.NewCodec(claude.CodecOptions{SystemMessage: claude.ToModel}).EncodeOutcome(bash(), &hook.Outcome{SystemMessages: []string{"m"}, Notices: []string{"n"}})
	if want := `{"systemMessage":"n","hookSpecificOutput":{"hookEventName":"PreToolUse","additionalContext":"m"}}` + "\n"; err != nil || string(ans.Stdout) != want {
		t.Errorf("%s %v", ans.Stdout, err)
	}
}
