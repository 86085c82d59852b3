package instructions_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/hookline-dev/hookline/agent/instructions"
)

func TestLoad(t *testing.T) {
	project, home := t.TempDir(), t.TempDir()
	for path, text := range map[string]string{
		filepath.Join(home, ".claude", "CLAUDE.md"): "home",
		filepath.Join(project, "AGENTS.md"):         "project",
		filepath.Join(project, "CLAUDE.md"):         "the same for another agent",
		filepath.Join(project, "CLAUDE.local.md"):   "local",
	} {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	files, err := instructions.Load(project, home)
	got := ""
	for _, f := range files {
		got += fmt.Sprintf("%s:%s ", f.Type, f.Text)
	}
	if err != nil || got != "User:home Project:project Local:local " {
		t.Errorf("%q, %v", got, err)
	}
	if err := os.Mkdir(filepath.Join(project, ".hookline"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(project, ".hookline", "AGENTS.md"), 0o755); err != nil {
		t.Fatal(err)
	}
	if files, err = instructions.Load(project, ""); err == nil || len(files) != 2 {
		t.Errorf("a directory in place of a file: %d files, %v", len(files), err)
	}
}

func Example() {
	files, err := instructions.Load("", "")
	fmt.Println(len(files), err)
	// Output: 0 <nil>
}
