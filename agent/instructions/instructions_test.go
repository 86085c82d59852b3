package instructions_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
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

func TestLinksOutOfTheProjectAreNotRead(t *testing.T) {
	project, home, outside := t.TempDir(), t.TempDir(), filepath.Join(t.TempDir(), "key")
	write := func(path string) {
		t.Helper()
		if err := os.WriteFile(path, []byte("text"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	link := func(to, from string) {
		t.Helper()
		if err := os.Symlink(to, from); err != nil {
			t.Skip("no links here:", err)
		}
	}
	write(outside)
	write(filepath.Join(project, "one.md"))
	link("one.md", filepath.Join(project, "AGENTS.md"))
	link(outside, filepath.Join(project, "CLAUDE.local.md"))
	if err := os.Mkdir(filepath.Join(home, ".claude"), 0o755); err != nil {
		t.Fatal(err)
	}
	link(outside, filepath.Join(home, ".claude", "CLAUDE.md")) // the person's own
	files, err := instructions.Load(project, home)
	if len(files) != 2 || files[0].Type != instructions.User || files[1].Type != instructions.Project {
		t.Errorf("read %+v", files)
	}
	if err == nil || !strings.Contains(err.Error(), "leads out of the project") {
		t.Errorf("error %v", err)
	}
}

func Example() {
	files, err := instructions.Load("", "")
	fmt.Println(len(files), err)
	// Output: 0 <nil>
}
