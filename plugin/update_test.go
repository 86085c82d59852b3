package plugin_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/hookline-dev/hookline/internal/gitcmd/gittest"
	"github.com/hookline-dev/hookline/plugin"
)

func yes(plugin.Diff) (bool, error) { return true, nil }
func no(plugin.Diff) (bool, error)  { return false, nil }

func update(t *testing.T, s *plugin.Store, o plugin.UpdateOptions, names ...string) plugin.UpdateResult {
	t.Helper()
	r, err := s.Update(t.Context(), names, o)
	if err != nil {
		t.Fatal(err)
	}
	if len(r) != 1 {
		t.Fatalf("%d results", len(r))
	}
	return r[0]
}

func TestUpdateFollowsABranch(t *testing.T) {
	gittest.Isolate(t)
	repo := gittest.New(t, filepath.Join(t.TempDir(), "acme", "tools"))
	codeReview(repo)
	first := repo.Commit()
	s := newStore(t)
	r := install(t, s, repo.URL(), plugin.InstallOptions{})
	if u := update(t, s, plugin.UpdateOptions{}); u.Status != plugin.Unchanged {
		t.Errorf("%+v", u)
	}
	repo.Write("hooks/validate-diff", "#!/bin/sh\necho after_tool_call\n")
	repo.Write("recipes/new.md", "New\x1b[2J.\n")
	if err := os.Remove(filepath.Join(repo.Dir, "tools", "count")); err != nil {
		t.Fatal(err)
	}
	second := repo.Commit()

	if _, err := s.Update(t.Context(), nil, plugin.UpdateOptions{}); !errors.Is(err, plugin.ErrNeedsApproval) {
		t.Errorf("without anybody to ask: %v", err)
	}
	if u := update(t, s, plugin.UpdateOptions{Approve: no}); u.Status != plugin.Declined {
		t.Errorf("%+v", u)
	}
	if u := update(t, s, plugin.UpdateOptions{DryRun: true}); u.Status != plugin.Available || u.NewCommit != second {
		t.Errorf("%+v", u)
	}
	if got := readFile(t, filepath.Join(r.Path, "hooks", "validate-diff")); !strings.Contains(got, "before_tool_call") {
		t.Errorf("changed by the above: %q", got)
	}
	wantClean(t, s)

	u := update(t, s, plugin.UpdateOptions{Approve: yes}, "acme@tools")
	if u.Status != plugin.Updated || u.OldCommit != first || u.NewCommit != second || u.Diff.TagMoved {
		t.Errorf("%+v", u)
	}
	var b bytes.Buffer
	if err := plugin.RenderDiffText(&b, u.Diff); err != nil {
		t.Fatal(err)
	}
	want := "acme/tools (local): 1 added, 1 changed, 1 removed\n  commit: " + first[:12] + " -> " + second[:12] + `
! changed  hooks/validate-diff
    --- old/hooks/validate-diff
    +++ new/hooks/validate-diff
    @@ -1,2 +1,2 @@
     #!/bin/sh
    -echo before_tool_call
    +echo after_tool_call
  added    recipes/new.md
    --- old/recipes/new.md
    +++ new/recipes/new.md
    @@ -0,0 +1 @@
    +New\x1b[2J.
! removed  tools/count
    --- old/tools/count
    +++ new/tools/count
    @@ -1,2 +0,0 @@
    -#!/bin/sh
    -wc
`
	if b.String() != want {
		t.Errorf("got\n%s\nwant\n%s", b.String(), want)
	}
	wantClean(t, s)

	repo.Write("recipes/new.md", "Newer.\n")
	repo.Commit()
	if u := update(t, s, plugin.UpdateOptions{}); u.Status != plugin.Updated {
		t.Errorf("text needs approval: %+v", u)
	}
	if _, err := s.Update(t.Context(), []string{"acme/tools", "acme/none"}, plugin.UpdateOptions{}); err == nil || !strings.Contains(err.Error(), "acme/none") {
		t.Errorf("got %v", err)
	}
}

func TestUpdateOfTagsAndCommits(t *testing.T) {
	gittest.Isolate(t)
	repo := gittest.New(t, filepath.Join(t.TempDir(), "acme", "tools"))
	repo.Write("recipes/a.md", "one\n")
	first := repo.Commit()
	repo.Git("tag", "v1")
	s := newStore(t)
	install(t, s, repo.URL()+"@v1", plugin.InstallOptions{})
	install(t, s, repo.URL()+"@"+first, plugin.InstallOptions{Global: true})
	repo.Write("recipes/a.md", "two\n")
	second := repo.Commit()
	repo.Git("tag", "-f", "v1")

	if u := update(t, s, plugin.UpdateOptions{GlobalOnly: true}); u.Status != plugin.Pinned {
		t.Errorf("%+v", u)
	}
	if _, err := s.Update(t.Context(), nil, plugin.UpdateOptions{LocalOnly: true}); !errors.Is(err, plugin.ErrNeedsApproval) {
		t.Errorf("a moved tag was followed unasked: %v", err)
	}
	var asked plugin.Diff
	u := update(t, s, plugin.UpdateOptions{LocalOnly: true, Approve: func(d plugin.Diff) (bool, error) { asked = d; return true, nil }})
	if u.Status != plugin.Updated || !asked.TagMoved || asked.OldCommit != first || asked.NewCommit != second {
		t.Errorf("%+v %+v", u, asked)
	}
	var b bytes.Buffer
	if err := plugin.RenderDiff(&b, asked); err != nil || !strings.Contains(b.String(), "the tag v1 was MOVED") {
		t.Errorf("%s %v", b.String(), err)
	}
	repo.Git("tag", "-d", "v1")
	if _, err := s.Update(t.Context(), nil, plugin.UpdateOptions{LocalOnly: true, Approve: yes}); err == nil || !strings.Contains(err.Error(), `"v1"`) {
		t.Errorf("a tag that is gone: %v", err)
	}
	wantClean(t, s)
}

func TestUpdateKeepsHooksSwitchedOff(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "tools")
	writeFile(t, filepath.Join(dir, "hooks", "a"), "#!/bin/sh\n")
	writeFile(t, filepath.Join(dir, "hooks", "b"), "#!/bin/sh\n")
	s := newStore(t)
	r := install(t, s, dir, plugin.InstallOptions{})
	off := filepath.Join(r.Path, "hooks", "a")
	if err := os.Rename(off, off+".disable"); err != nil {
		t.Fatal(err)
	}
	reports, err := s.Verify(t.Context())
	if err != nil || reports[0].Status != plugin.StatusOK || strings.Join(reports[0].Disabled, " ") != "hooks/a" {
		t.Errorf("%+v, %v", reports, err)
	}
	writeFile(t, filepath.Join(dir, "hooks", "a"), "#!/bin/sh\necho new\n")
	u := update(t, s, plugin.UpdateOptions{Approve: yes})
	if u.Status != plugin.Updated || len(u.Diff.Files) != 1 || u.Diff.Files[0].Path != "hooks/a" || u.Diff.Files[0].Change != plugin.Changed {
		t.Errorf("%+v", u)
	}
	wantFiles(t, r.Path, "hooks/a.disable", "hooks/b")
	if got := readFile(t, off+".disable"); !strings.Contains(got, "new") {
		t.Errorf("%q", got)
	}
	wantClean(t, s)
	d, err := s.Show(t.Context(), "tools")
	if err != nil || len(d) != 1 || len(d[0].HookFiles) != 2 || !d[0].HookFiles[0].Disabled || d[0].HookFiles[0].Name != "tools/a" || len(d[0].HookFiles[0].SHA256) != 64 {
		t.Errorf("%+v, %v", d, err)
	}
}

func TestVerifyAndLocalChanges(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "tools")
	writeFile(t, filepath.Join(dir, "hooks", "run"), "#!/bin/sh\n")
	writeFile(t, filepath.Join(dir, "recipes", "a.md"), "a\n")
	writeFile(t, filepath.Join(dir, "recipes", "b.md"), "b\n")
	writeFile(t, filepath.Join(dir, "recipes", "c.md"), "c\n")
	s := newStore(t)
	r := install(t, s, dir, plugin.InstallOptions{})
	writeFile(t, filepath.Join(r.Path, "recipes", "a.md"), "changed\n")
	writeFile(t, filepath.Join(r.Path, "hooks", "extra"), "#!/bin/sh\n")
	if err := errors.Join(os.Remove(filepath.Join(r.Path, "recipes", "b.md")), os.Chmod(filepath.Join(r.Path, "hooks", "run"), 0o644)); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(r.Path, "recipes", "c.md")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join(dir, "recipes", "c.md"), filepath.Join(r.Path, "recipes", "c.md")); err != nil {
		t.Skipf("no symlinks here: %v", err)
	}
	reports, err := s.Verify(t.Context(), "tools")
	if err != nil {
		t.Fatal(err)
	}
	got := reports[0]
	if got.Status != plugin.StatusChanged || strings.Join(got.Modified, " ") != "recipes/a.md recipes/c.md" || strings.Join(got.Missing, " ") != "recipes/b.md" || strings.Join(got.Extra, " ") != "hooks/extra" {
		t.Errorf("%+v", got)
	}
	if runtime.GOOS != "windows" && strings.Join(got.Mode, " ") != "hooks/run" {
		t.Errorf("modes %q", got.Mode)
	}
	writeFile(t, filepath.Join(dir, "recipes", "d.md"), "d\n")
	if _, err := s.Update(t.Context(), nil, plugin.UpdateOptions{}); !errors.Is(err, plugin.ErrNeedsApproval) || !strings.Contains(err.Error(), "files changed on this machine would be overwritten (hooks/extra, ") {
		t.Errorf("changed files were overwritten unasked: %v", err)
	}
	if u := update(t, s, plugin.UpdateOptions{DryRun: true}); u.Status != plugin.Available || strings.Join(u.Modified, " ") != strings.Join(u.Diff.Modified, " ") || !slices.Contains(u.Modified, "recipes/a.md") {
		t.Errorf("%+v", u)
	}
	if u := update(t, s, plugin.UpdateOptions{Approve: yes}); !slices.Contains(u.Modified, "recipes/a.md") {
		t.Errorf("what was overwritten is not told: %+v", u)
	}
	wantClean(t, s)
	if u := update(t, s, plugin.UpdateOptions{Approve: yes}); u.Status != plugin.Unchanged || u.Modified != nil {
		t.Errorf("%+v", u)
	}

	copied := filepath.Join(s.HomeDir, ".kodelet", "plugins", "old@copy")
	writeFile(t, filepath.Join(copied, "hooks", "run"), "#!/bin/sh\n")
	if err := os.RemoveAll(r.Path); err != nil {
		t.Fatal(err)
	}
	reports, err = s.Verify(t.Context())
	if err != nil || len(reports) != 2 || reports[0].Status != plugin.StatusUnlocked || reports[1].Status != plugin.StatusMissing {
		t.Errorf("%+v, %v", reports, err)
	}
	if _, err := s.Verify(t.Context(), "none"); err == nil {
		t.Error("an unknown name was verified")
	}
	if _, err := s.Update(t.Context(), []string{"old/copy"}, plugin.UpdateOptions{Approve: yes}); err == nil || !strings.Contains(err.Error(), "--force") {
		t.Errorf("got %v", err)
	}
	if u := update(t, s, plugin.UpdateOptions{Approve: yes}, "tools"); u.Status != plugin.Updated {
		t.Errorf("a directory that is gone is not restored: %+v", u)
	}
}

func TestUpdateTellsOfLocalChangesWhenTheSourceHasNothingNew(t *testing.T) {
	gittest.Isolate(t)
	repo := gittest.New(t, filepath.Join(t.TempDir(), "acme", "tools"))
	repo.Write("recipes/a.md", "one\n")
	first := repo.Commit()
	s := newStore(t)
	local := install(t, s, repo.URL(), plugin.InstallOptions{})
	pinned := install(t, s, repo.URL()+"@"+first, plugin.InstallOptions{Global: true})
	for _, r := range []plugin.InstallResult{local, pinned} {
		writeFile(t, filepath.Join(r.Path, "recipes", "a.md"), "mine\n")
	}
	for _, dry := range []bool{true, false} {
		for want, o := range map[plugin.UpdateStatus]plugin.UpdateOptions{plugin.Unchanged: {LocalOnly: true}, plugin.Pinned: {GlobalOnly: true}} {
			o.DryRun = dry
			if u := update(t, s, o); u.Status != want || strings.Join(u.Modified, " ") != "recipes/a.md" {
				t.Errorf("%+v", u)
			}
		}
	}
	if got := readFile(t, filepath.Join(local.Path, "recipes", "a.md")); got != "mine\n" {
		t.Errorf("overwritten: %q", got)
	}
}

func TestRemove(t *testing.T) {
	root := t.TempDir()
	s := newStore(t)
	for _, name := range []string{"acme@one", "acme@two"} {
		writeFile(t, filepath.Join(root, name, "hooks", "run"), "#!/bin/sh\n")
		install(t, s, filepath.Join(root, name), plugin.InstallOptions{})
	}
	install(t, s, filepath.Join(root, "acme@two"), plugin.InstallOptions{Global: true})
	before := files(t, s.ProjectDir)
	_, err := s.Remove(t.Context(), []string{"acme/one", "acme/none"}, plugin.RemoveOptions{})
	if e, ok := errors.AsType[*plugin.NotInstalledError](err); !ok || strings.Join(e.Names, " ") != "acme/none" {
		t.Errorf("got %v", err)
	}
	wantFiles(t, s.ProjectDir, before...)
	_, err = s.Remove(t.Context(), []string{"acme/one"}, plugin.RemoveOptions{Global: true})
	if err == nil || !strings.Contains(err.Error(), "leave --global out") {
		t.Errorf("got %v", err)
	}
	for _, bad := range []string{"../..", "/etc", "acme/../../x", ""} {
		if _, err := s.Remove(t.Context(), []string{bad}, plugin.RemoveOptions{}); err == nil {
			t.Errorf("%q was removed", bad)
		}
	}
	removed, err := s.Remove(t.Context(), []string{"acme@one", "acme/two", "acme/two"}, plugin.RemoveOptions{})
	if err != nil || len(removed) != 2 {
		t.Errorf("%q, %v", removed, err)
	}
	wantFiles(t, s.ProjectDir, ".hookline/plugins.lock")
	list, _, err := s.List(t.Context())
	if err != nil || len(list) != 1 || list[0].Location != plugin.Global {
		t.Errorf("%+v, %v", list, err)
	}
	if err := os.RemoveAll(list[0].Path); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Remove(t.Context(), []string{"acme/two"}, plugin.RemoveOptions{Global: true}); err != nil {
		t.Errorf("a record without a directory: %v", err)
	}
	wantClean(t, s)
}
