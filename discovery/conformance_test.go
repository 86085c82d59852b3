//go:build unix

package discovery_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hookline-dev/hookline/dialect/claude"
	"github.com/hookline-dev/hookline/dialect/kodelet"
	"github.com/hookline-dev/hookline/dialect/pi"
	"github.com/hookline-dev/hookline/handler/command"
	"github.com/hookline-dev/hookline/handler/executable"
	"github.com/hookline-dev/hookline/handler/script"
	"github.com/hookline-dev/hookline/hook"
	"github.com/hookline-dev/hookline/hook/hooktest"
)

// claudeScripts say in shell what each behaviour is for a settings-file hook.
var claudeScripts = map[hooktest.Behaviour]string{
	hooktest.Silent:     `cat >/dev/null`,
	hooktest.Allow:      specific(`"permissionDecision":"allow"`),
	hooktest.Deny:       `echo '` + hooktest.DenyReason + `' >&2; exit 2`,
	hooktest.Ask:        specific(`"permissionDecision":"ask","permissionDecisionReason":"sure?"`),
	hooktest.Context:    specific(`"additionalContext":"` + hooktest.ContextText + `"`),
	hooktest.Rewrite:    specific(`"updatedInput":{"command":"` + hooktest.RewrittenCmd + `"}`),
	hooktest.Fail:       `echo broken >&2; exit 1`,
	hooktest.Garbage:    `echo '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"perhaps"}}'`,
	hooktest.Hang:       `sleep 60`,
	hooktest.GoAsync:    `echo '{"async":true,"asyncTimeout":20}'; sleep 0.1; echo '{"hookSpecificOutput":{"hookEventName":"PreToolUse","additionalContext":"` + hooktest.LateText + `"}}'`,
	hooktest.Echo:       `id=$(sed 's/.*"id":\([0-9]*\).*/\1/'); echo '{"hookSpecificOutput":{"hookEventName":"PreToolUse","additionalContext":"'$id'"}}'`,
	hooktest.WrongField: specific(`"updatedToolOutput":"x"`),
}

func specific(members string) string {
	return `echo '{"hookSpecificOutput":{"hookEventName":"PreToolUse",` + members + `}}'`
}

// counting makes a script note each of its starts.
func counting(t testing.TB) (prefix string, starts func() int) {
	log := filepath.Join(t.TempDir(), "starts")
	return "echo x >>" + log + "; ", func() int {
		b, err := os.ReadFile(log)
		if err != nil {
			return 0
		}
		return strings.Count(string(b), "x")
	}
}

func TestSettingsFileHooksKeepTheRules(t *testing.T) {
	prefix, starts := counting(t)
	hooktest.TestKind(t, hooktest.Kind{
		Starts: starts,
		Make: func(_ testing.TB, b hooktest.Behaviour) (hook.Handler, bool) {
			text, ok := claudeScripts[b]
			return &command.Hook{Command: prefix + text, Codec: claude.NewCodec(claude.CodecOptions{})}, ok
		},
	})
}

// kodeletAnswers are what an executable answers; the dialect has no allow, ask,
// context and background.
var kodeletAnswers = map[hooktest.Behaviour]string{
	hooktest.Silent:     ``,
	hooktest.Deny:       `echo '{"blocked":true,"reason":"` + hooktest.DenyReason + `"}'`,
	hooktest.Rewrite:    `echo '{"blocked":false,"input":{"command":"` + hooktest.RewrittenCmd + `"}}'`,
	hooktest.Fail:       `exit 1`,
	hooktest.Garbage:    `echo '{"blocked":"maybe"}'`,
	hooktest.Hang:       `sleep 60`,
	hooktest.WrongField: `echo '{"follow_up_messages":["x"]}'`,
}

func TestExecutableHooksKeepTheRules(t *testing.T) {
	prefix, starts := counting(t)
	hooktest.TestKind(t, hooktest.Kind{
		Starts: starts,
		Make: func(t testing.TB, b hooktest.Behaviour) (hook.Handler, bool) {
			answer, ok := kodeletAnswers[b]
			if !ok {
				return nil, false
			}
			path := filepath.Join(t.TempDir(), "hook")
			text := fmt.Sprintf("#!/bin/sh\n%scase $1 in hook) echo before_tool_call ;; run) cat >/dev/null; %s ;; esac\n", prefix, answer)
			if err := os.WriteFile(path, []byte(text), 0o755); err != nil {
				t.Fatal(err)
			}
			return &executable.Hook{Path: path, Codec: kodelet.Codec{}, Trusted: func(string, string) bool { return true }}, true
		},
	})
}

// piHandlers are handlers of tool_call; the dialect knows blocking and nothing
// else there.
var piHandlers = map[hooktest.Behaviour]string{
	hooktest.Silent:  `() => {}`,
	hooktest.Deny:    `() => ({ block: true, reason: "` + hooktest.DenyReason + `" })`,
	hooktest.Fail:    `() => { throw new Error("boom") }`,
	hooktest.Garbage: `() => { const r = { block: true }; r.self = r; return r }`, // a cycle is not JSON
	hooktest.Hang:    `() => new Promise(() => {})`,
}

func TestModulesKeepTheRules(t *testing.T) {
	hooktest.TestKind(t, hooktest.Kind{
		Make: func(t testing.TB, b hooktest.Behaviour) (hook.Handler, bool) {
			text, ok := piHandlers[b]
			if !ok {
				return nil, false
			}
			path := filepath.Join(t.TempDir(), "m.js")
			if err := os.WriteFile(path, []byte(`export default (pi) => pi.on("tool_call", `+text+`);`), 0o644); err != nil {
				t.Fatal(err)
			}
			m, err := script.Load(t.Context(), path, script.Options{})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() {
				if err := m.Close(); err != nil {
					t.Error(err)
				}
			})
			regs, _ := pi.Registrations(m, pi.NewGroups(hook.NewRegistry()))
			return regs[0].Handler, true
		},
	})
}
