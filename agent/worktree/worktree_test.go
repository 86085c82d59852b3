package worktree_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"go.uber.org/goleak"

	"github.com/hookline-dev/hookline/agent/worktree"
	"github.com/hookline-dev/hookline/hook"
	"github.com/hookline-dev/hookline/internal/gitcmd/gittest"
)

func TestMain(m *testing.M) {
	if dir := os.Getenv("WORKTREE_TEST_DIR"); dir != "" {
		createIn(dir)
		return
	}
	goleak.VerifyTestMain(m)
}

// events notes what was fired and answers with out.
type events struct {
	mu    sync.Mutex
	fired []string
	out   hook.Outcome
	err   error
	do    func(hook.Input)
}

func (e *events) fire(_ context.Context, in hook.Input) (hook.Outcome, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	switch in := in.(type) {
	case *hook.WorktreeCreate:
		e.fired = append(e.fired, "create "+in.Name)
	case *hook.WorktreeRemove:
		e.fired = append(e.fired, "remove "+in.WorktreePath)
	}
	if e.do != nil {
		e.do(in)
	}
	return e.out, e.err
}

// project makes a repository with one commit, in a directory whose name needs care.
func project(t *testing.T) *gittest.Repo {
	t.Helper()
	gittest.Isolate(t)
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	r := gittest.New(t, filepath.Join(dir, "mein Projekt ü"))
	r.Write("a.txt", "one\n")
	r.Commit()
	return r
}

func create(t *testing.T, m *worktree.Manager, name string, e *events) *worktree.Worktree {
	t.Helper()
	w, err := m.Create(t.Context(), name, "", e.fire)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { m.Release(w) })
	return w
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// listed counts the worktrees that git knows, the project's own among them.
func listed(r *gittest.Repo) int {
	return strings.Count(r.Git("worktree", "list", "--porcelain"), "worktree ")
}

func TestUnchangedIsRemoved(t *testing.T) {
	r, e := project(t), &events{}
	m := worktree.New(r.Dir)
	w := create(t, m, "feature", e)
	if want := filepath.Join(r.Dir, ".claude", "worktrees", "feature"); w.Path != want || w.Branch != "worktree-feature" || w.Reused || w.ByHook {
		t.Errorf("%+v, path %s expected", w, want)
	}
	if data, err := os.ReadFile(filepath.Join(w.Path, "a.txt")); err != nil || strings.TrimSpace(string(data)) != "one" {
		t.Errorf("%q, %v", data, err)
	}
	if got := r.Git("status", "--porcelain"); got != "" {
		t.Errorf("the project's status shows %q", got)
	}
	end, err := m.Finish(t.Context(), w, e.fire)
	if err != nil || !end.Removed || exists(w.Path) || listed(r) != 1 || r.Git("branch", "--list", "worktree-*") != "" {
		t.Errorf("%+v, %v; branches %q", end, err, r.Git("branch", "--list"))
	}
	if want := []string{"create feature", "remove " + w.Path}; !slices.Equal(e.fired, want) {
		t.Errorf("fired %q, expected %q", e.fired, want)
	}
	if got := r.Git("status", "--porcelain"); got != "" {
		t.Errorf("the project's status shows %q", got)
	}
}

func TestWorkIsKept(t *testing.T) {
	r := project(t)
	m := worktree.New(r.Dir)
	at := func(w *worktree.Worktree) *gittest.Repo { c := *r; c.Dir = w.Path; return &c }
	for name, c := range map[string]struct {
		do  func(t *testing.T, w *worktree.Worktree)
		why string
	}{
		"changed":   {func(t *testing.T, w *worktree.Worktree) { write(t, filepath.Join(w.Path, "a.txt"), "two\n") }, "1 changed file"},
		"untracked": {func(t *testing.T, w *worktree.Worktree) { write(t, filepath.Join(w.Path, "neü x.txt"), "x") }, "1 changed file"},
		"hidden": {func(t *testing.T, w *worktree.Worktree) {
			at(w).Git("config", "status.showUntrackedFiles", "no")
			t.Cleanup(func() { r.Git("config", "--unset", "status.showUntrackedFiles") })
			write(t, filepath.Join(w.Path, "new.txt"), "x")
		}, "1 changed file"},
		"renamed":   {func(_ *testing.T, w *worktree.Worktree) { at(w).Git("mv", "a.txt", "b.txt") }, "1 changed file"},
		"committed": {func(_ *testing.T, w *worktree.Worktree) { at(w).Commit(); at(w).Commit() }, "2 new commits"},
		"moved":     {func(_ *testing.T, w *worktree.Worktree) { at(w).Git("checkout", "-q", "-b", "other") }, "another branch"},
		"branched": {func(t *testing.T, w *worktree.Worktree) {
			write(t, filepath.Join(w.Path, "only here.txt"), "x")
			at(w).Commit()
			at(w).Git("checkout", "-q", "--detach", "HEAD~1")
		}, "1 new commit"},
		"locked": {func(_ *testing.T, w *worktree.Worktree) { r.Git("worktree", "lock", w.Path) }, "locked"},
		"nested": {func(_ *testing.T, w *worktree.Worktree) {
			r.Git("worktree", "add", "-q", filepath.Join(w.Path, "ignored", "inner"), "-b", "inner")
			write(t, filepath.Join(r.Dir, ".git", "info", "exclude"), "ignored\n")
		}, "inner lies in it"},
	} {
		t.Run(name, func(t *testing.T) {
			e := &events{}
			w := create(t, m, name, e)
			c.do(t, w)
			end, err := m.Finish(t.Context(), w, e.fire)
			if err != nil || end.Removed || !strings.Contains(end.Why, c.why) || !exists(w.Path) {
				t.Errorf("%+v, %v", end, err)
			}
			if len(e.fired) != 1 {
				t.Errorf("fired %q", e.fired)
			}
			again := create(t, m, name, e)
			if !again.Reused || again.Path != w.Path {
				t.Errorf("%+v", again)
			}
			_, err = m.Finish(t.Context(), again, e.fire)
			if err != nil || !exists(w.Path) {
				t.Errorf("the second time: %v", err)
			}
		})
	}
}

func TestMergedCommitsAreNotLost(t *testing.T) {
	r, e := project(t), &events{}
	m := worktree.New(r.Dir)
	w := create(t, m, "merged", e)
	at := *r
	at.Dir = w.Path
	at.Commit()
	r.Git("merge", "-q", "worktree-merged")
	if end, err := m.Finish(t.Context(), w, e.fire); err != nil || !end.Removed || r.Git("branch", "--list", "worktree-*") != "" {
		t.Errorf("%+v, %v", end, err)
	}
}

func TestDiscard(t *testing.T) {
	r, e := project(t), &events{}
	m := worktree.New(r.Dir)
	w := create(t, m, "mess", e)
	write(t, filepath.Join(w.Path, "new.txt"), "x")
	err := m.Remove(t.Context(), w, worktree.KeepChanges, e.fire)
	if changed, ok := errors.AsType[*worktree.ChangedError](err); !ok || changed.Path != w.Path {
		t.Errorf("%v", err)
	}
	if err := m.Remove(t.Context(), w, worktree.DiscardChanges, e.fire); err != nil || exists(w.Path) || listed(r) != 1 || r.Git("branch", "--list", "worktree-*") != "" {
		t.Errorf("%v", err)
	}
}

// A removal that was cut off is gone on with, and what came to it since is kept.
func TestRemovalThatWasCutOff(t *testing.T) {
	r, e := project(t), &events{}
	r.Write("b.txt", "two\n")
	r.Commit()
	m := worktree.New(r.Dir)
	for _, name := range []string{"half", "worked", "broken"} {
		m.Release(create(t, m, name, e))
	}
	begin := func(name string) string {
		path := filepath.Join(r.Dir, ".claude", "worktrees", name)
		marker := filepath.Join(r.Dir, ".git", "worktrees", name, "hookline.json")
		data, err := os.ReadFile(marker)
		if err != nil {
			t.Fatal(err)
		}
		write(t, marker, strings.Replace(string(data), "}", `,"removing":true}`, 1))
		if err := os.Remove(filepath.Join(path, "a.txt")); err != nil {
			t.Fatal(err)
		}
		return path
	}
	half, worked, broken := begin("half"), begin("worked"), begin("broken")
	write(t, filepath.Join(worked, "new.txt"), "x")
	if err := os.Remove(filepath.Join(broken, ".git")); err != nil {
		t.Fatal(err)
	}
	create(t, m, "next", e)
	if exists(half) || !exists(filepath.Join(worked, "new.txt")) || !exists(filepath.Join(broken, "b.txt")) {
		t.Errorf("%v %v %v", exists(half), exists(worked), exists(broken))
	}
	if listed(r) != 3 {
		t.Errorf("%s", r.Git("worktree", "list"))
	}
	w := create(t, m, "worked", e)
	if end, err := m.Finish(t.Context(), w, e.fire); err != nil || end.Removed || end.Why != "2 changed files" {
		t.Errorf("%+v, %v", end, err)
	}
}

func TestForeignDirectoriesAndBranches(t *testing.T) {
	r, e := project(t), &events{}
	m := worktree.New(r.Dir)
	folder := filepath.Join(r.Dir, ".claude", "worktrees")
	if err := os.MkdirAll(filepath.Join(folder, "plain"), 0o755); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(folder, "plain", "x"), "precious")
	if _, err := m.Create(t.Context(), "plain", "", e.fire); err == nil || !strings.Contains(err.Error(), "is not a worktree of this repository") {
		t.Errorf("%v", err)
	}
	if !exists(filepath.Join(folder, "plain", "x")) {
		t.Error("a directory of somebody else is gone")
	}
	// A branch of that name is checked out, and stays.
	r.Git("branch", "worktree-mine")
	w := create(t, m, "mine", e)
	if end, err := m.Finish(t.Context(), w, e.fire); err != nil || !end.Removed || r.Git("branch", "--list", "worktree-mine") == "" {
		t.Errorf("%+v, %v", end, err)
	}
	// A worktree that somebody else made is used, and stays.
	r.Git("worktree", "add", "-q", filepath.Join(folder, "theirs"), "-b", "worktree-theirs")
	w = create(t, m, "theirs", e)
	if end, err := m.Finish(t.Context(), w, e.fire); err != nil || end.Removed || !strings.Contains(end.Why, "somebody else") || !exists(w.Path) {
		t.Errorf("%+v, %v", end, err)
	}
}

func TestTwoSessionsInOne(t *testing.T) {
	r, e := project(t), &events{}
	first, second := worktree.New(r.Dir), worktree.New(r.Dir)
	a, b := create(t, first, "shared", e), create(t, second, "shared", e)
	if end, err := first.Finish(t.Context(), a, e.fire); err != nil || end.Removed || !strings.Contains(end.Why, "another session") {
		t.Errorf("%+v, %v", end, err)
	}
	if end, err := second.Finish(t.Context(), b, e.fire); err != nil || !end.Removed {
		t.Errorf("%+v, %v", end, err)
	}
}

func TestManyAtOnce(t *testing.T) {
	r, e := project(t), &events{}
	managers := []*worktree.Manager{worktree.New(r.Dir), worktree.New(r.Dir)}
	var wg sync.WaitGroup
	for i := range 6 {
		wg.Go(func() {
			m := managers[i%2]
			w, err := m.Create(t.Context(), worktree.NewName("agent"), "", e.fire)
			if err != nil {
				t.Error(err)
				return
			}
			if i < 2 {
				if err := os.WriteFile(filepath.Join(w.Path, "new.txt"), []byte("x"), 0o644); err != nil {
					t.Error(err)
				}
			}
			if end, err := m.Finish(t.Context(), w, e.fire); err != nil || end.Removed != (i >= 2) {
				t.Errorf("%+v, %v", end, err)
			}
		})
	}
	wg.Wait()
	if got := listed(r); got != 3 {
		t.Errorf("%d worktrees", got)
	}
}

func TestBaseIsWhatTheCallerWorksOn(t *testing.T) {
	r, e := project(t), &events{}
	m := worktree.New(r.Dir)
	outer := create(t, m, "outer", e)
	at := *r
	at.Dir = outer.Path
	at.Write("later.txt", "x")
	commit := at.Commit()
	inner, err := m.Create(t.Context(), "inner", outer.Path, e.fire)
	if err != nil {
		t.Fatal(err)
	}
	at.Dir = inner.Path
	if got := at.Git("rev-parse", "HEAD"); got != commit {
		t.Errorf("starts at %s, expected %s", got, commit)
	}
	if end, err := m.Finish(t.Context(), inner, e.fire); err != nil || !end.Removed {
		t.Errorf("%+v, %v", end, err)
	}
}

func TestNames(t *testing.T) {
	for name, good := range map[string]bool{
		"a": true, "feature-1": true, "v1.2_x": true, "größe": true, "日本": true, "1": true, strings.Repeat("a", 64): true,
		"": false, "..": false, ".": false, "a..b": false, "a/b": false, `a\b`: false, "-f": false, ".hidden": false, "a b": false, "a\nb": false,
		"a\x00": false, "a\x1b[2J": false, "a:b": false, "a~1": false, "a^": false, "x.lock": false, "x.LOCK": false, "x.": false, "a@{1}": false,
		"\xff": false, strings.Repeat("a", 65): false, "a\u202eb": false, "a*": false, "_a": false,
	} {
		err := worktree.CheckName(name)
		if _, ok := errors.AsType[*worktree.NameError](err); (err == nil) != good || err != nil && !ok {
			t.Errorf("%q: %v", name, err)
		}
	}
	e := &events{}
	if _, err := worktree.New(t.TempDir()).Create(t.Context(), "../x", "", e.fire); err == nil || len(e.fired) != 0 {
		t.Errorf("%v, fired %q", err, e.fired)
	}
	for range 100 {
		if err := worktree.CheckName(worktree.NewName("")); err != nil {
			t.Error(err)
		}
	}
}

func FuzzCheckName(f *testing.F) {
	for _, s := range []string{"a", "..", "a/b", "größe", "x.lock", "\xff"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, name string) {
		if worktree.CheckName(name) == nil && (!filepath.IsLocal(name) || filepath.Base(name) != name || strings.ContainsAny(name, "/\\ \n\x00")) {
			t.Errorf("%q passes", name)
		}
	})
}
