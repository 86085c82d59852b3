package trust

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestStoreRoundTrip(t *testing.T) {
	b := newBench(t)
	a := b.hook
	a.Capabilities = []string{"exec"}
	b.approve(a)
	approvals, refusals, err := b.store.List()
	if err != nil || len(approvals) != 1 || len(refusals) != 0 {
		t.Fatalf("%v %v %v", approvals, refusals, err)
	}
	got := approvals[0]
	st, err := readState(a)
	if err != nil {
		t.Fatal(err)
	}
	if got.Root != b.root || got.Name != "guard" || got.Source != "settings.json" || got.Digest != st.Digest || got.How != HowCommand ||
		len(got.Files) != 1 || got.Files[0].Path != "hooks/guard.sh" || got.Time.IsZero() || !slices.Equal(got.Capabilities, []string{"exec"}) {
		t.Errorf("%+v", got)
	}
	if runtime.GOOS != "windows" {
		info, err := os.Stat(b.store.Path())
		if err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("mode %v, %v", info.Mode(), err)
		}
	}
	ended, err := b.store.RevokeIf(t.Context(), func(a Approval) bool { return a.Root == b.root })
	if err != nil || len(ended) != 1 {
		t.Errorf("%v %v", ended, err)
	}
	if left, _, _ := b.store.List(); len(left) != 0 {
		t.Errorf("left: %v", left)
	}
}

func TestApprovalNeedsTheDigest(t *testing.T) {
	b := newBench(t)
	st, _ := readState(b.hook)
	o := ApproveOptions{Digests: []string{st.Digest}, How: HowDigest}
	b.write("hooks/guard.sh", "changed", 0o755)
	_, err := b.store.Approve(t.Context(), o, b.hook)
	e, ok := errors.AsType[*DigestError](err)
	if !ok || e.Digest == st.Digest {
		t.Fatalf("got %v", err)
	}
	if _, err := b.store.Approve(t.Context(), ApproveOptions{Digests: []string{}}, b.hook); err == nil {
		t.Error("no digest counts as any digest")
	}
	b.check(b.gate(), b.hook, false, "untrusted")
	// One that does not fit keeps all of them out.
	b.write("hooks/guard.sh", "#!/bin/sh\nexit 0\n", 0o755)
	second := b.hook
	second.Definition = "other"
	if _, err := b.store.Approve(t.Context(), o, b.hook, second); err == nil {
		t.Error("approved")
	}
	b.check(b.gate(), b.hook, false, "untrusted")
	if _, err := b.store.Approve(t.Context(), o, b.hook); err != nil {
		t.Fatal(err)
	}
	b.check(b.gate(), b.hook, true, "")
}

func TestContentFromBeforeIsApprovedAgain(t *testing.T) {
	b := newBench(t)
	b.approve(b.hook)
	b.write("hooks/guard.sh", "fixed", 0o755)
	b.approve(b.hook)
	b.write("hooks/guard.sh", "#!/bin/sh\nexit 0\n", 0o755)
	b.check(b.gate(), b.hook, false, "changed since it was approved")
}

// TestApprovalByAnEarlierName has a hook that was approved under another name: it is known
// by it, a new approval ends that one, and so does taking it back.
func TestApprovalByAnEarlierName(t *testing.T) {
	b := newBench(t)
	now := b.hook
	now.Name, now.Earlier = "hooks/...guard.sh", b.hook.Name
	b.approve(b.hook)
	b.check(b.gate(), now, true, "")

	changed := now
	changed.Definition += " "
	if v := b.check(b.gate(), changed, false, "changed since it was approved"); !v.InForce {
		t.Error("the hook that changed is not in force")
	}

	b.write("hooks/guard.sh", "fixed", 0o755)
	b.approve(now)
	b.write("hooks/guard.sh", "#!/bin/sh\nexit 0\n", 0o755)
	b.check(b.gate(), now, false, "changed since it was approved")

	b.approve(b.hook)
	if ended, err := b.store.Revoke(t.Context(), now); err != nil || len(ended) == 0 {
		t.Errorf("ended: %v, %v", ended, err)
	}
	b.check(b.gate(), now, false, "")
}

// TestStoresThatCannotBeUsed asserts that nothing is approved with them, and what a
// further approval does to them.
func TestStoresThatCannotBeUsed(t *testing.T) {
	newer := `{"version":7,"approvals":[],"what":"ever"}`
	for name, c := range map[string]struct {
		content string
		error   string
		// replaced says that approving keeps the file under another name.
		replaced bool
	}{
		"empty":            {"", "cannot be understood", true},
		"half written":     {`{"version":1,"approvals":[{"root":"/x","digest":"sha2`, "cannot be understood", true},
		"no version":       {`{"approvals":[],"refusals":[]}`, "no version", true},
		"version 0":        {`{"version":0,"approvals":[],"refusals":[]}`, "no version", true},
		"duplicate key":    {`{"version":1,"approvals":[],"approvals":[],"refusals":[]}`, "cannot be understood", true},
		"unknown member":   {`{"version":1,"approvals":[],"refusals":[],"x":1}`, "cannot be understood", true},
		"no digest":        {`{"version":1,"approvals":[{"root":"/x","name":"a","dialect":"","source":"","digest":"","definition":"","files":[],"time":"2026-01-01T00:00:00Z"}],"refusals":[]}`, "no digest", true},
		"wrong type":       {`{"version":1,"approvals":{},"refusals":[]}`, "cannot be understood", true},
		"two documents":    {`{"version":1,"approvals":[],"refusals":[]}{}`, "cannot be understood", true},
		"invalid UTF-8":    {"{\"version\":1,\"approvals\":[{\"root\":\"/\xff\"}],\"refusals\":[]}", "cannot be understood", true},
		"a newer version":  {newer, "update hookline", false},
		"case of a member": {`{"Version":1,"approvals":[],"refusals":[]}`, "no version", true},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			if err := os.MkdirAll(filepath.Dir(b.store.Path()), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(b.store.Path(), []byte(c.content), 0o600); err != nil {
				t.Fatal(err)
			}
			g := b.gate()
			b.check(g, b.hook, false, "untrusted")
			if err := g.Problem(); err == nil || !strings.Contains(err.Error(), c.error) {
				t.Errorf("problem %v, want %q", err, c.error)
			}
			_, err := b.store.Approve(t.Context(), ApproveOptions{}, b.hook)
			backups, _ := filepath.Glob(b.store.Path() + ".corrupt-*")
			if !c.replaced {
				data, _ := os.ReadFile(b.store.Path())
				if _, ok := errors.AsType[*newerVersionError](err); !ok || string(data) != c.content || len(backups) != 0 {
					t.Errorf("%v, now %q", err, data)
				}
				return
			}
			if err != nil || len(backups) != 1 {
				t.Fatalf("%v, backups %v", err, backups)
			}
			if data, _ := os.ReadFile(backups[0]); string(data) != c.content {
				t.Errorf("the backup says %q", data)
			}
			b.check(g, b.hook, true, "")
		})
	}
}

func TestStoreThatOthersCouldHaveWritten(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("modes and owners mean little on Windows")
	}
	for name, spoil := range map[string]func(b *bench, dir string) error{
		"world-writable directory": func(b *bench, dir string) error { return os.Chmod(dir, 0o777) },
		"sticky directory":         func(b *bench, dir string) error { return os.Chmod(dir, 0o777|fs.ModeSticky) },
		"group-writable directory": func(b *bench, dir string) error { return os.Chmod(dir, 0o770) },
		"directory above":          func(b *bench, dir string) error { return os.Chmod(filepath.Dir(dir), 0o777) },
		"world-writable file":      func(b *bench, dir string) error { return os.Chmod(b.store.Path(), 0o666) },
		"somebody else's file": func(b *bench, dir string) error {
			if os.Getuid() != 0 {
				b.t.Skip("changing owners needs root")
			}
			return os.Chown(b.store.Path(), 12345, 12345)
		},
		"a link": func(b *bench, dir string) error {
			if err := os.Rename(b.store.Path(), filepath.Join(dir, "real.json")); err != nil {
				return err
			}
			return os.Symlink("real.json", b.store.Path())
		},
		"a named pipe": func(b *bench, dir string) error {
			if err := os.Remove(b.store.Path()); err != nil {
				return err
			}
			return mkfifo(b.store.Path())
		},
		"a directory": func(b *bench, dir string) error {
			if err := os.Remove(b.store.Path()); err != nil {
				return err
			}
			return os.Mkdir(b.store.Path(), 0o700)
		},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			b.approve(b.hook)
			b.check(b.gate(), b.hook, true, "")
			if err := spoil(b, filepath.Dir(b.store.Path())); err != nil {
				t.Fatal(err)
			}
			g := b.gate()
			b.check(g, b.hook, false, "untrusted")
			if _, ok := errors.AsType[*unsafeStoreError](g.Problem()); !ok {
				t.Errorf("problem: %v", g.Problem())
			}
			if _, err := b.store.Approve(t.Context(), ApproveOptions{}, b.hook); err == nil {
				t.Error("it was written to")
			}
		})
	}
}

// What was approved in a directory that is lost is not what nobody ever approved.
func TestAStoreWhoseDirectoryIsLost(t *testing.T) {
	b := newBench(t)
	b.approve(b.hook)
	dir := filepath.Dir(b.store.Path())
	if err := os.Rename(dir, dir+".away"); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("nowhere", dir); err != nil {
		t.Skipf("no symlinks here: %v", err)
	}
	g := b.gate()
	if v := b.check(g, b.hook, false, "untrusted"); !v.InForce {
		t.Errorf("it is taken for one that was never approved: %+v", v)
	}
	if err := g.Problem(); err == nil || !strings.Contains(err.Error(), "leads nowhere") {
		t.Errorf("problem: %v", err)
	}
}

func TestUnwritableStore(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("modes mean little on Windows")
	}
	b := newBench(t)
	b.approve(b.hook)
	dir := filepath.Dir(b.store.Path())
	if os.Getuid() == 0 {
		// Root may write anywhere, so something else has to be in the way.
		if err := os.Remove(filepath.Join(dir, lockName)); err != nil {
			t.Fatal(err)
		}
		if err := os.Mkdir(filepath.Join(dir, lockName), 0o700); err != nil {
			t.Fatal(err)
		}
	} else {
		if err := os.Chmod(dir, 0o500); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { os.Chmod(dir, 0o700) })
	}
	b.check(b.gate(), b.hook, true, "") // what is approved stays so
	second := b.hook
	second.Definition = "other"
	if _, err := b.store.Approve(t.Context(), ApproveOptions{}, second); err == nil {
		t.Error("approved")
	}
	b.check(b.gate(), second, false, "untrusted")
}

// TestFullDisk approves on a file system without room.
func TestFullDisk(t *testing.T) {
	b := newBench(t)
	dir := tinyDisk(t)
	b.store = NewStore(filepath.Join(dir, "state"))
	b.approve(b.hook)
	before, err := os.ReadFile(b.store.Path())
	if err != nil {
		t.Fatal(err)
	}
	fill, err := os.Create(filepath.Join(dir, "fill"))
	if err != nil {
		t.Fatal(err)
	}
	for chunk := make([]byte, 4096); ; {
		if _, err = fill.Write(chunk); err != nil {
			break
		}
	}
	fill.Close()
	second := b.hook
	second.Definition = strings.Repeat("other ", 4000)
	if _, err := b.store.Approve(t.Context(), ApproveOptions{}, second); err == nil {
		t.Fatal("approved on a full disk")
	}
	after, err := os.ReadFile(b.store.Path())
	if err != nil || string(after) != string(before) {
		t.Errorf("the store changed: %v", err)
	}
	b.check(b.gate(), b.hook, true, "")
	b.check(b.gate(), second, false, "untrusted")
	entries, _ := os.ReadDir(filepath.Dir(b.store.Path()))
	for _, e := range entries {
		if strings.Contains(e.Name(), "tmp") || strings.Contains(e.Name(), "new") {
			t.Errorf("left behind: %s", e.Name())
		}
	}
}

// TestFiftyWriters approves from as many processes at once.
func TestFiftyWriters(t *testing.T) {
	b := newBench(t)
	const n = 50
	cmds := make([]*exec.Cmd, n)
	outs := make([]strings.Builder, n)
	for i := range cmds {
		cmds[i] = exec.Command(os.Args[0])
		cmds[i].Env = append(os.Environ(), childVar+"="+strings.Join([]string{filepath.Dir(b.store.Path()), b.root, fmt.Sprintf("hook-%d", i)}, "|"))
		cmds[i].Stderr = &outs[i]
		if err := cmds[i].Start(); err != nil {
			t.Fatal(err)
		}
	}
	for i, c := range cmds {
		if err := c.Wait(); err != nil {
			t.Errorf("process %d: %v: %s", i, err, outs[i].String())
		}
	}
	approvals, _, err := b.store.List()
	if err != nil || len(approvals) != n {
		t.Fatalf("%d approvals of %d, %v", len(approvals), n, err)
	}
}

// TestKilledWriters kills processes while they approve. The store stays whole and
// keeps what was approved before.
func TestKilledWriters(t *testing.T) {
	b := newBench(t)
	b.approve(b.hook)
	seen := 0
	for round := range 12 {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), childVar+"="+strings.Join([]string{filepath.Dir(b.store.Path()), b.root, fmt.Sprintf("round-%d", round), "loop"}, "|"))
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Duration(20+round*7) * time.Millisecond)
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		approvals, _, err := b.store.List()
		if err != nil {
			t.Fatalf("round %d: %v", round, err)
		}
		if len(approvals) < seen {
			t.Fatalf("round %d: %d approvals, there were %d", round, len(approvals), seen)
		}
		seen = len(approvals)
	}
	b.check(b.gate(), b.hook, true, "")
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	if _, err := b.store.Approve(ctx, ApproveOptions{}, b.hook); err != nil {
		t.Errorf("after the killings: %v", err)
	}
}

func TestLockIsWaitedForUntilTheContextEnds(t *testing.T) {
	b := newBench(t)
	b.approve(b.hook)
	err := b.store.update(t.Context(), func(*content) error {
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		defer cancel()
		if err := NewStore(filepath.Dir(b.store.Path())).Refuse(ctx, b.hook); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("got %v", err)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestRelativeStoreIsRefused(t *testing.T) {
	b := newBench(t)
	t.Chdir(t.TempDir())
	for _, dir := range []string{"", "state"} {
		s := NewStore(dir)
		if _, err := s.Approve(t.Context(), ApproveOptions{}, b.hook); err == nil {
			t.Errorf("%q is used", dir)
		}
		if _, _, err := s.List(); err == nil {
			t.Errorf("%q is read", dir)
		}
	}
	if left, err := os.ReadDir("."); err != nil || len(left) > 0 {
		t.Errorf("a refused store left %v, %v", left, err)
	}
}

func TestKeptContentIsTidiedUp(t *testing.T) {
	b := newBench(t)
	b.approve(b.hook)
	b.store.now = func() time.Time { return time.Now().Add(2 * contentGrace) }
	if _, err := b.store.RevokeIf(t.Context(), func(Approval) bool { return false }); err != nil {
		t.Fatal(err)
	}
	kept := func() int {
		e, _ := os.ReadDir(filepath.Join(filepath.Dir(b.store.Path()), approvedDir))
		return len(e)
	}
	if kept() != 1 {
		t.Errorf("%d files kept, want 1", kept())
	}
	if _, err := b.store.Revoke(t.Context(), b.hook); err != nil {
		t.Fatal(err)
	}
	if kept() != 0 {
		t.Errorf("%d files kept, want 0", kept())
	}
}

func FuzzDecode(f *testing.F) {
	f.Add([]byte(`{"version":1,"approvals":[],"refusals":[]}`))
	f.Add([]byte(`{"version":1,"approvals":[{"root":"/p","name":"n","dialect":"d","source":"s","digest":"sha256:` + strings.Repeat("a", 64) + `","definition":"x","files":[{"path":"a"}],"time":"2026-01-01T00:00:00Z"}],"refusals":[]}`))
	f.Add([]byte(`{"version":2}`))
	f.Add([]byte("[[[[[[[["))
	f.Fuzz(func(t *testing.T, data []byte) {
		c, err := decode("/x", data)
		if err != nil {
			if c != nil {
				t.Fatal("a store and an error")
			}
			return
		}
		again, err := encode(c)
		if err != nil {
			t.Fatal(err)
		}
		d, err := decode("/x", again)
		if err != nil || len(d.Approvals) != len(c.Approvals) || len(d.Refusals) != len(c.Refusals) {
			t.Fatalf("%v: %s", err, again)
		}
	})
}
