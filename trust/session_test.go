package trust

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

func TestSessionSnapshotHolds(t *testing.T) {
	b := newBench(t)
	user := b.hook
	user.Level = "user"
	b.approve(b.hook)
	g := b.gate()
	first := b.check(g, user, true, "")
	b.check(g, b.hook, true, "")
	g.Seal()
	digest, _, err := digestFile(b.hook.Files[0], nil)
	if err != nil {
		t.Fatal(err)
	}
	b.write("hooks/guard.sh", "#!/bin/sh\ntouch /tmp/pwned\n", 0o755)
	changed, _, err := digestFile(b.hook.Files[0], nil)
	if err != nil {
		t.Fatal(err)
	}
	if v := b.check(g, user, false, "changed since the session started"); !v.AllowedBefore {
		t.Error("the old content of the user's hook is not held")
	}
	if v := b.check(g, b.hook, false, "changed since it was approved"); !v.AllowedBefore {
		t.Error("the old content of the project's hook is not held")
	}
	if g.CheckFile(b.hook.Files[0], changed) || !g.CheckFile(b.hook.Files[0], digest) {
		t.Error("the file's content of the session's start does not hold")
	}
	if got := readVerifiedCopy(t, g, b.hook.Files[0], digest); got != "#!/bin/sh\nexit 0\n" {
		t.Errorf("the copy says %q", got)
	}
	// A hook that was not there when the session started.
	b.write("hooks/new.sh", "x", 0o755)
	fresh := user
	fresh.Name, fresh.Files = "new", []string{b.path("hooks/new.sh")}
	b.check(g, fresh, false, "changed since the session started")
	// Approving makes it run; so does taking the change back.
	b.approve(user)
	b.check(g, user, true, "")
	if !g.CheckFile(b.hook.Files[0], changed) {
		t.Error("approved content does not run")
	}
	b.write("hooks/guard.sh", "#!/bin/sh\nexit 0\n", 0o755)
	if v := b.check(g, user, true, ""); v.Digest != first.Digest {
		t.Error("the digest differs")
	}
}

func readVerifiedCopy(t *testing.T, g *SessionGate, path, digest string) string {
	t.Helper()
	f, err := g.opts.Copies.Open(path, digest)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	data, err := io.ReadAll(f)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func TestRevokedWhileTheSessionRuns(t *testing.T) {
	b := newBench(t)
	b.approve(b.hook)
	g := b.gate()
	b.check(g, b.hook, true, "")
	digest, _, _ := digestFile(b.hook.Files[0], nil)
	if _, err := b.store.Revoke(t.Context(), b.hook); err != nil {
		t.Fatal(err)
	}
	if v := b.check(g, b.hook, false, "untrusted"); v.AllowedBefore || g.CheckFile(b.hook.Files[0], digest) {
		t.Error("what was revoked still runs")
	}
}

// A hook that is named runs, and approves no other one, nor itself for later.
func TestTrustNames(t *testing.T) {
	b := newBench(t)
	g := b.gate(func(o *GateOptions) { o.TrustNames = []string{"guard"} })
	if v := b.check(g, b.hook, true, "nobody approved it"); !v.Override {
		t.Error("it counts as approved")
	}
	other := b.hook
	other.Name, other.Definition = "other", "another one"
	b.check(g, other, false, "untrusted")
	b.check(b.gate(), b.hook, false, "untrusted")
	shadow := b.hook
	shadow.Replaces = "the user's guard"
	b.check(g, shadow, false, "take the place of the user's guard")
	g.Seal()
	b.write("hooks/guard.sh", "changed", 0o755)
	b.check(g, b.hook, false, "changed since the session started")
}

func TestTrustProject(t *testing.T) {
	b := newBench(t)
	var told []string
	g := b.gate(func(o *GateOptions) {
		o.TrustProject = true
		o.OnOverride = func(a Artifact, v Verdict) { told = append(told, a.Name+" "+v.Digest) }
	})
	v := b.check(g, b.hook, true, "nobody approved it")
	b.check(g, b.hook, true, "")
	if !v.Override || len(told) != 1 || told[0] != "guard "+v.Digest {
		t.Errorf("recorded %q", told)
	}
	shadow := b.hook
	shadow.Replaces = "the user's guard"
	b.check(g, shadow, false, "take the place of the user's guard")
	g.Seal()
	b.write("hooks/guard.sh", "changed", 0o755)
	b.check(g, b.hook, false, "changed since the session started")
	approved := b.gate(func(o *GateOptions) { o.TrustProject = true })
	b.approve(b.hook)
	if v := b.check(approved, b.hook, true, ""); v.Override {
		t.Error("an approved hook counts as overridden")
	}
}

func TestARefusalIsOfOneContent(t *testing.T) {
	b := newBench(t)
	g := b.gate()
	b.check(g, b.hook, false, "untrusted")
	if err := b.store.Refuse(t.Context(), b.hook); err != nil {
		t.Fatal(err)
	}
	for _, g := range []*SessionGate{g, b.gate()} {
		b.check(g, b.hook, false, "refused")
	}
	b.write("hooks/guard.sh", "other", 0o755)
	v := b.check(g, b.hook, false, "untrusted")
	// What the person has not seen is not approved.
	b.write("hooks/guard.sh", "exchanged while the person reads", 0o755)
	_, err := b.store.Approve(t.Context(), ApproveOptions{Digests: []string{v.Digest}}, b.hook)
	if _, ok := errors.AsType[*DigestError](err); !ok {
		t.Errorf("approved what was not shown: %v", err)
	}
	b.check(g, b.hook, false, "untrusted")
	// Approving ends a refusal.
	b.write("hooks/guard.sh", "#!/bin/sh\nexit 0\n", 0o755)
	b.check(g, b.hook, false, "refused")
	b.approve(b.hook)
	b.check(g, b.hook, true, "")
}

func TestReplacementIsApprovedInSoManyWords(t *testing.T) {
	b := newBench(t)
	b.approve(b.hook)
	a := b.hook
	a.Replaces = "user guard"
	b.check(b.gate(), a, false, "take the place of user guard")
	_, err := b.store.Approve(t.Context(), ApproveOptions{}, a)
	if e, ok := errors.AsType[*ReplacesError](err); !ok || !strings.Contains(e.Error(), "take the place of") {
		t.Errorf("approved: %v", err)
	}
	if _, err := b.store.Approve(t.Context(), ApproveOptions{Replace: true}, a); err != nil {
		t.Fatal(err)
	}
	b.check(b.gate(), a, true, "")
	d, err := Describe(a)
	if err != nil || !strings.Contains(strings.Join(d.Warnings, "\n"), "takes the place of user guard") {
		t.Errorf("%v %q", err, d.Warnings)
	}
}

func TestStoreThatTheProjectBroughtAlong(t *testing.T) {
	b := newBench(t)
	inside := NewStore(b.path(".state"))
	_, err := inside.Approve(t.Context(), ApproveOptions{}, b.hook)
	if _, ok := errors.AsType[*unsafeStoreError](err); !ok {
		t.Errorf("approved: %v", err)
	}
	// Even a store that says so is not believed.
	b.approve(b.hook)
	if err := os.CopyFS(b.path(".state"), os.DirFS(filepath.Dir(b.store.Path()))); err != nil {
		t.Fatal(err)
	}
	g := NewGate(GateOptions{Store: inside})
	b.check(g, b.hook, false, "untrusted")
	if g.Problem() == nil {
		t.Error("nobody says why")
	}
	link := filepath.Join(filepath.Dir(b.root), "state-link")
	if err := os.Symlink(b.path(".state"), link); err != nil {
		t.Skipf("no links here: %v", err)
	}
	b.check(NewGate(GateOptions{Store: NewStore(link)}), b.hook, false, "untrusted")
}

func TestFilesThatCannotBeLookedAt(t *testing.T) {
	b := newBench(t)
	a := b.hook
	a.Files = []string{b.path("hooks")}
	b.check(b.gate(), a, false, "not a regular file")
	a.Files = nil
	a.Root = ""
	b.check(b.gate(), a, false, "belongs to no directory")
	a.Root = b.path("nowhere")
	b.check(b.gate(), a, false, "untrusted")
	a.Level = "managed"
	b.check(b.gate(), a, false, "untrusted")
}

func TestGateIsSafeForConcurrentUse(t *testing.T) {
	b := newBench(t)
	b.approve(b.hook)
	g := b.gate()
	digest, _, _ := digestFile(b.hook.Files[0], nil)
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			for range 20 {
				a := b.hook
				if i%2 == 1 {
					a.Name, a.Definition = "other", "x"
				}
				if v := g.Check(a); v.Allowed != (i%2 == 0) {
					t.Errorf("allowed %t", v.Allowed)
				}
				g.CheckFile(a.Files[0], digest)
				_ = g.Problem()
			}
		})
	}
	wg.Wait()
}

func TestInsideAgent(t *testing.T) {
	env := map[string]string{}
	get := func(k string) string { return env[k] }
	if got := InsideAgent(get); got != "" {
		t.Errorf("got %q", got)
	}
	// what each agent sets for the commands that its model has it run
	for agent, mark := range map[string]string{
		"Claude Code": "CLAUDECODE", "Codex": "CODEX_THREAD_ID", "GitHub Copilot": "COPILOT_AGENT_SESSION_ID", "Gemini CLI": "GEMINI_CLI", "Qwen Code": "QWEN_CODE",
		"OpenCode": "OPENCODE", "pi": "PI_CODING_AGENT", "oh-my-pi": "OMPCODE", "Antigravity": "ANTIGRAVITY_CONVERSATION_ID", "Cursor": "CURSOR_AGENT", "crush": "CRUSH",
	} {
		env = map[string]string{mark: "1"}
		if got := InsideAgent(get); got != mark {
			t.Errorf("in %s it got %q", agent, got)
		}
	}
}
