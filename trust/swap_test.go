package trust

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestSwapBetweenCheckAndRun exchanges a script after it was checked, in each of the
// ways in which that can be done, and runs what the gate hands out.
func TestSwapBetweenCheckAndRun(t *testing.T) {
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("there is no sh here")
	}
	for name, swap := range map[string]func(b *bench, path, evil string){
		"rewritten in place": func(b *bench, path, evil string) { b.write("hooks/guard.sh", evil, 0o755) },
		"renamed over": func(b *bench, path, evil string) {
			b.write("evil", evil, 0o755)
			if err := os.Rename(b.path("evil"), path); err != nil {
				b.t.Fatal(err)
			}
		},
		"made a link": func(b *bench, path, evil string) {
			b.write("evil", evil, 0o755)
			os.Remove(path)
			if err := os.Symlink("../evil", path); err != nil {
				b.t.Fatal(err)
			}
		},
		"its directory exchanged": func(b *bench, path, evil string) {
			if err := os.Rename(filepath.Dir(path), b.path("old")); err != nil {
				b.t.Fatal(err)
			}
			b.write("hooks/guard.sh", evil, 0o755)
		},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			marks := t.TempDir()
			good, evil := filepath.Join(marks, "good"), filepath.Join(marks, "evil")
			b.write("hooks/guard.sh", "#!/bin/sh\n: > '"+good+"'\n", 0o755)
			b.approve(b.hook)
			g := b.gate()
			b.check(g, b.hook, true, "")
			path := b.hook.Files[0]
			digest, _, err := digestFile(path, nil)
			if err != nil {
				t.Fatal(err)
			}
			swap(b, path, "#!/bin/sh\n: > '"+evil+"'\n")
			now, _, err := digestFile(path, nil)
			if err != nil {
				t.Fatal(err)
			}
			if g.CheckFile(path, now) {
				t.Error("the exchanged content is allowed")
			}
			f, err := g.opts.Copies.Open(path, digest)
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			if filepath.Base(f.Name()) != "guard.sh" {
				t.Errorf("the copy is called %s", f.Name())
			}
			if out, err := exec.Command(sh, f.Name()).CombinedOutput(); err != nil {
				t.Fatalf("%v: %s", err, out)
			}
			if _, err := os.Stat(evil); err == nil {
				t.Error("the exchanged script ran")
			}
			if _, err := os.Stat(good); err != nil {
				t.Error("the approved script did not run")
			}
		})
	}
}

// TestCopiesAreChecked tampers with the private copy itself.
func TestCopiesAreChecked(t *testing.T) {
	b := newBench(t)
	path := b.hook.Files[0]
	c := Copies{Dir: filepath.Join(realTemp(t), "copies")}
	digest, _, _ := digestFile(path, nil)
	f, err := c.Open(path, digest)
	if err != nil {
		t.Fatal(err)
	}
	f.Close()
	if err := os.Chmod(f.Name(), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(f.Name(), []byte("evil"), 0o700); err != nil {
		t.Fatal(err)
	}
	again, err := c.Open(path, digest)
	if err != nil {
		t.Fatal(err)
	}
	again.Close()
	if data, _ := os.ReadFile(again.Name()); string(data) != "#!/bin/sh\nexit 0\n" {
		t.Errorf("the copy says %q", data)
	}
	b.write("hooks/guard.sh", "changed", 0o755)
	os.RemoveAll(c.Dir)
	_, err = c.Open(path, digest)
	if _, ok := errors.AsType[*contentError](err); !ok {
		t.Errorf("got %v", err)
	}
	for _, bad := range []string{"", "sha256:", "sha256:../../x", "md5:abc"} {
		if _, err := c.Open(path, bad); err == nil {
			t.Errorf("%q is taken for a digest", bad)
		}
	}
	if _, err := (Copies{Dir: "relative"}).Open(path, digest); err == nil || !strings.Contains(err.Error(), "not absolute") {
		t.Errorf("got %v", err)
	}
}

// TestUnusedCopiesGo makes a copy a long time after others: those that nothing has used
// since go, with their mirrors, and what these lead to stays, as does what is no copy.
func TestUnusedCopiesGo(t *testing.T) {
	b := newBench(t)
	b.write("hooks/list.txt", "list\n", 0o644)
	b.approve(b.hook)
	g := b.gate()
	c := g.opts.Copies
	ago := func(dir string, d time.Duration) {
		if err := os.Chtimes(dir, time.Now().Add(-d), time.Now().Add(-d)); err != nil {
			t.Fatal(err)
		}
	}
	open := func(name string) string {
		b.write(name, name, 0o755)
		digest, _, _ := digestFile(b.path(name), nil)
		f, err := c.Open(b.path(name), digest)
		if err != nil {
			t.Fatal(err)
		}
		f.Close()
		return filepath.Dir(f.Name())
	}
	b.check(g, b.hook, true, "")
	mirror, err := g.Mirror(b.hook)
	if err != nil {
		t.Fatal(err)
	}
	digest, _, _ := digestFile(b.hook.Files[0], nil)
	unused, used, fresh := filepath.Join(c.Dir, strings.TrimPrefix(digest, digestPrefix)), open("used.sh"), open("fresh.sh")
	other := filepath.Join(c.Dir, "other")
	if err := os.Mkdir(other, 0o700); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{mirror, unused, used, other, filepath.Join(c.Dir, mirrors)} {
		ago(dir, maxUnused+time.Hour)
	}
	ago(fresh, maxUnused-time.Hour)
	open("used.sh")
	ago(c.Dir, 25*time.Hour)
	made := open("new.sh")
	for dir, want := range map[string]bool{
		mirror: false, unused: false, used: true, fresh: true, made: true,
		other: true, filepath.Join(c.Dir, mirrors): true, b.path("hooks/list.txt"): true,
	} {
		if _, err := os.Stat(dir); (err == nil) != want {
			t.Errorf("%s is there: %v, want %v", dir, err == nil, want)
		}
	}
	for range 2 {
		if err := os.RemoveAll(mirror); err != nil {
			t.Fatal(err)
		}
		ago(c.Dir, 25*time.Hour)
		if again, err := g.Mirror(b.hook); err != nil || again != mirror {
			t.Errorf("the mirror that went: %v", err)
		}
	}
	if info, err := os.Stat(c.Dir); err != nil || time.Since(info.ModTime()) > time.Hour {
		t.Errorf("a mirror that is made does not count as the first of the day: %v", err)
	}
}

// TestMirror runs a script that loads another one by its own directory, both
// exchanged after the check, and reads a file that nobody approves.
func TestMirror(t *testing.T) {
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("there is no sh here")
	}
	b := newBench(t)
	b.write("hooks/guard.sh", "#!/bin/sh\nd=\"$(dirname \"$0\")\"\n. \"$d/lib/say.sh\"\nsay approved\ncat \"$d/list.txt\" \"$d/../src/main.txt\"\n", 0o755)
	b.write("hooks/lib/say.sh", "say() { echo \"$1\"; }\n", 0o644)
	b.write("hooks/list.txt", "list\n", 0o644)
	b.write("src/main.txt", "main\n", 0o644)
	a := b.hook
	a.Files = append(a.Files, b.path("hooks/lib/say.sh"), b.path("hooks/absent.sh"))
	b.approve(a)
	g := b.gate()
	if _, err := g.Mirror(a); !errors.Is(err, errNotAllowed) {
		t.Errorf("before the check: %v", err)
	}
	b.check(g, a, true, "")
	b.write("hooks/lib/say.sh", "say() { echo evil; }\n", 0o644)
	b.write("hooks/guard.sh", "echo evil\n", 0o755)
	for range 2 {
		dir, err := g.Mirror(a)
		if err != nil {
			t.Fatal(err)
		}
		out, err := exec.Command(sh, filepath.Join(dir, "hooks", "guard.sh")).CombinedOutput()
		if err != nil || string(out) != "approved\nlist\nmain\n" {
			t.Errorf("%v: %q", err, out)
		}
		if _, err := os.Lstat(filepath.Join(dir, "hooks", "absent.sh")); err == nil {
			t.Error("a file that was not there is there")
		}
		// Data may change and come along.
		b.write("hooks/list.txt", "list\n", 0o644)
	}
}

// TestLooks exchanges a script between two hooks that name it: found together, both stand as
// the first look saw them and share one private copy; a check without Looks sees the change.
func TestLooks(t *testing.T) {
	b := newBench(t)
	first, second := b.hook, b.hook
	second.Definition = "another"
	b.approve(first, second)
	g := b.gate()
	first.Seen = &Seen{}
	second.Seen = first.Seen
	b.check(g, first, true, "")
	dir, err := g.Mirror(first)
	if err != nil {
		t.Fatal(err)
	}
	b.write("hooks/guard.sh", "#!/bin/sh\necho evil\n", 0o755)
	b.check(g, second, true, "")
	script := filepath.Join(dir, "hooks", "guard.sh")
	if text, err := os.ReadFile(script); err != nil || string(text) != "#!/bin/sh\nexit 0\n" {
		t.Errorf("the copy: %v: %q", err, text)
	}
	if err := os.Remove(script); err != nil {
		t.Fatal(err)
	}
	if again, err := g.Mirror(second); err != nil || again != dir {
		t.Errorf("the second mirror: %v: %s, not %s", err, again, dir)
	}
	if _, err := os.Lstat(script); err == nil {
		t.Error("the mirror was made twice")
	}
	second.Seen = nil
	b.check(g, second, false, whyChanged)
}

// TestScriptThatIsFlippedAllTheTime runs the mirror while the original changes to and
// fro as fast as it can.
func TestScriptThatIsFlippedAllTheTime(t *testing.T) {
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("there is no sh here")
	}
	b := newBench(t)
	good, evil := "#!/bin/sh\necho good\n", "#!/bin/sh\necho evil\n"
	b.write("hooks/guard.sh", good, 0o755)
	b.approve(b.hook)
	g := b.gate()
	b.check(g, b.hook, true, "")
	stop, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		for i := 0; ; i++ {
			select {
			case <-stop:
				return
			default:
			}
			text := evil
			if i%2 == 0 {
				text = good
			}
			if err := os.WriteFile(b.path("hooks/guard.sh"), []byte(text), 0o755); err != nil {
				t.Error(err)
				return
			}
		}
	}()
	for range 30 {
		dir, err := g.Mirror(b.hook)
		if err != nil {
			t.Fatal(err)
		}
		out, err := exec.Command(sh, filepath.Join(dir, "hooks", "guard.sh")).CombinedOutput()
		if err != nil || string(out) != "good\n" {
			t.Fatalf("%v: %q", err, out)
		}
	}
	close(stop)
	<-done
}
