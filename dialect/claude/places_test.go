package claude_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/hookline-dev/hookline/dialect"
	"github.com/hookline-dev/hookline/dialect/claude"
)

func TestSettingsFilesAreInDeclaredOrder(t *testing.T) {
	d := dialect.Dirs{Project: "p", Home: "h", Config: "c", Managed: "m", ManagedPrograms: "mc"}
	var got []string
	for _, f := range claude.SettingsFiles(d) {
		got = append(got, filepath.ToSlash(f.Path)+" "+f.Level())
	}
	want := []string{
		"mc/claude-code/managed-settings.json managed", "m/settings.json managed", "h/.claude/settings.json user", "c/settings.json user",
		"p/.claude/settings.json project", "p/.hookline/settings.json project", "p/.claude/settings.local.json local",
	}
	if !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
	scopes := claude.SettingsFiles(d)
	if !slices.IsSortedFunc(scopes, func(a, b claude.SettingsFile) int { return int(a.Scope) - int(b.Scope) }) {
		t.Error("a later file has a lower scope")
	}
	for _, f := range scopes {
		if f.OfProject() != (filepath.Dir(filepath.Dir(f.Path)) == "p") {
			t.Errorf("%+v: of the project %v", f, f.OfProject())
		}
	}
	if files := claude.SettingsFiles(dialect.Dirs{}); len(files) != 0 {
		t.Errorf("without directories: %v", files)
	}
	if l := (claude.SettingsFile{Scope: claude.ScopeFlag}).Level(); l != "user" {
		t.Errorf("a file of the run is at level %s", l)
	}
}

func TestHomeThatIsTheProjectHasItsSettingsOnce(t *testing.T) {
	home := t.TempDir()
	path := filepath.Join(home, ".claude", "settings.json")
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte("{}"), 0o644); err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, f := range claude.SettingsFiles(dialect.Dirs{Project: home, Home: home}) {
		if f.Path == path {
			if n++; f.OfProject() {
				t.Error("the person's own file counts as the project's")
			}
		}
	}
	if n != 1 {
		t.Errorf("listed %d times", n)
	}
}
