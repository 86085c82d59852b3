package claude_test

import (
	"testing"

	"github.com/hookline-dev/hookline/dialect/claude"
	"github.com/hookline-dev/hookline/hook"
	"github.com/hookline-dev/hookline/hook/hooktest"
)

// TestCommandHooksKeepTheRules runs the rules that every kind of hook keeps over
// command hooks of this dialect.
func TestCommandHooksKeepTheRules(t *testing.T) {
	needSh(t)
	specific := func(fields string) string {
		return `cat >/dev/null; echo '{"hookSpecificOutput":{"hookEventName":"PreToolUse",` + fields + `}}'`
	}
	lines := map[hooktest.Behaviour]string{
		hooktest.Silent:     `cat >/dev/null`,
		hooktest.Allow:      specific(`"permissionDecision":"allow"`),
		hooktest.Deny:       `cat >/dev/null; echo '` + hooktest.DenyReason + `' >&2; exit 2`,
		hooktest.Ask:        specific(`"permissionDecision":"ask"`),
		hooktest.Context:    specific(`"additionalContext":"` + hooktest.ContextText + `"`),
		hooktest.Rewrite:    specific(`"updatedInput":{"command":"` + hooktest.RewrittenCmd + `"}`),
		hooktest.Fail:       `exit 3`,
		hooktest.Garbage:    `echo '{"decision": perhaps}'`,
		hooktest.Hang:       `sleep 60`,
		hooktest.GoAsync:    `cat >/dev/null; echo '{"async":true}'; ` + specific(`"additionalContext":"`+hooktest.LateText+`"`),
		hooktest.Echo:       `id=$(sed 's/.*"id": *\([^,}]*\).*/\1/'); printf '{"hookSpecificOutput":{"hookEventName":"PreToolUse","additionalContext":"%s"}}' "$id"`,
		hooktest.WrongField: specific(`"updatedToolOutput":"x"`),
	}
	hooktest.TestKind(t, hooktest.Kind{
		Make: func(t testing.TB, b hooktest.Behaviour) (hook.Handler, bool) {
			line, ok := lines[b]
			if !ok {
				return nil, false
			}
			dir := t.TempDir()
			s, _ := claude.ParseSettings("settings.json", []byte(commandSettings("PreToolUse", line)), claude.Options{Scope: claude.ScopeUser})
			regs, diags := s.Registrations(claude.Builder{ProjectDir: dir})
			if len(regs) != 1 || len(diags) > 0 {
				t.Fatal(regs, diags)
			}
			h := regs[0].Handler
			return h, true
		},
	})
}
