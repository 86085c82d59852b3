//go:build unix

package command_test

import (
	"path/filepath"
	"testing"

	"github.com/hookline-dev/hookline/handler/command"
	"github.com/hookline-dev/hookline/handler/internal/codectest"
	"github.com/hookline-dev/hookline/hook"
	"github.com/hookline-dev/hookline/hook/hooktest"
)

func TestConformance(t *testing.T) {
	for _, shell := range []command.Shell{command.Sh, command.Builtin, command.BuiltinBash} {
		t.Run(string(shell), func(t *testing.T) {
			starts := filepath.Join(t.TempDir(), "starts")
			hooktest.TestKind(t, hooktest.Kind{
				Make: func(t testing.TB, b hooktest.Behaviour) (hook.Handler, bool) {
					line, ok := codectest.Script(b)
					h := sh(t, `echo x >> "$STARTS"; `+line)
					h.Shell = shell
					h.Env = vars("STARTS=" + starts)
					return h, ok
				},
				Starts: func() int { return count(t, starts) },
			})
		})
	}
}
