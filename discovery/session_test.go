//go:build unix

package discovery_test

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/hookline-dev/hookline/discovery"
	"github.com/hookline-dev/hookline/hook"
	"github.com/hookline-dev/hookline/trust"
)

// TestChangeDuringASessionNeitherRunsNorSwitchesTheGuardOff edits an approved hook of
// each kind in the middle of a session, as a model could: the old content stays in
// force until the new one is approved.
func TestChangeDuringASessionNeitherRunsNorSwitchesTheGuardOff(t *testing.T) {
	kinds := map[string]struct {
		path string
		text func(reason string) string
		more map[string]string
	}{
		"settings": {".claude/hooks/guard.sh", func(reason string) string {
			return "#!/bin/sh\ncat >/dev/null\necho " + reason + " >&2\nexit 2\n"
		}, map[string]string{".claude/settings.json": `{"hooks":{"PreToolUse":[{"hooks":[{"name":"guard","type":"command","command":"\"$CLAUDE_PROJECT_DIR\"/.claude/hooks/guard.sh"}]}]}}`}},
		"executable": {".hookline/hooks/guard", func(reason string) string {
			return twoVerbs("before_tool_call", `{"blocked":true,"reason":"`+reason+`"}`)
		}, nil},
		"worker": {".hookline/workers/guard", func(reason string) string { return "#!/bin/sh\n" + denyWorker(reason) }, nil},
		"worker of a settings file": {
			".claude/hooks/guard.sh", denyWorker,
			map[string]string{".claude/settings.json": `{"hooks":{"PreToolUse":[{"hooks":[{"name":"guard","type":"worker","command":"sh","args":[".claude/hooks/guard.sh"]}]}]}}`},
		},
		"worker of a settings file, by a shell": {
			".claude/hooks/guard.sh", func(reason string) string { return "#!/bin/sh\n" + denyWorker(reason) },
			map[string]string{".claude/settings.json": `{"hooks":{"PreToolUse":[{"hooks":[{"name":"guard","type":"worker","command":"\"$CLAUDE_PROJECT_DIR\"/.claude/hooks/guard.sh"}]}]}}`},
		},
		"module": {".hookline/modules/guard.js", func(reason string) string {
			return `export default (pi) => pi.on("tool_call", () => ({ block: true, reason: "` + reason + `" }));`
		}, nil},
	}
	for name, k := range kinds {
		t.Run(name, func(t *testing.T) {
			p := newPlace(t)
			file := p.write(p.dirs.Project, k.path, k.text("first"))
			for path, text := range k.more {
				p.write(p.dirs.Project, path, text)
			}
			store := trust.NewStore(discovery.TrustDir(p.dirs))
			approve := func(set *discovery.Set) {
				t.Helper()
				if _, err := store.Approve(t.Context(), trust.ApproveOptions{How: trust.HowCommand}, set.Hooks[0].Artifact); err != nil {
					t.Fatal(err)
				}
			}
			_, set := p.register(p.loader(func(o *discovery.Options) { o.Gate = nil }))
			if set.Hooks[0].Status != discovery.Untrusted {
				t.Fatalf("before approval it is %s", set.Hooks[0].Status)
			}
			approve(set)

			gate := trust.NewGate(trust.GateOptions{Store: store, Copies: trust.Copies{Dir: discovery.CopiesDir(p.dirs)}})
			l := p.loader(func(o *discovery.Options) { o.Gate = gate })
			reg := hook.NewRegistry()
			if _, err := l.Register(t.Context(), reg); err != nil {
				t.Fatal(err)
			}
			gate.Seal()
			e := hook.New(reg)
			defer e.Close()
			check := func(when, reason string) {
				t.Helper()
				if out := p.fire(e, bash("ls")); out.Reason != reason {
					t.Errorf("%s: %v %q, %v", when, out.Decision, out.Reason, out.Runs[0].Err)
				}
			}
			check("approved", "first")

			if err := os.WriteFile(file, []byte(k.text("changed")), 0o755); err != nil {
				t.Fatal(err)
			}
			check("changed on disk", "first")
			set, _, err := l.Refresh(t.Context(), reg)
			if err != nil {
				t.Fatal(err)
			}
			check("changed and refreshed", "first")
			if !strings.Contains(fmt.Sprint(set.Hooks[0].Why), "stays in force") {
				t.Errorf("the change is not reported: %+v", set.Hooks[0])
			}

			// The person approves what is there now.
			fresh := discovery.New(discovery.Options{Dirs: p.dirs})
			defer fresh.Close()
			now, err := fresh.Load(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			approve(now)
			if err := os.Chtimes(file, time.Time{}, time.Now().Add(time.Second)); err != nil { // so that the refresh looks again
				t.Fatal(err)
			}
			if _, _, err := l.Refresh(t.Context(), reg); err != nil {
				t.Fatal(err)
			}
			check("approved anew", "changed")
		})
	}
}

func TestManagedHookThatCannotBeTrustedClosesItsGate(t *testing.T) {
	p := newPlace(t)
	path := p.write(p.dirs.Managed, "hooks/guard", twoVerbs("before_tool_call", ""))
	if err := os.Chmod(path, 0o777); err != nil {
		t.Fatal(err)
	}
	e, _ := p.register(p.loader(func(o *discovery.Options) { o.Gate = nil }))
	if out := p.fire(e, bash("ls")); out.Decision != hook.DecisionDeny || !strings.Contains(out.Reason, "managed hook cannot run") {
		t.Errorf("%v %q", out.Decision, out.Reason)
	}
}
