package permission_test

import (
	"context"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/hookline-dev/hookline/hook"
	"github.com/hookline-dev/hookline/permission"
)

// snapshot lists the names, modes and contents of all files below a directory,
// but for git's own.
func snapshot(t *testing.T, dir string) string {
	t.Helper()
	var b strings.Builder
	err := filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.Name() == ".git" {
			if d != nil && d.IsDir() {
				return fs.SkipDir
			}
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		var content []byte
		if info.Mode().IsRegular() {
			content, err = os.ReadFile(p)
		}
		fmt.Fprintf(&b, "%s %v %q\n", p, info.Mode(), content)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// What counts as reading is run for real, with options picked at random: no
// file may change. The commands are those that can't do harm outside the
// directory whatever their options.
func TestReadOnlyCommandsChangeNothing(t *testing.T) {
	for _, tool := range []string{"bash", "git"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skipf("%s is not installed", tool)
		}
	}
	p := project(t)
	start := func(ctx context.Context, name string, args ...string) *exec.Cmd {
		cmd := exec.CommandContext(ctx, name, args...)
		cmd.Dir, cmd.WaitDelay = p, 100*time.Millisecond
		cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + p, "GIT_CONFIG_NOSYSTEM=1"}
		return cmd
	}
	run := func(ctx context.Context, name string, args ...string) error { return start(ctx, name, args...).Run() }
	state := func() string { // the files, and what git has names for
		names, err := start(t.Context(), "git", "for-each-ref").Output()
		if err != nil {
			t.Fatal(err)
		}
		config, err := os.ReadFile(filepath.Join(p, ".git", "config"))
		if err != nil {
			t.Fatal(err)
		}
		return snapshot(t, p) + string(names) + string(config)
	}
	for _, args := range [][]string{{"init", "-q"}, {"add", "x"}, {"-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "m"}} {
		if err := run(t.Context(), "git", args...); err != nil {
			t.Skipf("git %v: %v", args, err)
		}
	}
	c := checker(t, permission.Config{ProjectDir: p})
	commands := []string{
		"sort", "uniq", "cat", "head", "cut", "diff", "grep", "tr", "od", "wc", "nl", "paste", "comm", "join", "fold", "ls", "du", "stat", "printf", "find", "xxd", "sed", "sed -n p", "sed -n '$p'", "awk 1", "tee", "basename", "file", "jq", "find . -type f | xargs sort", "find . | xargs",
		"git log", "git diff", "git show", "git status", "git rev-list", "git rev-parse", "git branch", "git tag", "git ls-files", "git cat-file",
		"git shortlog", "git blame", "git grep", "git reflog", "git stash list", "git config", "git remote", "git for-each-ref", "git describe",
	}
	options := []string{"", "-a", "-c", "-d", "-D", "-f", "-i", "-m", "-o", "-O", "-r", "-u", "-v", "-w", "-l", "-n", "--output=y", "--out=y", "--output", "--force", "--list", "--file=y", "--delete", "--all", "--in-place", "-delete", "-fprint", "-i", "-e p", "-r", "-s", "w y"}
	operands := []string{"", "x", "x y", "x y z", "y", "HEAD", "HEAD y", "new", "new HEAD", "*", "./*", "x *", "\"$PWD/x\"", "$(pwd)/x y", "<(cat x) y"}
	r := rand.New(rand.NewPCG(3, 5))
	before, ran := state(), 0
	for range 600 {
		text := strings.Join(strings.Fields(fmt.Sprint(
			commands[r.IntN(len(commands))], " ", options[r.IntN(len(options))], " ", options[r.IntN(len(options))], " ", operands[r.IntN(len(operands))],
		)), " ")
		if c.Decide(permission.Request{Tool: "Bash", Input: command(text), Cwd: p}).Decision != hook.DecisionAllow {
			continue
		}
		ran++
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		_ = run(ctx, "bash", "-c", text+" </dev/null") // many of them make no sense, and fail
		cancel()
		if after := state(); after != before {
			t.Fatalf("%q changed files:\n%s\nbefore:\n%s", text, after, before)
		}
	}
	if ran == 0 {
		t.Error("nothing was run")
	}
}
