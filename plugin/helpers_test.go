package plugin_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/hookline-dev/hookline/internal/gitcmd/gittest"
	"github.com/hookline-dev/hookline/plugin"
)

// newStore makes a store with an empty project and home.
func newStore(t testing.TB) *plugin.Store {
	t.Helper()
	return &plugin.Store{Places: plugin.Places{ProjectDir: t.TempDir(), HomeDir: t.TempDir(), Layouts: layouts}}
}

// codeReview is a plugin with one of everything.
func codeReview(r *gittest.Repo) {
	r.Write("skills/code-review/SKILL.md", "---\nname: code-review\ndescription: reviews code\n---\nReview.\n")
	r.Write("recipes/review.md", "---\ndescription: reviews a diff\n---\nReview {{.target}}.\n")
	r.Write("recipes/deep/audit.md", "Audit.\n")
	r.Write("hooks/validate-diff", "#!/bin/sh\necho before_tool_call\n")
	r.Write("hooks/post-review-slack", "#!/usr/bin/env python3\nimport helper\n")
	r.Write("hooks/helper.py", "x = 1\n")
	r.Write("tools/count", "#!/bin/sh\nwc\n")
	r.Write("README.md", "text\n")
	r.Write("src/main.c", "int main;\n")
}

func source(t testing.TB, spec string) plugin.Source {
	t.Helper()
	s, err := plugin.ParseSource(spec, plugin.SourceOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func install(t testing.TB, s *plugin.Store, spec string, o plugin.InstallOptions) plugin.InstallResult {
	t.Helper()
	r, err := s.Install(t.Context(), []plugin.Source{source(t, spec)}, o)
	if err != nil {
		t.Fatal(err)
	}
	return r[0]
}

func tryInstall(t testing.TB, s *plugin.Store, spec string, o plugin.InstallOptions) error {
	t.Helper()
	_, err := s.Install(t.Context(), []plugin.Source{source(t, spec)}, o)
	return err
}

// files lists everything below dir, sorted, directories only when empty.
func files(t testing.TB, dir string) []string {
	t.Helper()
	var list []string
	err := filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(dir, p)
		if err != nil {
			return err
		}
		rel = filepath.ToSlash(rel)
		if d.IsDir() {
			if entries, err := os.ReadDir(p); err == nil && len(entries) == 0 && rel != "." {
				list = append(list, rel+"/")
			}
			return nil
		}
		list = append(list, rel)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(list)
	return list
}

func wantFiles(t testing.TB, dir string, want ...string) {
	t.Helper()
	if got := files(t, dir); strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("in %s:\n%s\nwant:\n%s", dir, strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func readFile(t testing.TB, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func writeFile(t testing.TB, path, content string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	mode := os.FileMode(0o644)
	if strings.HasPrefix(content, "#!") {
		mode = 0o755
	}
	if err := os.WriteFile(path, []byte(content), mode); err != nil {
		t.Fatal(err)
	}
}

// wantClean fails unless every plugin is as it is recorded.
func wantClean(t testing.TB, s *plugin.Store) {
	t.Helper()
	reports, err := s.Verify(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range reports {
		if r.Status != plugin.StatusOK {
			t.Errorf("%s: %+v", r.Name, r)
		}
	}
}

// layouts are those of other hosts, as dialects have them.
var layouts = []plugin.Layout{
	{Name: "kodelet", Dir: ".kodelet", Kinds: []string{"hooks", "recipes", "skills", "tools"}, Plugins: true},
	{Name: "claude", Dir: ".claude", Kinds: []string{"skills", "commands"}},
}
