//go:build unix

package worktree_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/hookline-dev/hookline/agent/worktree"
	"github.com/hookline-dev/hookline/internal/gitcmd/gittest"
)

// slowFilter makes a checkout take until it is ended. The file that it returns then
// has the id of a process of it.
func slowFilter(t *testing.T, r *gittest.Repo) (started string) {
	t.Helper()
	started = filepath.Join(t.TempDir(), "started")
	r.Write(".gitattributes", "slow.txt filter=slow\n")
	r.Write("slow.txt", "x\n")
	r.Commit()
	r.Git("config", "filter.slow.smudge", fmt.Sprintf("echo $$ > '%[1]s.new'; mv '%[1]s.new' '%[1]s'; exec sleep 600", started))
	return started
}

func waitFor(t *testing.T, path string) {
	t.Helper()
	for end := time.Now().Add(30 * time.Second); !exists(path); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("%s does not appear", path)
		}
	}
}

// endCheckout kills the git that a slow filter holds up, and waits until it is gone.
func endCheckout(t *testing.T, started string) {
	t.Helper()
	data, err := os.ReadFile(started)
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(data)))
	if err != nil {
		t.Fatal(err)
	}
	group, err := syscall.Getpgid(pid)
	if err != nil || group == syscall.Getpgrp() {
		t.Fatalf("group %d: %v", group, err)
	}
	if err := syscall.Kill(-group, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	for end := time.Now().Add(30 * time.Second); syscall.Kill(group, 0) == nil && running(group); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("git does not end")
		}
	}
}

// running tells a process from one that has ended and that nobody has waited for.
func running(pid int) bool {
	out, err := exec.Command("ps", "-o", "stat=", "-p", strconv.Itoa(pid)).Output()
	return err == nil && !strings.HasPrefix(strings.TrimSpace(string(out)), "Z")
}

func TestCancelledInTheMiddle(t *testing.T) {
	r, e := project(t), &events{}
	started := slowFilter(t, r)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	done := make(chan error, 1)
	go func() {
		_, err := worktree.New(r.Dir).Create(ctx, "slow", "", e.fire)
		done <- err
	}()
	waitFor(t, started)
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	if listed(r) != 1 || exists(filepath.Join(r.Dir, ".claude", "worktrees", "slow")) || r.Git("branch", "--list", "worktree-*") != "" {
		t.Errorf("left: %s\n%s", r.Git("worktree", "list"), r.Git("branch", "--list"))
	}
}

// createIn is what another process does: see TestMain.
func createIn(dir string) {
	e := &events{}
	_, err := worktree.New(dir).Create(context.Background(), "slow", "", e.fire)
	fmt.Println(err)
}

func TestKilledInTheMiddle(t *testing.T) {
	r, e := project(t), &events{}
	started := slowFilter(t, r)
	path := filepath.Join(r.Dir, ".claude", "worktrees", "slow")
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "WORKTREE_TEST_DIR="+r.Dir)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	waitFor(t, started)
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	endCheckout(t, started)
	if listed(r) != 2 || r.Git("branch", "--list", "worktree-slow") == "" {
		t.Fatalf("nothing was left to clear away: %s", r.Git("worktree", "list"))
	}
	r.Git("config", "--unset", "filter.slow.smudge")
	m := worktree.New(r.Dir)
	other := create(t, m, "other", e)
	if exists(path) || listed(r) != 2 || r.Git("branch", "--list", "worktree-slow") != "" {
		t.Errorf("left: %s\n%s", r.Git("worktree", "list"), r.Git("branch", "--list"))
	}
	// A directory that was deleted by hand is forgotten too, and its name is free.
	if err := os.RemoveAll(other.Path); err != nil {
		t.Fatal(err)
	}
	m.Release(other)
	again := create(t, m, "other", e)
	if again.Reused || !exists(filepath.Join(again.Path, "a.txt")) || listed(r) != 2 {
		t.Errorf("%+v\n%s", again, r.Git("worktree", "list"))
	}
}

// What another program is making right now is let alone.
func TestCheckoutsOfOthersAreLetAlone(t *testing.T) {
	r, e := project(t), &events{}
	started := slowFilter(t, r)
	path := filepath.Join(r.Dir, ".claude", "worktrees", "theirs")
	cmd := exec.Command("git", "worktree", "add", "-q", "-b", "worktree-theirs", path)
	cmd.Dir, cmd.Env, cmd.SysProcAttr = r.Dir, append(os.Environ(), "LC_ALL=C"), &syscall.SysProcAttr{Setpgid: true}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	waitFor(t, started)
	r.Git("config", "--unset", "filter.slow.smudge")
	create(t, worktree.New(r.Dir), "ours", e)
	if !exists(path) || listed(r) != 3 {
		t.Errorf("%s", r.Git("worktree", "list"))
	}
	endCheckout(t, started)
	_ = cmd.Wait()
}
