package claude

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"

	"github.com/hookline-dev/hookline/dialect"
	"github.com/hookline-dev/hookline/internal/fsx"
)

// SettingsFile is a place of a settings file, which has hooks and permission rules.
type SettingsFile struct {
	Path  string
	Scope Scope
	text  string // what it holds, when it is not a file
}

// Read returns what the file holds.
func (f SettingsFile) Read() ([]byte, error) {
	if f.text != "" {
		return []byte(f.text), nil
	}
	data, err := os.ReadFile(f.Path)
	return data, fsx.LinkFault(f.Path, err)
}

// OfProject reports whether the file comes with the project, so that what it loosens
// needs an approval.
func (f SettingsFile) OfProject() bool {
	return f.Scope == ScopeProject || f.Scope == ScopeLocal
}

// Level is the file's level: managed, user, project or local. A file that was named
// for one run is the user's.
func (f SettingsFile) Level() string {
	if f.Scope == ScopeFlag {
		return ScopeUser.String()
	}
	return f.Scope.String()
}

// SettingsFiles lists where settings files may be, in declared order: the hooks of
// those that come first are declared first, and what a managed file says cannot be
// undone; the one that was named for this run comes last. A project that is the home directory has the user's file only once. Hooks,
// permission rules and ConfigChange all go by it.
func SettingsFiles(d dialect.Dirs) []SettingsFile {
	var out []SettingsFile
	add := func(scope Scope, base string, below ...string) string {
		path := dialect.Join(base, below...)
		if path != "" {
			out = append(out, SettingsFile{Path: path, Scope: scope})
		}
		return path
	}
	add(ScopeManaged, d.ManagedPrograms, managedName(), "managed-settings.json")
	add(ScopeManaged, d.Managed, "settings.json")
	user := add(ScopeUser, d.Home, ".claude", "settings.json")
	add(ScopeUser, d.Config, "settings.json")
	if d.Project != "" && !dialect.SameFile(filepath.Join(d.Project, ".claude", "settings.json"), user) {
		add(ScopeProject, d.Project, ".claude", "settings.json")
	}
	add(ScopeProject, d.Project, ".hookline", "settings.json")
	add(ScopeLocal, d.Project, ".claude", "settings.local.json")
	out = slices.DeleteFunc(out, func(f SettingsFile) bool { return !d.Reads(f.Level()) })
	switch {
	case dialect.InPlace(d.Settings):
		out = append(out, SettingsFile{Path: "--settings", Scope: ScopeFlag, text: d.Settings})
	case d.Settings != "":
		out = append(out, SettingsFile{Path: d.Settings, Scope: ScopeFlag})
	}
	return out
}

// managedName is the directory in which Claude Code looks for the administrator's file.
func managedName() string {
	if runtime.GOOS == "darwin" || runtime.GOOS == "windows" {
		return "ClaudeCode"
	}
	return "claude-code"
}
