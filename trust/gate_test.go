package trust

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
)

func TestNothingOfAProjectRunsUnapproved(t *testing.T) {
	b := newBench(t)
	g := b.gate()
	for _, level := range []string{"project", "local", "", "plugin", "Managed"} {
		a := b.hook
		a.Level = level
		v := b.check(g, a, false, "untrusted")
		if g.CheckFile(a.Files[0], v.Digest) {
			t.Errorf("level %q: a file is allowed", level)
		}
	}
	b.approve(b.hook)
	b.check(g, b.hook, true, "")
}

// TestAnyChangeIsUntrustedAgain changes one thing at a time and takes it back.
func TestAnyChangeIsUntrustedAgain(t *testing.T) {
	for name, change := range map[string]func(b *bench) Artifact{
		"one byte of the script": func(b *bench) Artifact { b.write("hooks/guard.sh", "#!/bin/sh\nexit 1\n", 0o755); return b.hook },
		"its mode": func(b *bench) Artifact {
			if runtime.GOOS == "windows" {
				b.t.Skip("permission bits mean little on Windows")
			}
			b.write("hooks/guard.sh", "#!/bin/sh\nexit 0\n", 0o700)
			return b.hook
		},
		"it is gone": func(b *bench) Artifact { os.Remove(b.path("hooks/guard.sh")); return b.hook },
		"a further file": func(b *bench) Artifact {
			b.write("hooks/lib.sh", "x", 0o644)
			a := b.hook
			a.Files = append(a.Files, b.path("hooks/lib.sh"))
			return a
		},
		"the definition":  func(b *bench) Artifact { a := b.hook; a.Definition += " "; return a },
		"the source":      func(b *bench) Artifact { a := b.hook; a.Source = b.path("other.json"); return a },
		"the dialect":     func(b *bench) Artifact { a := b.hook; a.Dialect = "kodelet"; return a },
		"what it asks":    func(b *bench) Artifact { a := b.hook; a.Capabilities = []string{"exec"}; return a },
		"what it shadows": func(b *bench) Artifact { a := b.hook; a.Replaces = "user guard"; return a },
		"a link": func(b *bench) Artifact {
			b.write("hooks/real.sh", "#!/bin/sh\nexit 0\n", 0o755)
			os.Remove(b.path("hooks/guard.sh"))
			if err := os.Symlink("real.sh", b.path("hooks/guard.sh")); err != nil {
				b.t.Skipf("no links here: %v", err)
			}
			return b.hook
		},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			b.approve(b.hook)
			b.check(b.gate(), b.hook, true, "")
			changed := change(b)
			b.check(b.gate(), changed, false, "untrusted")
			os.Remove(b.path("hooks/guard.sh"))
			b.write("hooks/guard.sh", "#!/bin/sh\nexit 0\n", 0o755)
			b.check(b.gate(), b.hook, true, "")
		})
	}
}

func TestOrderAndPlaceDoNotMatter(t *testing.T) {
	b := newBench(t)
	b.write("hooks/a.sh", "a", 0o755)
	a := b.hook
	a.Files = append(a.Files, b.path("hooks/a.sh"))
	a.Capabilities = []string{"exec", "net:x"}
	b.approve(a)
	a.Files = []string{a.Files[1], a.Files[0], a.Files[1]}
	a.Capabilities = []string{"net:x", "exec"}
	a.Name = "guard #2"
	b.check(b.gate(), a, true, "")
}

func TestNamesOfFilesAreNotRunTogether(t *testing.T) {
	a := digestOf(Artifact{Dialect: "a", Definition: "bc"}, State{})
	b := digestOf(Artifact{Dialect: "ab", Definition: "c"}, State{})
	c := digestOf(Artifact{Dialect: "a", Definition: "bc"}, State{Files: []FileState{{Path: "x\n1:y"}}})
	d := digestOf(Artifact{Dialect: "a", Definition: "bc"}, State{Files: []FileState{{Path: "x"}, {Path: "y"}}})
	if a == b || c == d || a == c {
		t.Error("two artifacts have one digest")
	}
}

func TestApprovalOfOneProjectDoesNotCountInAnother(t *testing.T) {
	b := newBench(t)
	b.approve(b.hook)
	other := filepath.Join(filepath.Dir(b.root), "other")
	if err := os.CopyFS(other, os.DirFS(b.root)); err != nil {
		t.Fatal(err)
	}
	a := b.hook
	a.Root, a.Source, a.Files = other, filepath.Join(other, "settings.json"), []string{filepath.Join(other, "hooks/guard.sh")}
	b.check(b.gate(), a, false, "untrusted")
	// A pointer to the approved project, under the project's control, changes nothing.
	if err := os.MkdirAll(filepath.Join(other, ".git"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"commondir", "gitdir"} {
		if err := os.WriteFile(filepath.Join(other, ".git", name), []byte(filepath.Join(b.root, ".git")), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	b.check(b.gate(), a, false, "untrusted")
}

func TestProjectThroughALinkIsTheSameProject(t *testing.T) {
	b := newBench(t)
	b.approve(b.hook)
	link := filepath.Join(filepath.Dir(b.root), "link")
	if err := os.Symlink(b.root, link); err != nil {
		t.Skipf("no links here: %v", err)
	}
	a := b.hook
	a.Root, a.Source, a.Files = link, filepath.Join(link, "settings.json"), []string{filepath.Join(link, "hooks", "guard.sh")}
	b.check(b.gate(), a, true, "")
}

func TestLinksOutOfTheProject(t *testing.T) {
	b := newBench(t)
	outside := filepath.Join(filepath.Dir(b.root), "outside.sh")
	if err := os.WriteFile(outside, []byte("#!/bin/sh\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	os.Remove(b.path("hooks/guard.sh"))
	if err := os.Symlink(outside, b.path("hooks/guard.sh")); err != nil {
		t.Skipf("no links here: %v", err)
	}
	b.check(b.gate(), b.hook, false, "leads out of the project")
	_, err := b.store.Approve(t.Context(), ApproveOptions{}, b.hook)
	if _, ok := errors.AsType[*EscapeError](err); !ok {
		t.Errorf("approved: %v", err)
	}
	b.check(b.gate(func(o *GateOptions) { o.TrustProject = true }), b.hook, false, "leads out of the project")
	// The person's own hooks may be links into a place for such files.
	a := b.hook
	a.Level = "user"
	b.check(b.gate(), a, true, "")
	// The same for a directory on the way, and for the defining file.
	os.Remove(b.path("hooks/guard.sh"))
	os.Remove(b.path("hooks"))
	if err := os.Symlink(filepath.Dir(outside), b.path("hooks")); err != nil {
		t.Fatal(err)
	}
	a = b.hook
	a.Files = []string{b.path("hooks/outside.sh")}
	b.check(b.gate(), a, false, "leads out of the project")
	a.Files, a.Source = nil, b.path("hooks/outside.sh")
	b.check(b.gate(), a, false, "leads out of the project")
}

func TestUserAndManagedHooks(t *testing.T) {
	b := newBench(t)
	user, managed := b.hook, b.hook
	user.Level, managed.Level = "user", "managed"
	b.check(b.gate(), user, true, "")
	b.check(b.gate(), managed, true, "")
	if runtime.GOOS == "windows" {
		t.Skip("modes and owners mean little on Windows")
	}
	for _, mode := range []os.FileMode{0o775, 0o757} {
		b.write("hooks/guard.sh", "#!/bin/sh\n", mode)
		b.check(b.gate(), user, false, "is writable by")
		b.check(b.gate(), managed, false, "is writable by")
	}
	b.approve(user) // by content nevertheless
	b.check(b.gate(), user, true, "")
	b.write("hooks/guard.sh", "#!/bin/sh\necho\n", 0o755)
	b.check(b.gate(), user, true, "")
	if err := os.Chmod(b.path("hooks"), 0o777); err != nil {
		t.Fatal(err)
	}
	b.check(b.gate(), user, false, "is writable by everybody")
	if err := os.Chmod(b.path("hooks"), 0o777|os.ModeSticky); err != nil {
		t.Fatal(err)
	}
	b.check(b.gate(), user, true, "")
	if err := os.Chmod(b.path("hooks"), 0o755); err != nil {
		t.Fatal(err)
	}
	if os.Getuid() != 0 {
		t.Skip("changing owners needs root")
	}
	for _, name := range []string{"hooks/guard.sh", "hooks", "settings.json"} {
		if err := os.Chown(b.path(name), 12345, 12345); err != nil {
			t.Fatal(err)
		}
		b.check(b.gate(), user, false, "belongs to user 12345")
		b.check(b.gate(), managed, false, "belongs to user 12345")
		if err := os.Chown(b.path(name), 0, 0); err != nil {
			t.Fatal(err)
		}
	}
	b.check(b.gate(), user, true, "")
}

// TestUserHookThatRunsFilesOfTheProject has a hook of the person's settings that
// names a script which the project supplies.
func TestUserHookThatRunsFilesOfTheProject(t *testing.T) {
	b := newBench(t)
	home := filepath.Join(filepath.Dir(b.root), "home")
	must(t, os.MkdirAll(home, 0o755))
	must(t, os.WriteFile(filepath.Join(home, "settings.json"), []byte("{}"), 0o644))
	must(t, os.WriteFile(filepath.Join(home, "own.sh"), []byte("x"), 0o755))
	a := b.hook
	a.Level, a.Source = "user", filepath.Join(home, "settings.json")
	b.check(b.gate(), a, false, "it runs hooks/guard.sh of the project")
	b.approve(a)
	b.check(b.gate(), a, true, "")
	b.write("hooks/guard.sh", "changed", 0o755)
	b.check(b.gate(), a, false, "untrusted")
	a.Level = "managed" // the administrator knows
	b.check(b.gate(), a, true, "")
	a.Level, a.Files = "user", []string{filepath.Join(home, "own.sh"), b.path("hooks/none.sh")}
	b.check(b.gate(), a, true, "")
	b.write("hooks/none.sh", "there now", 0o755)
	b.check(b.gate(), a, false, "untrusted")
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

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
	if v := b.check(g, user, false, "changed since the session started"); !v.Held {
		t.Error("the old content of the user's hook is not held")
	}
	if v := b.check(g, b.hook, false, "changed since it was approved"); !v.Held {
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
	f, err := g.OpenVerified(path, digest)
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
	if v := b.check(g, b.hook, false, "untrusted"); v.Held || g.CheckFile(b.hook.Files[0], digest) {
		t.Error("what was revoked still runs")
	}
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

func TestAnswers(t *testing.T) {
	b := newBench(t)
	g := b.gate()
	v := b.check(g, b.hook, false, "untrusted")
	if p := g.Pending(); len(p) != 1 || p[0].Name != "guard" {
		t.Fatalf("pending: %v", p)
	}
	if err := g.Answer(t.Context(), b.hook, v.Digest, NotNow); err != nil {
		t.Fatal(err)
	}
	b.check(g, b.hook, false, "untrusted")
	if p := g.Pending(); len(p) != 0 {
		t.Errorf("asked again in the session: %v", p)
	}
	g = b.gate() // the next session asks again
	b.check(g, b.hook, false, "untrusted")
	if p := g.Pending(); len(p) != 1 {
		t.Errorf("not asked: %v", p)
	}
	if err := g.Answer(t.Context(), b.hook, v.Digest, Never); err != nil {
		t.Fatal(err)
	}
	for _, g := range []*SessionGate{g, b.gate()} {
		b.check(g, b.hook, false, "refused")
		if p := g.Pending(); len(p) != 0 {
			t.Errorf("asked after never: %v", p)
		}
	}
	// It is about this content only.
	b.write("hooks/guard.sh", "other", 0o755)
	v2 := b.check(g, b.hook, false, "untrusted")
	if p := g.Pending(); len(p) != 1 {
		t.Errorf("not asked after a change: %v", p)
	}
	// What the person has not seen is not approved.
	b.write("hooks/guard.sh", "exchanged while the person reads", 0o755)
	err := g.Answer(t.Context(), b.hook, v2.Digest, Yes)
	if _, ok := errors.AsType[*DigestError](err); !ok {
		t.Errorf("approved what was not shown: %v", err)
	}
	v3 := b.check(g, b.hook, false, "untrusted")
	if err := g.Answer(t.Context(), b.hook, v3.Digest, Yes); err != nil {
		t.Fatal(err)
	}
	b.check(g, b.hook, true, "")
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
	if _, ok := errors.AsType[*UnsafeStoreError](err); !ok {
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
				g.Pending()
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
	env["CLAUDECODE"] = "1"
	if got := InsideAgent(get); got != "CLAUDECODE" {
		t.Errorf("got %q", got)
	}
}
