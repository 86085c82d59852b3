package skilltool_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hookline-dev/hookline/agent/skilltool"
	"github.com/hookline-dev/hookline/agent/tool"
	"github.com/hookline-dev/hookline/plugin"
	"github.com/hookline-dev/hookline/skill"
)

func TestSkillTool(t *testing.T) {
	project := t.TempDir()
	dir := filepath.Join(project, ".hookline", "skills", "pdf")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	own := filepath.Join(project, ".hookline", "skills", "deploy")
	err := os.MkdirAll(own, 0o755)
	if err == nil {
		err = os.WriteFile(filepath.Join(own, "SKILL.md"), []byte("---\ndisable-model-invocation: true\n---\nDeploys.\n"), 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"SKILL.md": "---\nname: pdf\ndescription: Fills forms.\nallowed-tools: Read\n---\nUse the script.\n", "fill.py": "pass\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	set, err := skill.Discover(t.Context(), skill.Options{Places: plugin.Places{ProjectDir: project}})
	if err != nil {
		t.Fatal(err)
	}
	tl := skilltool.New(set, skilltool.Options{})
	if tl == nil || !tl.ReadOnly() || !strings.Contains(tl.Description(), "- pdf: Fills forms.") {
		t.Fatalf("%v", tl)
	}
	if _, err := tl.Run(t.Context(), tool.Input{JSON: []byte(`{"skill":"deploy"}`)}); err == nil || strings.Contains(tl.Description(), "deploy") {
		t.Errorf("a skill for people only: %v, %s", err, tl.Description())
	}
	r, err := tl.Run(t.Context(), tool.Input{JSON: []byte(`{"skill":"pdf","args":"a.pdf"}`)})
	if err != nil || !strings.Contains(r.Then, "Use the script.\n\nARGUMENTS: a.pdf\n\nFiles:\n") || !strings.Contains(r.Then, "- fill.py (5 bytes)") ||
		string(r.Response) != `{"success":true,"commandName":"pdf","allowedTools":["Read"]}` {
		t.Errorf("%q, %s, %v", r.Then, r.Response, err)
	}
	if _, err := tl.Run(t.Context(), tool.Input{JSON: []byte(`{"skill":"nope"}`)}); err == nil {
		t.Error("a skill that is not there was found")
	}
	if err := tool.Check(tl, []byte(`{}`)); err == nil {
		t.Error("an input without a skill is taken")
	}
}

func Example() {
	set, err := skill.Discover(context.Background(), skill.Options{})
	fmt.Println(skilltool.New(set, skilltool.Options{}) == nil, err)
	// Output: true <nil>
}
