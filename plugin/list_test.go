package plugin_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hookline-dev/hookline/plugin"
)

func TestRenderListIsAligned(t *testing.T) {
	list := []plugin.Plugin{
		{Name: "anthropic/recipes", Location: plugin.Global, Recipes: make([]string, 3)},
		{Name: "jingkaihe/skills", Location: plugin.Local, Skills: make([]string, 2), Hooks: make([]string, 2)},
		{Name: "my-hooks", Location: plugin.Local, Hooks: make([]string, 3)},
	}
	var b bytes.Buffer
	if err := plugin.RenderList(&b, list); err != nil {
		t.Fatal(err)
	}
	want := `NAME                LOCATION  SKILLS  RECIPES  HOOKS
----                --------  ------  -------  -----
anthropic/recipes   global    0       3        0
jingkaihe/skills    local     2       0        2
my-hooks            local     0       0        3
`
	if b.String() != want {
		t.Errorf("got\n%s\nwant\n%s", b.String(), want)
	}
	b.Reset()
	if err := plugin.RenderList(&b, []plugin.Plugin{{Name: "a-long-organisation/a-long-repository", Location: plugin.Local}}); err != nil {
		t.Fatal(err)
	}
	if lines := strings.Split(b.String(), "\n"); !strings.HasPrefix(lines[2], "a-long-organisation/a-long-repository  local") || strings.Index(lines[0], "LOCATION") != strings.Index(lines[2], "local") {
		t.Errorf("got\n%s", b.String())
	}
	b.Reset()
	if err := plugin.RenderList(&b, nil); err != nil || b.String() != "No plugins installed.\n" {
		t.Errorf("%q, %v", b.String(), err)
	}
}

func TestRenderJSON(t *testing.T) {
	var b bytes.Buffer
	if err := plugin.RenderJSON(&b, []plugin.Plugin{{Name: "a/b", Location: plugin.Local, Path: "/p", Skills: []string{"pdf", "xlsx"}, Source: "https://h/a/b", Commit: "c"}}); err != nil {
		t.Fatal(err)
	}
	want := `[
  {
    "name": "a/b",
    "location": "local",
    "path": "/p",
    "skills": [
      "pdf",
      "xlsx"
    ],
    "recipes": [],
    "hooks": [],
    "tools": [],
    "agents": [],
    "servers": [],
    "source": "https://h/a/b",
    "ref": "",
    "commit": "c"
  }
]
`
	if b.String() != want {
		t.Errorf("got\n%s", b.String())
	}
	b.Reset()
	if err := plugin.RenderJSON(&b, nil); err != nil || b.String() != "[]\n" {
		t.Errorf("%q, %v", b.String(), err)
	}
}

func TestDiffShowsWhatItCannotPrint(t *testing.T) {
	var b strings.Builder
	err := plugin.RenderDiffText(&b, plugin.Diff{Name: "org/repo", Source: "x", OldSource: "y\x1b[31m\u202e", Files: []plugin.FileDiff{
		{Path: "hooks/a\nb", Change: plugin.Changed, Text: "+\tone\u009b2J\r\n-\xfftwo\n"},
	}})
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`y\x1b[31m\u{202E} -> x`, `hooks/a\nb`, "+\tone\\u{009B}2J\n", `-\xfftwo`} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("%q is not in %q", want, b.String())
		}
	}
}

func TestListReportsWhatItPassesOver(t *testing.T) {
	s := newStore(t)
	root := filepath.Join(s.ProjectDir, ".kodelet", "plugins")
	writeFile(t, filepath.Join(root, "acme@tools", "hooks", "run"), "#!/bin/sh\n")
	writeFile(t, filepath.Join(root, "acme@tools", "hooks", "off.disable"), "#!/bin/sh\n")
	writeFile(t, filepath.Join(root, "acme@tools", "hooks", "sub", "x"), "#!/bin/sh\n")
	writeFile(t, filepath.Join(root, "acme@tools", "skills", "none", "x.md"), "x\n")
	writeFile(t, filepath.Join(root, "bad name", "hooks", "run"), "#!/bin/sh\n")
	writeFile(t, filepath.Join(root, "a-file"), "x\n")
	if err := os.Symlink(root, filepath.Join(root, "linked")); err != nil {
		t.Skipf("no symlinks here: %v", err)
	}
	if err := os.Symlink("/bin/sh", filepath.Join(root, "acme@tools", "hooks", "sh")); err != nil {
		t.Fatal(err)
	}
	list, diags, err := s.List(t.Context())
	if err != nil || len(list) != 1 || strings.Join(list[0].Hooks, " ") != "run" || list[0].Name != "acme/tools" {
		t.Fatalf("%+v, %v", list, err)
	}
	var all strings.Builder
	for _, d := range diags {
		fmt.Fprintf(&all, "%s %s\n", d.Position(), d.Message)
	}
	for _, want := range []string{"bad name", "linked", "SKILL.md", "leads out"} {
		if !strings.Contains(all.String(), want) {
			t.Errorf("%q is not reported in\n%s", want, all.String())
		}
	}
}

func TestLevelsOrder(t *testing.T) {
	project, home := t.TempDir(), t.TempDir()
	want := []string{
		".hookline/hooks", ".kodelet/hooks", ".hookline/plugins/a@b/hooks", ".hookline/plugins/c/hooks", ".kodelet/plugins/a@b/hooks",
	}
	var expect []string
	for _, base := range []string{project, home} {
		for _, dir := range want {
			writeFile(t, filepath.Join(base, filepath.FromSlash(dir), "x"), "#!/bin/sh\n")
			expect = append(expect, filepath.Join(base, filepath.FromSlash(dir)))
		}
	}
	levels, diags := plugin.Places{ProjectDir: project, HomeDir: home, Layouts: layouts}.Levels("hooks")
	var got []string
	for _, l := range levels {
		got = append(got, l.Dir)
	}
	if strings.Join(got, "\n") != strings.Join(expect, "\n") || len(diags) != 0 {
		t.Errorf("got\n%s\n%v", strings.Join(got, "\n"), diags)
	}
	if levels[2].Prefix != "a/b/" || levels[3].Prefix != "c/" || levels[0].Prefix != "" || levels[5].Location != plugin.Global {
		t.Errorf("%+v", levels)
	}
	if levels, _ := (plugin.Places{ProjectDir: project, HomeDir: project, Layouts: layouts}).Levels("hooks"); len(levels) != 5 {
		t.Errorf("a home that is the project is listed twice: %d", len(levels))
	}
}

// BenchmarkList lists 100 plugins with 1,000 hooks.
func BenchmarkList(b *testing.B) {
	s := newStore(b)
	root := b.TempDir()
	var sources []plugin.Source
	for i := range 100 {
		dir := filepath.Join(root, fmt.Sprintf("acme@p%02d", i))
		for k := range 10 {
			writeFile(b, filepath.Join(dir, "hooks", fmt.Sprintf("h%d", k)), "#!/bin/sh\n")
		}
		writeFile(b, filepath.Join(dir, "recipes", "r.md"), "r\n")
		sources = append(sources, source(b, dir))
	}
	if _, err := s.Install(b.Context(), sources, plugin.InstallOptions{}); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		list, _, err := s.List(b.Context())
		if err != nil || len(list) != 100 {
			b.Fatal(len(list), err)
		}
	}
}
