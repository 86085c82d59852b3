package host

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/hookline-dev/hookline/dialect"
	"github.com/hookline-dev/hookline/dialect/claude"
	"github.com/hookline-dev/hookline/hook"
	"github.com/hookline-dev/hookline/permission"
	"github.com/hookline-dev/hookline/ui"
)

// permissions reads the rules of all settings files. What a project's own files
// would loosen counts only when they are approved; answers that are to last in one
// project are kept outside of it, where the project can't supply them.
func (h *Agent) permissions() error {
	d := h.Dirs
	sum := sha256.Sum256([]byte(d.Project))
	local := filepath.Join(d.State, "projects", hex.EncodeToString(sum[:8]), "permissions.json")
	var all []permission.Settings
	h.settings.rules = map[string][]permission.Entry{}
	for _, f := range append([]claude.SettingsFile{{Path: local, Scope: claude.ScopeLocal}}, claude.SettingsFiles(d)...) {
		s, err := h.permissionsOf(f, f.OfProject() && f.Path != local)
		if err != nil {
			return err // what it forbids is not known
		}
		h.settings.rules[f.Path] = s.Rules
		all = append(all, s)
	}
	dirs, err := h.addDirs()
	if err != nil {
		return err
	}
	mode, err := permission.ParseMode(h.opts.PermissionMode)
	if err != nil {
		return &OptionError{"PermissionMode", "", err}
	}
	if h.opts.PermissionMode == "" {
		mode = permission.Mode(h.Config.Permission.Mode)
	}
	h.Permission, err = permission.New(permission.Merge(permission.Config{
		Mode: mode, OnMode: h.opts.OnSetting, Rules: h.opts.Rules, ProjectDir: h.Dir, Directories: dirs, Home: d.Home, ReadOnlyTools: []string{"Skill", "TaskList", "TaskCreate", "TaskUpdate", "SendMessage"},
		Protected: []string{d.Config, d.State, filepath.Join(d.Project, ".hookline")}, ProtectedNames: dialect.ProtectedNames(h.Host.opts.Dialects),
		Store: &permission.FileStore{Local: local, Project: join(d.Project, ".hookline", "settings.json"), User: join(d.Config, "settings.json")},
	}, all...))
	return err
}

// addDirs are the further directories of the options, absolute.
func (h *Agent) addDirs() ([]string, error) {
	var out []string
	for _, dir := range h.opts.AddDirs {
		path := h.path(dir)
		if isDir, err := readable(path); err != nil || !isDir {
			return nil, &OptionError{"AddDirs", dir, cmp.Or(err, errors.New("it is not a directory"))}
		}
		out = append(out, path)
	}
	return out, nil
}

// permissionsOf reads what a settings file says about permissions; one that is not
// there says nothing. What would loosen something in a file of the project counts only
// when it is approved.
func (h *Agent) permissionsOf(f claude.SettingsFile, ofProject bool) (permission.Settings, error) {
	var s permission.Settings
	data, err := f.Read()
	if errors.Is(err, os.ErrNotExist) {
		return s, nil
	}
	if err == nil {
		s, err = permission.ParseSettings(data, permissionScope(f), f.Path)
	}
	if err != nil {
		return s, fmt.Errorf("read permissions: %w", err)
	}
	for _, p := range s.Problems {
		h.notify(ui.Warning, "%s: %s: %s", p.Path, p.Pointer, p.Message)
	}
	if ofProject && !h.Gate.Check(permissionArtifact(h.Dirs.Project, f.Path)).Allowed {
		s = s.Untrusted()
	}
	return s, nil
}

// join joins a path below a directory that may not be there.
func join(base string, below ...string) string {
	if base == "" {
		return ""
	}
	return filepath.Join(append([]string{base}, below...)...)
}

// permitPath lets file tools leave the working directories where the permission
// that the call got covers that, and no rule forbids the place that a link leads to.
func (h *Agent) permitPath(_ context.Context, _, real string, write bool) error {
	name := "Read"
	if write {
		name = "Write"
	}
	d := h.Permission.Decide(permission.Request{Tool: name, Input: hook.MustJSON(map[string]string{"file_path": real}), Cwd: h.Dir})
	if d.Decision == hook.DecisionDeny {
		return errors.New(d.Reason)
	}
	return nil
}

// addDir lets the agent work in a further directory.
func (h *Agent) addDir(ctx context.Context, dir string) error {
	if err := h.tools.AddDir(dir); err != nil {
		return err
	}
	return h.Permission.Apply(ctx, hook.PermissionUpdate{Type: permission.AddDirectories, Directories: []string{dir}, Destination: permission.Session})
}
