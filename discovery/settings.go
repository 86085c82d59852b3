package discovery

import (
	"path/filepath"

	"github.com/hookline-dev/hookline/dialect/claude"
)

// SettingsFile is a place of a settings file, which has hooks and permission rules.
type SettingsFile struct {
	Path  string
	Scope claude.Scope
}

// OfProject reports whether the file comes with the project, so that what it loosens
// needs an approval.
func (f SettingsFile) OfProject() bool {
	return f.Scope == claude.ScopeProject || f.Scope == claude.ScopeLocal
}

// Level is the file's level: managed, user, project or local. A file that was named
// for one run is the user's.
func (f SettingsFile) Level() string {
	if f.Scope == claude.ScopeFlag {
		return claude.ScopeUser.String()
	}
	return f.Scope.String()
}

// SettingsFiles lists where settings files may be, in declared order: the hooks of
// those that come first are declared first, and what a managed file says cannot be
// undone. A project that is the home directory has the user's file only once.
func (d Dirs) SettingsFiles() []SettingsFile {
	var out []SettingsFile
	add := func(scope claude.Scope, base string, below ...string) string {
		if base == "" {
			return ""
		}
		path := filepath.Join(append([]string{base}, below...)...)
		out = append(out, SettingsFile{path, scope})
		return path
	}
	add(claude.ScopeManaged, d.ManagedClaude, "managed-settings.json")
	add(claude.ScopeManaged, d.Managed, "settings.json")
	user := add(claude.ScopeUser, d.Home, ".claude", "settings.json")
	add(claude.ScopeUser, d.Config, "settings.json")
	if d.Project != "" && !sameFile(filepath.Join(d.Project, ".claude", "settings.json"), user) {
		add(claude.ScopeProject, d.Project, ".claude", "settings.json")
	}
	add(claude.ScopeProject, d.Project, ".hookline", "settings.json")
	add(claude.ScopeLocal, d.Project, ".claude", "settings.local.json")
	return out
}
