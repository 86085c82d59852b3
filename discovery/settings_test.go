package discovery_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/hookline-dev/hookline/dialect/claude"
	"github.com/hookline-dev/hookline/discovery"
)

func TestSettingsFilesAreInDeclaredOrder(t *testing.T) {
	d := discovery.Dirs{Project: "p", Home: "h", Config: "c", Managed: "m", ManagedClaude: "mc"}
	var got []string
	for _, f := range d.SettingsFiles() {
		got = append(got, filepath.ToSlash(f.Path)+" "+f.Level())
	}
	want := []string{
		"mc/managed-settings.json managed", "m/settings.json managed", "h/.claude/settings.json user", "c/settings.json user",
		"p/.claude/settings.json project", "p/.hookline/settings.json project", "p/.claude/settings.local.json local",
	}
	if !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
	scopes := d.SettingsFiles()
	if !slices.IsSortedFunc(scopes, func(a, b discovery.SettingsFile) int { return int(a.Scope) - int(b.Scope) }) {
		t.Error("a later file has a lower scope")
	}
	for _, f := range scopes {
		if f.OfProject() != (filepath.Dir(filepath.Dir(f.Path)) == "p") {
			t.Errorf("%+v: of the project %v", f, f.OfProject())
		}
	}
	if files := (discovery.Dirs{}).SettingsFiles(); len(files) != 0 {
		t.Errorf("without directories: %v", files)
	}
	if l := (discovery.SettingsFile{Scope: claude.ScopeFlag}).Level(); l != "user" {
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
	for _, f := range (discovery.Dirs{Project: home, Home: home}).SettingsFiles() {
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
