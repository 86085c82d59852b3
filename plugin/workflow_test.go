package plugin_test

import (
	"bytes"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hookline-dev/hookline/internal/gitcmd/gittest"
	"github.com/hookline-dev/hookline/plugin"
)

// TestCodeReviewPlugin installs a plugin of a code review workflow over HTTP
// and looks at it in every way.
func TestCodeReviewPlugin(t *testing.T) {
	gittest.Isolate(t)
	root := t.TempDir()
	repo := gittest.New(t, filepath.Join(root, "acme", "code-review-plugin.git"))
	codeReview(repo)
	commit := repo.Commit()
	s := newStore(t)
	src, err := plugin.ParseSource("acme/code-review-plugin", plugin.SourceOptions{Host: gittest.Serve(t, root, gittest.ServeOptions{})})
	if err != nil {
		t.Fatal(err)
	}
	src.Address += ".git"
	var stages []string
	results, err := s.Install(t.Context(), []plugin.Source{src}, plugin.InstallOptions{Global: true, Progress: func(p plugin.Progress) {
		if len(stages) == 0 || stages[len(stages)-1] != string(p.Stage) {
			stages = append(stages, string(p.Stage))
		}
	}})
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(stages, " "); got != "resolve fetch check copy install done" {
		t.Errorf("stages %q", got)
	}
	var b bytes.Buffer
	if err := plugin.RenderInstalled(&b, results[0]); err != nil {
		t.Fatal(err)
	}
	want := "Installed acme/code-review-plugin:\n  Skills:  1\n  Recipes: 2\n  Hooks:   2\n  Tools:   1\n"
	if b.String() != want {
		t.Errorf("got\n%s", b.String())
	}
	d, err := s.Show(t.Context(), "acme@code-review-plugin")
	if err != nil || len(d) != 1 {
		t.Fatal(d, err)
	}
	shown := d[0]
	if shown.Name != "acme/code-review-plugin" || shown.Layout != "hookline" || shown.Commit != commit || shown.Report.Status != plugin.StatusOK {
		t.Errorf("shown %+v", shown)
	}
	writeFile(t, filepath.Join(d[0].Path, "hooks", "validate-diff"), "#!/bin/sh\n")
	writeFile(t, filepath.Join(d[0].Path, "hooks", "new"), "#!/bin/sh\n")
	reports, err := s.Verify(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	changed := fmt.Sprint(reports[0].Modified, reports[0].Extra)
	if len(reports) != 1 || reports[0].Name != "acme/code-review-plugin" || changed != "[hooks/validate-diff] [hooks/new]" {
		t.Errorf("reports %+v", reports)
	}
	if _, err := s.Show(t.Context(), "acme/none"); err == nil {
		t.Error("something that is not there was shown")
	}
}
