package sandbox

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// held is a wall that holds what steers git and an agent in the project.
func (w world) held(t testing.TB) *Wall {
	t.Helper()
	if err := Namespaces(); err != nil {
		t.Skip(err)
	}
	p := w.policy()
	for _, dir := range []string{".git/hooks", ".claude/work", "sub"} {
		if err := os.MkdirAll(filepath.Join(w.project, dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	write(t, filepath.Join(w.project, ".git/hooks/pre-commit"), "true\n")
	write(t, filepath.Join(w.project, ".git/config"), "[core]\n")
	write(t, filepath.Join(w.project, ".claude/settings.json"), "{}")
	for _, name := range []string{".git/hooks", ".git/config", ".claude", ".envrc"} {
		p.Hold = append(p.Hold, filepath.Join(w.project, name))
	}
	p.Free = []string{filepath.Join(w.project, ".claude/work")}
	return mustWall(t, p)
}

// steering is what is held, by name.
func (w world) steering(t testing.TB) string {
	t.Helper()
	var out strings.Builder
	for _, name := range []string{".git/hooks", ".git/config", ".claude/settings.json"} {
		err := filepath.WalkDir(filepath.Join(w.project, name), func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return errors.Join(err, ignore(fmt.Fprintln(&out, path)))
			}
			info, err := d.Info()
			if err != nil {
				return err
			}
			return ignore(fmt.Fprintln(&out, path, info.Mode(), read(t, path)))
		})
		if err != nil {
			fmt.Fprintln(&out, err)
		}
	}
	return out.String()
}

func ignore(_ int, err error) error { return err }

// TestNamespacesHoldWhatLiesInside tries to change the hooks of git by many spellings, with
// nothing that would put them back.
func TestNamespacesHoldWhatLiesInside(t *testing.T) {
	w := newWorld(t)
	wall := w.held(t)
	before := w.steering(t)
	t.Chdir(w.project) // a way around for who follows links of /proc
	spellings := []string{
		"echo x > .git/hooks/pre-commit", "echo x > .git/hooks/new", "echo x >> .git/config", "echo {} > .claude/settings.json",
		"echo x > ./.git/../.git/hooks/new", "echo x > $PWD/.git/hooks/new", "echo x > .g*/h*/pre-commit", "cd .git; echo x > hooks/new",
		"cd .git/hooks && echo x > new", "cd sub; echo x > ../.git/hooks/new", "rm .git/hooks/pre-commit", "rm -rf .git/hooks", "rm -rf .git",
		"rm -rf .claude", "rmdir .git/hooks", "mv .git/hooks .git/old", "mv .git old", "mv .git old && mkdir -p .git/hooks && echo x > .git/hooks/new",
		"mv .git/config .git/c", "mv .claude c && mkdir .claude && echo x > .claude/settings.json", "echo x > n; mv n .git/config", "echo x > n; mv -f n .git/hooks/pre-commit",
		"echo x > n; cp -f n .git/hooks/new", "ln .git/config l && echo x > l", "ln .git/hooks/pre-commit l && echo x > l", "ln -s .git/hooks l; echo x > l/new",
		"ln -s $PWD/.git/config l; echo x > l", "ln -sf /dev/null .git/hooks/pre-commit", "ln -sfn sub .git/hooks", "ln -sfn sub .git",
		"touch .git/hooks/new", "mkdir .git/hooks/new", "mkfifo .git/hooks/new", "truncate -s 0 .git/config", "chmod 777 .git/hooks/pre-commit",
		"chmod 000 .git/config", "sed -i s/true/false/ .git/hooks/pre-commit", "tee .git/hooks/new </dev/null", "dd if=/dev/zero of=.git/config count=1",
		"install /bin/true .git/hooks/new", "git config core.hooksPath sub", "cp -r sub .git/hooks/", "tar cf - sub | tar xf - -C .git/hooks",
		"exec 3<.git; echo x > /proc/self/fd/3/hooks/new", "exec 3<.git/config; echo x > /proc/self/fd/3", "echo x > /proc/$PPID/cwd/.git/hooks/new",
		"echo x > /proc/$PPID/root$PWD/.git/hooks/new", "echo x > /proc/1/root$PWD/.git/hooks/new", "echo x > /proc/self/root$PWD/.git/hooks/new",
		"umount .git/hooks; echo x > .git/hooks/new", "umount -l $PWD; echo x > .git/hooks/new", "mount -o remount,rw,bind .git/hooks; echo x > .git/hooks/new",
		"mount --bind sub .git/hooks", "unshare -Urm sh -c 'umount .git/hooks; mount -o remount,rw,bind .git/hooks; echo x > .git/hooks/new'",
		"nsenter -t $PPID -U -m sh -c 'echo x > .git/hooks/new'", "cd ..; mv project p && mkdir -p project/.git/hooks && echo x > project/.git/hooks/new",
		"cd ..; cd project; echo x > .git/hooks/new", "cd /proc/self/cwd; echo x > .git/hooks/new", "(sleep 0; echo x > .git/hooks/new) & wait",
		// mount_setattr, which no Landlock refuses.
		"python3 -c \"import ctypes; ctypes.CDLL(None).syscall(442, -100, b'$PWD/.git/hooks', 0, ctypes.byref((ctypes.c_uint64*4)(0, 1, 0, 0)), 32); open('.git/hooks/new','w')\"",
		"python3 -c \"open('.git/hooks/new','w')\"", "perl -e \"open F,'>','.git/config'\"",
	}
	for _, text := range spellings {
		out, err := w.run(wall, text)
		if strings.Contains(out, "entering the sandbox") {
			t.Fatalf("%s: %v: %s", text, err, out)
		}
		if after := w.steering(t); after != before {
			t.Fatalf("%s changed it: %v: %s\n%s", text, err, out, after)
		}
	}
	if out, err := w.run(wall, "set -e; cat .git/config .claude/settings.json; echo x > .git/HEAD; echo x > a; mv a sub/b; mkdir .claude/work/d; mv .claude/work/d .claude/work/e; test $(id -u) = "+fmt.Sprint(os.Geteuid())); err != nil {
		t.Errorf("work is held too: %v: %s", err, out)
	}
	if out, err := w.run(wall, "echo x > ../.bashrc"); err == nil {
		t.Error("Landlock holds nothing:", out)
	}
}

// TestNamespacesHoldTheNetwork looks which interfaces there are.
func TestNamespacesHoldTheNetwork(t *testing.T) {
	w := newWorld(t)
	p := w.held(t).policy
	p.NoTCP = true
	if out, err := w.run(mustWall(t, p), "tail -n +3 /proc/net/dev"); err != nil || strings.Count(out, "\n") != 1 || !strings.Contains(out, "lo:") {
		t.Errorf("%v: %s", err, out)
	}
}

// TestNamespacesCannotBeEntered has a policy that is not understood: nothing runs.
func TestNamespacesCannotBeEntered(t *testing.T) {
	w := newWorld(t)
	wall := w.held(t)
	wall.spec = "{"
	if out, err := w.run(wall, "echo ran"); err == nil || strings.Contains(out, "ran") || !strings.Contains(out, "entering the sandbox") {
		t.Errorf("%v: %s", err, out)
	}
}
