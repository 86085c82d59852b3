//go:build linux || darwin

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/hookline-dev/hookline/host"
	"github.com/hookline-dev/hookline/internal/recording"
	"github.com/hookline-dev/hookline/internal/redact"
)

const devModule = `export default (pi) => { pi.on("tool_call", (e) => e.input.command === "one" ? { block: true, reason: "said REASON", nonsense: 1 } : undefined) }
`

// A save shows what changed, is approved by one key, and is tried.
func TestDev(t *testing.T) {
	r := prepareTerminal(t, chatTurns, "dev", "guard")
	r.cmd.Args = r.cmd.Args[:3] // without a model
	write := func(name, text string) {
		path := filepath.Join(r.cmd.Dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	save := func(reason string) {
		write(".hookline/modules/guard.ts", strings.Replace(devModule, "REASON", reason, 1))
	}
	save("first")
	write(".hookline/guard.hooktest.yaml", `tests:
  - {name: case, event: PreToolUse, only: [guard], input: {command: one}, expect: {decision: deny, reason: second}}
  - {name: of another, event: PreToolUse, only: [nobody], expect: {decision: deny}}
`)
	home := ""
	for _, v := range r.cmd.Env {
		if strings.HasPrefix(v, "HOME=") {
			home = v[len("HOME="):]
		}
	}
	payload := `{"hook_event_name":"PreToolUse","session_id":"s","cwd":"/","tool_name":"Bash","tool_input":{"command":"one"}}`
	e := recording.Entry{Time: time.Now(), Agent: host.RecordedAgent, Event: "PreToolUse", Session: "s", Payload: jsontext.Value(payload)}
	if err := recording.In(filepath.Join(home, ".local", "state", "hookline")).Add(t.Context(), redact.New(nil), e); err != nil {
		t.Fatal(err)
	}
	r.start()
	r.wait("Approve guard as it is now?")
	r.send("y\r")
	r.wait("FAIL  case")
	r.wait("PreToolUse Bash: deny  said first")
	r.wait("Waiting for changes of 2 files")
	save("second")
	r.wait(`+export default`)
	r.send("y\r")
	r.wait("pass  case")
	r.wait("1 passed, 0 failed")
	r.wait("PreToolUse Bash: deny  said second")
	save("third")
	r.wait(`said third`)
	r.send("\r") // no
	r.wait("guard is not approved")
	r.send("\x03")
	r.ended(130)
}

// What runs by itself is what lies beside the hook, saved by a person.
func TestDevYes(t *testing.T) {
	s := newStage(t)
	s.write("tools/check.sh", "exit 2\n")
	s.write(".claude/settings.json", `{"hooks":{"PreToolUse":[{"hooks":[{"name":"guard","type":"command","command":"sh tools/check.sh"}]}]}}`)
	watch, err := newFileWatch()
	if err != nil {
		t.Fatal(err)
	}
	defer watch.close()
	round := func() error { return s.devApprove(t.Context(), devOptions{name: "guard", yes: true}, watch) }
	if err := round(); err == nil || !strings.Contains(err.Error(), "check.sh, which is outside of") {
		t.Errorf("error %v", err)
	}
	s.write(".claude/settings.json", `{"hooks":{"PreToolUse":[{"hooks":[{"name":"guard","type":"command","command":"sh .claude/check.sh"}]}]}}`)
	s.write(".claude/check.sh", "exit 2\n")
	if err := round(); err != nil {
		t.Fatal(err)
	}
	s.out.Reset()
	_ = runStatus(t.Context(), s.app, statusOptions{})
	s.has(s.out, "guard: approved")
	getenv := s.getenv
	s.getenv = func(k string) string {
		if k == "CLAUDECODE" {
			return "1"
		}
		return getenv(k)
	}
	if code, _ := exitCode(runDev(t.Context(), s.app, devOptions{yes: true})); code != exitUsage {
		t.Errorf("inside an agent it ends with %d", code)
	}
}
