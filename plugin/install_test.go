package plugin_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/hookline-dev/hookline/internal/gitcmd"
	"github.com/hookline-dev/hookline/internal/gitcmd/gittest"
	"github.com/hookline-dev/hookline/plugin"
)

func TestInstallFromGit(t *testing.T) {
	gittest.Isolate(t)
	root := t.TempDir()
	repo := gittest.New(t, filepath.Join(root, "acme", "tools"))
	codeReview(repo)
	first := repo.Commit()
	repo.Git("tag", "v1")
	repo.Git("checkout", "-q", "-b", "feature/x")
	repo.Write("hooks/extra", "#!/bin/sh\n")
	side := repo.Commit()
	repo.Git("checkout", "-q", "main")
	repo.Write("recipes/new.md", "New.\n")
	tip := repo.Commit()
	base := gittest.Serve(t, root, gittest.ServeOptions{})

	tests := []struct {
		spec, commit, ref, kind string
		hooks, recipes          int
	}{
		{"file", tip, "", "default", 2, 3},
		{base + "/acme/tools", tip, "", "default", 2, 3},
		{base + "/acme/tools@main", tip, "main", "branch", 2, 3},
		{base + "/acme/tools@feature/x", side, "feature/x", "branch", 3, 2},
		{base + "/acme/tools@v1", first, "v1", "tag", 2, 2},
		{base + "/acme/tools@" + first, first, first, "commit", 2, 2},
		{base + "/acme/tools@" + first[:9], first, first[:9], "commit", 2, 2},
	}
	for _, tt := range tests {
		t.Run(tt.kind+" "+tt.ref, func(t *testing.T) {
			if tt.spec == "file" {
				tt.spec = repo.URL()
			}
			s := newStore(t)
			r := install(t, s, tt.spec, plugin.InstallOptions{})
			if r.Name != "acme/tools" || r.Location != plugin.Local || r.Commit != tt.commit || r.Ref != tt.ref || r.RefKind != tt.kind {
				t.Errorf("got %+v", r.Plugin)
			}
			if len(r.Hooks) != tt.hooks || len(r.Recipes) != tt.recipes || len(r.Skills) != 1 || len(r.Tools) != 1 {
				t.Errorf("carries %+v", r.Plugin)
			}
			dir := filepath.Join(s.ProjectDir, ".hookline", "plugins", "acme@tools")
			if r.Path != dir {
				t.Errorf("path %s", r.Path)
			}
			if tt.kind == "tag" {
				wantFiles(t, filepath.Join(s.ProjectDir, ".hookline"),
					"plugins.lock", "plugins/acme@tools/README.md", "plugins/acme@tools/hooks/helper.py", "plugins/acme@tools/hooks/post-review-slack",
					"plugins/acme@tools/hooks/validate-diff", "plugins/acme@tools/recipes/deep/audit.md", "plugins/acme@tools/recipes/review.md",
					"plugins/acme@tools/skills/code-review/SKILL.md", "plugins/acme@tools/tools/count")
			}
			if info, err := os.Stat(filepath.Join(dir, "hooks", "validate-diff")); err != nil || (runtime.GOOS != "windows" && info.Mode().Perm() != 0o755) {
				t.Errorf("mode %v, %v", info.Mode(), err)
			}
			wantClean(t, s)
		})
	}
}

func TestInstallWhere(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "my-hooks")
	writeFile(t, filepath.Join(dir, "hooks", "run"), "#!/bin/sh\n")
	s := newStore(t)
	install(t, s, dir, plugin.InstallOptions{})
	install(t, s, dir, plugin.InstallOptions{Global: true})
	s.InstallLayout = "kodelet"
	install(t, s, dir, plugin.InstallOptions{})
	install(t, s, dir, plugin.InstallOptions{Global: true})
	for _, path := range []string{
		filepath.Join(s.ProjectDir, ".hookline"), filepath.Join(s.HomeDir, ".hookline"), filepath.Join(s.ProjectDir, ".kodelet"), filepath.Join(s.HomeDir, ".kodelet"),
	} {
		wantFiles(t, path, "plugins.lock", "plugins/my-hooks/hooks/run")
	}
	list, diags, err := s.List(t.Context())
	if err != nil || len(list) != 4 || len(diags) != 0 {
		t.Fatalf("%+v, %v, %v", list, diags, err)
	}
	if list[0].Location != plugin.Local || list[3].Location != plugin.Global || list[0].Name != "my-hooks" {
		t.Errorf("%+v", list)
	}
}

func TestInstallExisting(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "acme@tools")
	writeFile(t, filepath.Join(dir, "hooks", "run"), "#!/bin/sh\n")
	s := newStore(t)
	install(t, s, dir, plugin.InstallOptions{})
	err := tryInstall(t, s, dir, plugin.InstallOptions{})
	if e, ok := errors.AsType[*plugin.ExistsError](err); !ok || e.Source != dir || !strings.Contains(err.Error(), "--force") {
		t.Errorf("got %v", err)
	}
	writeFile(t, filepath.Join(dir, "hooks", "run"), "#!/bin/sh\necho new\n")
	r := install(t, s, dir, plugin.InstallOptions{Force: true})
	if len(r.Diff.Files) != 1 || r.Diff.Files[0].Change != plugin.Changed || !strings.Contains(r.Diff.Files[0].Text, "+echo new") {
		t.Errorf("%+v", r.Diff)
	}
	if got := readFile(t, filepath.Join(r.Path, "hooks", "run")); !strings.Contains(got, "new") {
		t.Errorf("%q", got)
	}
	upper := filepath.Join(t.TempDir(), "Acme@Tools")
	writeFile(t, filepath.Join(upper, "hooks", "run"), "#!/bin/sh\n")
	if err := tryInstall(t, s, upper, plugin.InstallOptions{Force: true}); err == nil || !strings.Contains(err.Error(), "upper and lower case") {
		t.Errorf("got %v", err)
	}
	wantClean(t, s)
}

func TestNothingToInstall(t *testing.T) {
	gittest.Isolate(t)
	repo := gittest.New(t, filepath.Join(t.TempDir(), "acme", "empty"))
	repo.Write("README.md", "text\n")
	repo.Write("hooks/not-executable", "text\n")
	repo.Write("skills/no-skill/notes.md", "text\n")
	repo.Commit()
	s := newStore(t)
	err := tryInstall(t, s, repo.URL(), plugin.InstallOptions{})
	if _, ok := errors.AsType[*plugin.EmptyError](err); !ok {
		t.Errorf("got %v", err)
	}
	wantFiles(t, s.ProjectDir)
	repo.Write(".claude-plugin/marketplace.json", "{}")
	repo.Commit()
	if err := tryInstall(t, s, repo.URL(), plugin.InstallOptions{}); err == nil || !strings.Contains(err.Error(), "marketplace") {
		t.Errorf("got %v", err)
	}
	wantFiles(t, s.ProjectDir)
}

func TestDryRunChangesNothing(t *testing.T) {
	gittest.Isolate(t)
	repo := gittest.New(t, filepath.Join(t.TempDir(), "acme", "tools"))
	codeReview(repo)
	repo.Commit()
	s := newStore(t)
	r := install(t, s, repo.URL(), plugin.InstallOptions{DryRun: true})
	if len(r.Hooks) != 2 || !r.Diff.New || len(r.Diff.Active()) != 4 {
		t.Errorf("%+v", r)
	}
	wantFiles(t, s.ProjectDir)
	wantFiles(t, s.HomeDir)
	var b bytes.Buffer
	if err := plugin.RenderInstalled(&b, r); err != nil || !strings.HasPrefix(b.String(), "Would install acme/tools:\n") {
		t.Errorf("%q, %v", b.String(), err)
	}
}

func TestApprovalDecides(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "acme@tools")
	writeFile(t, filepath.Join(dir, "hooks", "run"), "#!/bin/sh\n")
	s := newStore(t)
	asked := 0
	no := func(d plugin.Diff) (bool, error) {
		asked++
		if !d.New || len(d.Active()) != 1 || d.Active()[0].Path != "hooks/run" {
			t.Errorf("asked about %+v", d)
		}
		return false, nil
	}
	if err := tryInstall(t, s, dir, plugin.InstallOptions{Approve: no}); !errors.Is(err, plugin.ErrDeclined) || asked != 1 {
		t.Errorf("got %v, asked %d times", err, asked)
	}
	wantFiles(t, s.ProjectDir)
	broken := errors.New("no terminal")
	if err := tryInstall(t, s, dir, plugin.InstallOptions{Approve: func(plugin.Diff) (bool, error) { return true, broken }}); !errors.Is(err, broken) {
		t.Errorf("got %v", err)
	}
	wantFiles(t, s.ProjectDir)
	texts := filepath.Join(t.TempDir(), "texts")
	writeFile(t, filepath.Join(texts, "recipes", "a.md"), "text\n")
	install(t, s, texts, plugin.InstallOptions{Approve: func(plugin.Diff) (bool, error) { t.Error("asked about text"); return false, nil }})
}

func TestSeveralSources(t *testing.T) {
	root := t.TempDir()
	for _, name := range []string{"one", "two"} {
		writeFile(t, filepath.Join(root, name, "hooks", "run"), "#!/bin/sh\n")
	}
	writeFile(t, filepath.Join(root, "empty", "README.md"), "text\n")
	sources := []plugin.Source{source(t, filepath.Join(root, "one")), source(t, filepath.Join(root, "empty")), source(t, filepath.Join(root, "two"))}

	s := newStore(t)
	results, err := s.Install(t.Context(), sources, plugin.InstallOptions{})
	if _, ok := errors.AsType[*plugin.InstallError](err); !ok || len(results) != 1 {
		t.Errorf("%d installed, %v", len(results), err)
	}
	s = newStore(t)
	results, err = s.Install(t.Context(), sources, plugin.InstallOptions{ContinueOnError: true})
	if _, ok := errors.AsType[*plugin.EmptyError](err); !ok || len(results) != 2 || results[1].Name != "two" {
		t.Errorf("%d installed, %v", len(results), err)
	}
}

func TestInstallErrorsOfGit(t *testing.T) {
	gittest.Isolate(t)
	repo := gittest.New(t, filepath.Join(t.TempDir(), "acme", "tools"))
	codeReview(repo)
	repo.Commit()
	s := newStore(t)
	if _, ok := errors.AsType[*gitcmd.RefError](tryInstall(t, s, repo.URL()+"@v9", plugin.InstallOptions{})); !ok {
		t.Error("a missing tag is not a RefError")
	}
	if _, ok := errors.AsType[*gitcmd.RefError](tryInstall(t, s, repo.URL()+"@"+strings.Repeat("1", 40), plugin.InstallOptions{})); !ok {
		t.Error("a missing commit is not a RefError")
	}
	if err := tryInstall(t, s, "file:///nowhere/acme/tools", plugin.InstallOptions{}); err == nil {
		t.Error("a missing repository was installed")
	}
	s.Git = filepath.Join(t.TempDir(), "no-git")
	if err := tryInstall(t, s, repo.URL(), plugin.InstallOptions{}); err == nil {
		t.Error("installed without git")
	}
	bad := source(t, repo.URL())
	bad.Name = plugin.Name{Org: "..", Repo: "x"}
	if _, err := s.Install(t.Context(), []plugin.Source{bad}, plugin.InstallOptions{}); err == nil {
		t.Error("a name that escapes was taken")
	}
	wantFiles(t, s.ProjectDir)
	if _, err := (&plugin.Store{}).Install(t.Context(), nil, plugin.InstallOptions{}); err == nil {
		t.Error("installed nowhere")
	}
}

func TestProjectThatLeadsElsewhere(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "tools")
	writeFile(t, filepath.Join(dir, "hooks", "run"), "#!/bin/sh\n")
	for _, name := range []string{".hookline", ".hookline/plugins", ".hookline/plugins.lock"} {
		t.Run(name, func(t *testing.T) {
			s := newStore(t)
			outside := t.TempDir()
			link := filepath.Join(s.ProjectDir, filepath.FromSlash(name))
			if err := os.MkdirAll(filepath.Dir(link), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.Symlink(outside, link); err != nil {
				t.Skipf("no symlinks here: %v", err)
			}
			if err := tryInstall(t, s, dir, plugin.InstallOptions{}); err == nil || !strings.Contains(err.Error(), "out of the project") {
				t.Errorf("got %v", err)
			}
			wantFiles(t, outside)
		})
	}
}

func TestClaudePlugin(t *testing.T) {
	gittest.Isolate(t)
	repo := gittest.New(t, filepath.Join(t.TempDir(), "acme", "claude"))
	repo.Write(".claude-plugin/plugin.json", `{"name": "guard", "version": "1.0.0", "description": "guards", "author": {"name": "x"}, "commands": ["./extra", "./../x"], "hooks": "./more.json"}`)
	repo.Write("hooks/hooks.json", `{"description": "d", "hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "${CLAUDE_PLUGIN_ROOT}/scripts/guard.sh"}]}], "Stop": [{"hooks": [{"type": "command", "command": "true"}, {"type": "command", "command": "true"}]}]}}`)
	repo.Write("more.json", `{"hooks": {"PostToolUse": [{"hooks": [{"type": "command", "command": "true"}]}]}}`)
	repo.Write("hooks/run.sh", "#!/bin/sh\n")
	repo.Write("scripts/guard.sh", "#!/bin/sh\n")
	repo.Write("commands/fix.md", "Fix $ARGUMENTS\n")
	repo.Write("commands/git/push.md", "Push $1\n")
	repo.Write("extra/more.md", "More\n")
	repo.Write("agents/reviewer.md", "---\nname: reviewer\n---\n")
	repo.Write("skills/lint/SKILL.md", "---\nname: lint\ndescription: lints\n---\n")
	repo.Write(".github/workflows/ci.yml", "on: push\n")
	repo.Write(".gitignore", "x\n")
	repo.Commit()
	s := newStore(t)
	r := install(t, s, repo.URL(), plugin.InstallOptions{})
	if got := strings.Join(r.Hooks, " "); got != "hooks.json:PreToolUse[0].hooks[0] hooks.json:Stop[0].hooks[0] hooks.json:Stop[0].hooks[1] more.json:PostToolUse[0].hooks[0]" {
		t.Errorf("hooks %q", got)
	}
	if got := strings.Join(r.Recipes, " "); got != "fix git/push more" {
		t.Errorf("recipes %q", got)
	}
	c := r.Content.Claude
	if c == nil || c.Name != "guard" || c.Version != "1.0.0" || len(c.HookFiles) != 2 || c.HookFiles[0] != filepath.Join(r.Path, "hooks", "hooks.json") {
		t.Fatalf("%+v", c)
	}
	if strings.Join(r.Skills, " ") != "lint" || strings.Join(r.Content.Agents, " ") != "reviewer" {
		t.Errorf("%+v", r.Content)
	}
	if len(r.Diagnostics) != 1 || !strings.Contains(r.Diagnostics[0].Message, `"./../x"`) || r.Diagnostics[0].Position() != filepath.Join(r.Path, ".claude-plugin", "plugin.json") {
		t.Errorf("%+v", r.Diagnostics)
	}
	wantFiles(t, r.Path, ".claude-plugin/plugin.json", "agents/reviewer.md", "commands/fix.md", "commands/git/push.md", "extra/more.md",
		"hooks/hooks.json", "hooks/run.sh", "more.json", "scripts/guard.sh", "skills/lint/SKILL.md")
	levels, _ := s.Levels("hooks")
	if len(levels) != 0 {
		t.Errorf("scripts of a hooks.json are taken for hooks of their own: %+v", levels)
	}
	if levels, _ := s.Levels("skills"); len(levels) != 1 || levels[0].Prefix != "acme/claude/" {
		t.Errorf("%+v", levels)
	}
}

func TestLocalDirectory(t *testing.T) {
	project := t.TempDir()
	dir := filepath.Join(project, "plugins", "mine")
	writeFile(t, filepath.Join(dir, "hooks", "run"), "#!/bin/sh\n")
	writeFile(t, filepath.Join(dir, ".git", "hooks", "post-checkout"), "#!/bin/sh\n")
	writeFile(t, filepath.Join(dir, ".git", "config"), "[core]\n")
	writeFile(t, filepath.Join(dir, "venv", "lib", "x.py"), "x\n")
	if runtime.GOOS != "windows" {
		if err := os.Chmod(filepath.Join(dir, "hooks", "run"), 0o755|os.ModeSetuid|os.ModeSetgid); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink("/usr/bin/python3", filepath.Join(dir, "venv", "python")); err != nil {
			t.Fatal(err)
		}
	}
	s := &plugin.Store{Places: plugin.Places{ProjectDir: project, HomeDir: t.TempDir()}}
	r := install(t, s, dir, plugin.InstallOptions{})
	wantFiles(t, r.Path, "hooks/run")
	if info, err := os.Stat(filepath.Join(r.Path, "hooks", "run")); err != nil || info.Mode()&(os.ModeSetuid|os.ModeSetgid) != 0 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
	if r.Source != "./plugins/mine" || r.Commit != "" {
		t.Errorf("recorded as %q", r.Source)
	}
}
