package permission_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/hookline-dev/hookline/hook"
	"github.com/hookline-dev/hookline/permission"
)

// git status runs git in the submodules, with their settings.
func TestSubmodulesThatRunPrograms(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	p, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	git := func(dir string, args ...string) error {
		cmd := exec.CommandContext(t.Context(), "git", append([]string{"-c", "user.name=a", "-c", "user.email=a@example.com", "-c", "commit.gpgsign=false"}, args...)...)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "GIT_CONFIG_NOSYSTEM=1", "HOME="+p, "GIT_CONFIG_GLOBAL=")
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Logf("git %v: %v: %s", args, err, out)
		}
		return err
	}
	must := func(dir string, args ...string) {
		t.Helper()
		if err := git(dir, args...); err != nil {
			t.Skip("this git doesn't do what is needed")
		}
	}
	inner := filepath.Join(p, "lib", "dep")
	if err := os.MkdirAll(inner, 0o755); err != nil {
		t.Fatal(err)
	}
	must(p, "init", "-q")
	must(inner, "init", "-q")
	if err := os.WriteFile(filepath.Join(inner, "a"), []byte("a"), 0o644); err != nil {
		t.Fatal(err)
	}
	must(inner, "add", "a")
	must(inner, "commit", "-qm", "a")
	must(p, "add", "lib/dep")
	for _, name := range []string{"a", "ab", "abc/def", "lib/z", strings.Repeat("long/", 60) + "x"} {
		file := filepath.Join(p, filepath.FromSlash(name))
		if name == "abc/def" || strings.Contains(name, "/") {
			_ = os.MkdirAll(filepath.Dir(file), 0o755)
		}
		if err := os.WriteFile(file, nil, 0o644); err != nil {
			t.Fatal(err)
		}
		must(p, "add", name)
	}
	c := checker(t, permission.Config{ProjectDir: p})
	decide := func() permission.Decision {
		return c.Decide(permission.Request{Tool: "Bash", Input: command("git status"), Cwd: p})
	}
	formats := [][]string{{"update-index", "--index-version", "2"}, {"update-index", "--index-version", "4"}, {"update-index", "--split-index"}}
	plain := filepath.Join(inner, ".git", "config")
	config, err := os.ReadFile(plain)
	if err != nil {
		t.Fatal(err)
	}
	for _, format := range formats {
		if git(p, format...) != nil {
			continue
		}
		// An index of some age is remembered, until it is another one.
		old := time.Now().Add(-time.Hour)
		if err := os.Chtimes(filepath.Join(p, ".git", "index"), old, old); err != nil {
			t.Fatal(err)
		}
		must(p, "rm", "-q", "--cached", "lib/dep")
		if err := os.Chtimes(filepath.Join(p, ".git", "index"), old, old); err != nil {
			t.Fatal(err)
		}
		if d := decide(); d.Decision != hook.DecisionAllow {
			t.Errorf("%v, without submodule: %v: %s", format, d.Decision, d.Reason)
		}
		must(p, "add", "lib/dep")
		if d := decide(); d.Decision != hook.DecisionAllow {
			t.Errorf("%v, an ordinary submodule: %v: %s", format, d.Decision, d.Reason)
		}
		if err := os.WriteFile(plain, append(config, "[core]\n\tfsmonitor = ./evil\n"...), 0o644); err != nil {
			t.Fatal(err)
		}
		if d := decide(); d.Decision != hook.DecisionAsk || !strings.Contains(d.Reason, "lib/dep/.git has core.fsmonitor set") {
			t.Errorf("%v: %v: %s", format, d.Decision, d.Reason)
		}
		if err := os.WriteFile(plain, config, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(p, ".git", "index"), []byte("DIRC\x00\x00\x00\x02\x00\x00\x00\x09"), 0o644); err != nil {
		t.Fatal(err)
	}
	if d := decide(); d.Decision != hook.DecisionAsk {
		t.Errorf("an index that can't be read: %v: %s", d.Decision, d.Reason)
	}
}
