//go:build unix

package bridge_test

import (
	"context"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hookline-dev/hookline/bridge"
	"github.com/hookline-dev/hookline/hook"
	"github.com/hookline-dev/hookline/host"
)

// TestHooksSeeTheEnvironmentOfEachCall has one session whose calls come with other
// environments: of the second one the first one's would be wrong.
func TestHooksSeeTheEnvironmentOfEachCall(t *testing.T) {
	r := newRoom(t, func(*hook.Registry) {})
	write(t, filepath.Join(r.home, ".config", "hookline", "settings.json"), `{"hooks":{
		"PreToolUse":[{"hooks":[{"type":"command","command":"echo \"turn=$TURN key=$API_KEY path=$PATH long=${#LONG}\" >&2; exit 2"}]}],
		"SessionStart":[{"hooks":[{"type":"command","command":"echo export MADE=1 >> \"$CLAUDE_ENV_FILE\""}]}]}}`)
	rooms := &bridge.Rooms{Project: func(*bridge.Call) string { return r.dir }, Load: func(ctx context.Context, c *bridge.Call) (*host.Host, error) {
		return host.Open(ctx, host.Options{Dir: c.Dir, Getenv: c.Getenv, Environ: c.Environ, Dialects: r.Dialects})
	}}
	t.Cleanup(func() {
		if err := rooms.Close(); err != nil {
			t.Error(err)
		}
	})
	var problems []string
	r.Open, r.Problem = rooms.Open, func(err error) { problems = append(problems, err.Error()) }
	ask := func(event, payload string, environ ...string) string {
		environ = append([]string{"HOME=" + r.home, "PATH=/usr/bin:/bin"}, environ...)
		a := r.Answer(t.Context(), &bridge.Call{Host: "claude", Event: event, Payload: []byte(payload), Dir: r.dir, Environ: environ})
		return string(a.Stdout) + string(a.Stderr)
	}
	file := filepath.Join(r.home, "env.sh")
	start := strings.NewReplacer("PreToolUse", "SessionStart").Replace(r.bash("ls"))
	if out := ask("SessionStart", start, "CLAUDE_ENV_FILE="+filepath.Join(r.home, "other.sh")); out != "" {
		t.Errorf("told %s", out)
	}
	if out := ask("SessionStart", start, "CLAUDE_ENV_FILE="+file); out != "" || read(t, file) != "export MADE=1\n" {
		t.Errorf("told %s, the file has %q", out, read(t, file))
	}
	for _, turn := range []string{"1", "2"} {
		out := ask("PreToolUse", r.bash("ls"), "TURN="+turn, "API_KEY=k"+turn, "PATH=/evil"+turn)
		if !strings.Contains(out, "turn="+turn+" key= path=/usr/bin:/bin ") {
			t.Errorf("turn %s: %s", turn, out)
		}
	}
	if out := ask("PreToolUse", r.bash("ls"), "LONG="+strings.Repeat("x", 300<<10), "TURN=3"); !strings.Contains(out, "long=0") || len(problems) != 1 {
		t.Errorf("of a large environment: %s %q", out, problems)
	}
}
