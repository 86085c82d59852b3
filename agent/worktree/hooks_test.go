package worktree_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/hookline-dev/hookline/agent/worktree"
	"github.com/hookline-dev/hookline/hook"
	"github.com/hookline-dev/hookline/internal/gitcmd/gittest"
)

func supplies(path string) *events {
	return &events{out: hook.Outcome{Host: &hook.HostEffects{WorktreePath: path}}}
}

func TestHookSuppliesThePath(t *testing.T) {
	gittest.Isolate(t)
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	made := filepath.Join(dir, "made by a hook ü")
	if err := os.Mkdir(made, 0o755); err != nil {
		t.Fatal(err)
	}
	e := supplies(made)
	m := worktree.New(t.TempDir()) // no repository
	w := create(t, m, "x", e)
	if w.Path != made || !w.ByHook || w.Branch != "" {
		t.Errorf("%+v", w)
	}
	// No hook removes it: it stays, and that is said.
	if end, err := m.Finish(t.Context(), w, e.fire); err != nil || end.Removed || !strings.Contains(end.Why, "no hook removed it") {
		t.Errorf("%+v, %v", end, err)
	}
	// A hook fails.
	one := 1
	e.out.Runs = []hook.Run{{Hook: &hook.Info{Name: "cleaner"}, Report: &hook.Report{ExitCode: &one, Stderr: "disk on fire\n"}}}
	if _, err := m.Finish(t.Context(), w, e.fire); err == nil || !strings.Contains(err.Error(), "cleaner: exit 1: disk on fire") || !exists(made) {
		t.Errorf("%v", err)
	}
	// It holds work: no hook is asked to remove it.
	before := len(e.fired)
	write(t, filepath.Join(made, "work.txt"), "x")
	if end, err := m.Finish(t.Context(), w, e.fire); err != nil || end.Removed || end.Why == "" || len(e.fired) != before {
		t.Errorf("%+v, %v, fired %q", end, err, e.fired)
	}
	// A hook removes it.
	e.do = func(hook.Input) { _ = os.RemoveAll(made) }
	e.out.Runs = nil
	if err := m.Remove(t.Context(), w, worktree.DiscardChanges, e.fire); err != nil || exists(made) {
		t.Errorf("%v", err)
	}
}

func TestPathsThatAreNone(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	write(t, file, "x")
	for path, why := range map[string]string{"relative/x": "not absolute", file + "-gone": "not there", file: "not a directory"} {
		if _, err := worktree.New(t.TempDir()).Create(t.Context(), "x", "", supplies(path).fire); err == nil || !strings.Contains(err.Error(), why) {
			t.Errorf("%s: %v", path, err)
		}
	}
}

func TestRefusals(t *testing.T) {
	r := project(t)
	m := worktree.New(r.Dir)
	for want, e := range map[string]*events{
		"too many already": {out: hook.Outcome{Decision: hook.DecisionDeny, Reason: "too many already"}},
		"stop it all":      {out: hook.Outcome{Halt: true, StopReason: "stop it all"}},
		"not say why":      {out: hook.Outcome{Decision: hook.DecisionDeny}},
	} {
		if _, err := m.Create(t.Context(), "x", "", e.fire); !errors.Is(err, worktree.ErrRefused) || !strings.Contains(err.Error(), want) {
			t.Errorf("%v", err)
		}
	}
	if _, err := m.Create(t.Context(), "x", "", (&events{err: errors.New("closed")}).fire); err == nil {
		t.Error("an engine that cannot fire is not consent")
	}
	if listed(r) != 1 || exists(filepath.Join(r.Dir, ".claude")) {
		t.Error("something was made")
	}
}

func TestNoRepository(t *testing.T) {
	gittest.Isolate(t)
	dir := t.TempDir()
	if _, err := worktree.New(dir).Create(t.Context(), "x", "", (&events{}).fire); !errors.Is(err, worktree.ErrNoRepository) || exists(filepath.Join(dir, ".claude")) {
		t.Errorf("%v", err)
	}
	gittest.New(t, dir)
	if _, err := worktree.New(dir).Create(t.Context(), "x", "", (&events{}).fire); err == nil || !strings.Contains(err.Error(), "no commit yet") {
		t.Errorf("%v", err)
	}
}

func TestLinksOutOfTheProject(t *testing.T) {
	r := project(t)
	outside := t.TempDir()
	if err := os.Symlink(outside, filepath.Join(r.Dir, ".claude")); err != nil {
		t.Skip(err)
	}
	if _, err := worktree.New(r.Dir).Create(t.Context(), "x", "", (&events{}).fire); err == nil {
		t.Error("the worktree was made outside")
	}
	if list, _ := os.ReadDir(outside); len(list) != 0 {
		t.Errorf("%v", list)
	}
}

func TestHooksOfTheRepositoryStayOff(t *testing.T) {
	r, e := project(t), &events{}
	trace := filepath.Join(t.TempDir(), "ran")
	script := "#!/bin/sh\necho ran >> '" + filepath.ToSlash(trace) + "'\n"
	for _, name := range []string{"post-checkout", "reference-transaction"} {
		r.Write(".git/hooks/"+name, script)
	}
	r.Write(".git/monitor", script)
	r.Git("config", "core.fsmonitor", filepath.ToSlash(filepath.Join(r.Dir, ".git", "monitor")))
	t.Setenv("GIT_DIR", filepath.Join(t.TempDir(), "elsewhere")) // as under a hook of git
	m := worktree.New(r.Dir)
	w := create(t, m, "x", e)
	if end, err := m.Finish(t.Context(), w, e.fire); err != nil || !end.Removed {
		t.Errorf("%+v, %v", end, err)
	}
	if exists(trace) {
		t.Error("a program of the repository has run")
	}
}

func TestLocksOfAnotherGitAreWaitedFor(t *testing.T) {
	r, e := project(t), &events{}
	lock := filepath.Join(r.Dir, ".git", "refs", "heads", "worktree-x.lock")
	write(t, lock, "")
	timer := time.AfterFunc(300*time.Millisecond, func() { _ = os.Remove(lock) })
	defer timer.Stop()
	create(t, worktree.New(r.Dir), "x", e)
}

func TestResume(t *testing.T) {
	r, e := project(t), &events{}
	m := worktree.New(r.Dir)
	w := create(t, m, "x", e)
	m.Release(w)
	saved := worktree.Worktree{Name: w.Name, Path: w.Path, Branch: w.Branch}
	back, ok := m.Resume(t.Context(), saved)
	if !ok || !back.Reused || back.Path != w.Path || len(e.fired) != 1 {
		t.Fatalf("%+v, %v, fired %q", back, ok, e.fired)
	}
	if end, err := m.Finish(t.Context(), back, e.fire); err != nil || !end.Removed {
		t.Errorf("%+v, %v", end, err)
	}
	if _, ok := m.Resume(t.Context(), saved); ok {
		t.Error("it is gone")
	}
	saved.Path = r.Dir
	if _, ok := m.Resume(t.Context(), saved); ok {
		t.Error("the project is not a worktree of itself")
	}
}
