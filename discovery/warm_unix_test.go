//go:build unix

package discovery_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hookline-dev/hookline/config"
	"github.com/hookline-dev/hookline/discovery"
	"github.com/hookline-dev/hookline/hook"
	"github.com/hookline-dev/hookline/trust"
)

// eventually waits until something is true.
func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(5 * time.Minute); !ok(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("%s did not come true", what)
		}
	}
}

func lines(file string) int {
	b, _ := os.ReadFile(file)
	return strings.Count(string(b), "\n")
}

// TestWarm starts what waits for events before the first one, which then finds it: of a
// settings entry, of an executable hook and of a worker.
func TestWarm(t *testing.T) {
	p := newPlace(t)
	started := filepath.Join(t.TempDir(), "workers")
	p.write(p.dirs.Project, ".claude/settings.json", `{"hooks": {
		"PreToolUse": [{"hooks": [
			{"type": "command", "name": "entry", "command": "read -r line; echo '{\"systemMessage\": \"done\"}'", "prewarm": 1},
			{"type": "command", "name": "plain", "command": "cat >/dev/null"},
			{"type": "worker", "name": "stays", "command": "sh .claude/hooks/w.sh"}
		]}],
		"SessionStart": [{"hooks": [{"type": "command", "name": "begin", "command": "cat >/dev/null", "prewarm": 1}]}]
	}}`)
	p.write(p.dirs.Project, ".claude/hooks/w.sh", "echo started >>'"+started+"'\n"+strings.Replace(pidWorker, "VERSION", "one", 1))
	p.write(p.dirs.Project, ".hookline/hooks/guard", twoVerbs("before_tool_call", `{"blocked":false}`))
	options := func(o *discovery.Options) { o.Config = &config.Config{Prewarm: map[string]int{"guard": 1}} }
	// The first loader gets to know what the worker says; that of the second is started
	// when it is needed.
	first := p.loader(options)
	p.register(first)
	eventually(t, "the start of the worker", func() bool { return lines(started) == 1 })

	l := p.loader(options)
	e, _ := p.register(l)
	if n := lines(started); n != 1 {
		t.Fatalf("the worker was started %d times", n)
	}
	in := bash("ls")
	in.CWD = p.dirs.Project
	if err := l.Warm(*in.Base()); err != nil {
		t.Fatal(err)
	}
	eventually(t, "a process that waits for each of two hooks", func() bool { return l.Waiting() == 2 })
	eventually(t, "the second start of the worker", func() bool { return lines(started) == 2 })
	out := p.fire(e, in)
	seen := map[string]string{}
	for _, r := range out.Runs {
		if r.Err != nil {
			t.Errorf("%s: %v", r.Hook.Name, r.Err)
		}
		seen[r.Hook.Name] = strings.Join(r.Notes, "; ")
	}
	for name, want := range map[string]bool{"entry": true, "guard": true, "plain": false} {
		notes, ran := seen[name]
		if got := slices.Contains(strings.Split(notes, "; "), "prewarmed"); !ran || got != want {
			t.Errorf("%s: ran %v, notes %q", name, ran, notes)
		}
	}
	if n := lines(started); n != 2 {
		t.Errorf("the worker was started %d times", n)
	}
}

// TestWarmAsksTheGate: what is no longer as it was approved is not started ahead.
func TestWarmAsksTheGate(t *testing.T) {
	p := newPlace(t)
	started := filepath.Join(t.TempDir(), "started")
	script := func(text string) string {
		return p.write(p.dirs.Project, ".claude/hooks/guard.sh", "echo "+text+" >>'"+started+"'\nread -r line\n")
	}
	script("one")
	p.write(p.dirs.Project, ".claude/settings.json", `{"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "sh .claude/hooks/guard.sh", "prewarm": 1}]}]}}`)
	store := trust.NewStore(discovery.TrustDir(p.dirs))
	l := p.loader(func(o *discovery.Options) { o.Gate = trust.NewGate(trust.GateOptions{Store: store}) })
	_, set := p.register(l)
	in := bash("ls")
	in.CWD = p.dirs.Project
	if err := l.Warm(*in.Base()); err != nil || l.Waiting() != 0 {
		t.Errorf("before the approval: %d wait, %v", l.Waiting(), err)
	}
	if _, err := store.Approve(t.Context(), trust.ApproveOptions{How: trust.HowCommand}, set.Hooks[0].Artifact); err != nil {
		t.Fatal(err)
	}
	reg := hook.NewRegistry()
	l = p.loader(func(o *discovery.Options) { o.Gate = trust.NewGate(trust.GateOptions{Store: store}) })
	if _, err := l.Register(t.Context(), reg); err != nil {
		t.Fatal(err)
	}
	script("two")
	if err := l.Warm(*in.Base()); err == nil {
		t.Error("a changed script was started ahead")
	}
	script("one")
	if err := l.Warm(*in.Base()); err != nil {
		t.Error(err)
	}
	eventually(t, "a process that waits", func() bool { return l.Waiting() == 1 })
	eventually(t, "its start", func() bool { return lines(started) == 1 })
	if b, err := os.ReadFile(started); err != nil || string(b) != "one\n" {
		t.Errorf("started %q, %v", b, err)
	}
}
