//go:build unix

package command_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/hookline-dev/hookline/handler/command"
	"github.com/hookline-dev/hookline/handler/internal/codectest"
	"github.com/hookline-dev/hookline/handler/process"
	"github.com/hookline-dev/hookline/hook"
)

const lineGuard = `read -r line
case $line in
*'rm -rf'*) echo "no rm -rf here" >&2; exit 2 ;;
esac
`

func builtin(t testing.TB, line string) *command.Hook {
	t.Helper()
	return &command.Hook{Command: line, Shell: command.Builtin, Codec: codectest.Codec{}}
}

func TestBuiltinShell(t *testing.T) {
	h := builtin(t, lineGuard)
	got := fire(t, h, bashTool("rm -rf /"), time.Minute)
	if got.Decision != hook.DecisionDeny || got.Reason != "no rm -rf here" || !got.noted("shell: built in") || *got.run.Report.ExitCode != 2 {
		t.Errorf("%v %q, %q", got.Decision, got.Reason, got.run.Notes)
	}
	if got := fire(t, h, bashTool("ls"), time.Minute); got.Decision == hook.DecisionDeny || got.run.Status != hook.StatusRan {
		t.Errorf("%v, %v", got.Decision, got.run.Err)
	}
}

// TestBuiltinFallsBack runs by a real shell what the built-in one cannot.
func TestBuiltinFallsBack(t *testing.T) {
	need(t, "sh")
	h := builtin(t, `cat >/dev/null; eval 'echo "{\"decision\":\"deny\",\"reason\":\"evaluated\"}"'`)
	got := fire(t, h, bashTool("ls"), time.Minute)
	if got.Decision != hook.DecisionDeny || !got.noted("since the built-in shell has no eval (line 1)") {
		t.Errorf("%v, %q", got.Decision, got.run.Notes)
	}
	// A syntax error is reported by a real shell, as without the built-in one.
	h = builtin(t, "if then")
	if got := fire(t, h, bashTool("ls"), time.Minute); !got.noted("since read the script") || got.run.Report.ExitCode == nil || *got.run.Report.ExitCode == 0 {
		t.Errorf("%v, %q", got.run.Err, got.run.Notes)
	}
}

func TestBuiltinTimeout(t *testing.T) {
	got := fire(t, builtin(t, "while :; do :; done"), bashTool("ls"), 200*time.Millisecond)
	got.failure(t, hook.FailureTimeout, "")
}

func TestBuiltinNotFound(t *testing.T) {
	got := fire(t, builtin(t, "no-such-command-here --flag"), bashTool("ls"), time.Minute)
	got.failure(t, hook.FailureLaunch, "command not found: no-such-command-here")
}

// TestBuiltinRunTimeFailure has a name that a shell would split: no consent, no refusal.
func TestBuiltinRunTimeFailure(t *testing.T) {
	got := fire(t, builtin(t, `x='a b'; echo '{"decision":"allow"}'; $x/kill 1`), bashTool("ls"), time.Minute)
	if got.Decision == hook.DecisionAllow || got.run.Status != hook.StatusFailed {
		t.Errorf("%v, %v", got.Decision, got.run.Status)
	}
}

// TestBuiltinDoesNotPrewarm has nothing to start ahead, until a real shell runs it.
func TestBuiltinDoesNotPrewarm(t *testing.T) {
	h := builtin(t, lineGuard)
	h.Prewarm, h.Pool = 1, &process.Pool{}
	t.Cleanup(h.Pool.Close)
	if err := h.Warm(&hook.Call{Input: bashTool("ls")}); err != nil {
		t.Fatal(err)
	}
	if got := fire(t, h, bashTool("ls"), time.Minute); got.noted("prewarmed") || h.Pool.Waiting() != 0 {
		t.Errorf("%q", got.run.Notes)
	}
}

// BenchmarkBuiltin runs two guards through an engine, in the environment that a hook
// has.
func BenchmarkBuiltin(b *testing.B) {
	file := filepath.Join(b.TempDir(), "guard.sh")
	if err := os.WriteFile(file, []byte(bashGuard), 0o755); err != nil {
		b.Fatal(err)
	}
	for _, c := range []struct{ name, line string }{
		{"read+case", lineGuard},
		{"bash+jq file", file},
		{"bash+jq line", bashGuard},
	} {
		b.Run(c.name, func(b *testing.B) {
			in := bashTool("rm -rf /")
			h := builtin(b, c.line)
			h.Base = append([]string{"PATH=" + os.Getenv("PATH")}, manyVariables()...)
			eng := engine(b, h, in.Event(), time.Minute)
			b.ReportAllocs()
			for b.Loop() {
				if out, err := eng.Fire(b.Context(), in); err != nil || out.Decision != hook.DecisionDeny {
					b.Fatal(err, out.Decision, out.Runs[0].Err)
				}
			}
		})
	}
}

// manyVariables is an environment of an ordinary size.
func manyVariables() (env []string) {
	for i := range 60 {
		env = append(env, "SOME_VARIABLE_"+string(rune('A'+i%26))+string(rune('A'+i/26))+"=/some/value/of/ordinary/length")
	}
	return env
}
