package host

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"sync"

	"github.com/hookline-dev/hookline/diag"
	"github.com/hookline-dev/hookline/dialect/claude"
	"github.com/hookline-dev/hookline/discovery"
	"github.com/hookline-dev/hookline/hook"
	"github.com/hookline-dev/hookline/internal/jsonx"
	"github.com/hookline-dev/hookline/permission"
	"github.com/hookline-dev/hookline/ui"
	"github.com/hookline-dev/hookline/ui/clean"
)

// settings are the settings files of a session, and what was read from them.
type settings struct {
	mu    sync.Mutex // one look at the files at a time
	files []settingsFile
	rules map[string][]permission.Entry // by path
}

// settingsFile is a settings file that may change while the agent runs.
type settingsFile struct {
	claude.SettingsFile
	seen string // what it was when it was last looked at
}

// policy is what ConfigChange calls managed settings, which nobody can refuse.
const policy = "policy_settings"

// configSources are the words of ConfigChange for the levels of settings files.
var configSources = map[string]string{
	"managed": policy, "user": "user_settings", "project": "project_settings", "local": "local_settings",
}

// watch takes the settings files as they are now for known.
func (s *settings) watch(d discovery.Dirs) {
	for _, f := range claude.SettingsFiles(d) {
		s.files = append(s.files, settingsFile{f, lookOf(f.Path)})
	}
}

// lookOf tells two states of a file apart.
func lookOf(path string) string {
	info, err := os.Stat(path)
	if err != nil {
		return ""
	}
	return fmt.Sprint(info.ModTime().UnixNano(), info.Size(), info.Mode())
}

// Refresh takes up settings files that have changed since it last looked: hooks are
// told of each, and may keep the change from taking effect. What a project brings
// that nobody approved does not run, whenever it comes. The agent
// calls it before each of its steps.
func (h *Agent) Refresh(ctx context.Context) error {
	h.settings.mu.Lock()
	defer h.settings.mu.Unlock()
	changed := false
	for i := range h.settings.files {
		f := &h.settings.files[i]
		now := lookOf(f.Path)
		if now == f.seen {
			continue
		}
		wanted, err := h.changeWanted(ctx, f.SettingsFile)
		if err != nil {
			return err // it is asked again
		}
		f.seen = now
		h.Loader.Hold(f.Path, !wanted)
		if !wanted {
			continue
		}
		changed = true
		if err := h.refreshPermissions(f.SettingsFile); err != nil {
			h.notify(ui.Warning, "%s; the rules that were read from it before stay in force", clean.PlainLine(err.Error()))
		}
	}
	if !changed {
		return nil
	}
	if found, err := h.refresh(ctx); err != nil || !found {
		return err
	}
	return h.reloaded(ctx)
}

// changeWanted asks hooks about a change.
func (h *Agent) changeWanted(ctx context.Context, f claude.SettingsFile) (bool, error) {
	source := configSources[f.Level()]
	out, err := h.Loop.Fire(ctx, &hook.ConfigChange{Source: source, FilePath: f.Path})
	if err != nil || !out.Blocked() || source == policy {
		return err == nil, err
	}
	h.notify(ui.Info, "A hook keeps the change of %s from taking effect: %s", clean.PlainLine(f.Path), clean.PlainLine(out.Reason))
	return false, nil
}

// refreshPermissions puts the rules that a file has now in the place of those that it
// had. Its mode and its directories count from the start only.
func (h *Agent) refreshPermissions(f claude.SettingsFile) error {
	s, err := h.permissionsOf(f, f.OfProject())
	if err != nil {
		return err
	}
	old := h.settings.rules[f.Path]
	h.settings.rules[f.Path] = s.Rules
	h.Permission.ChangeRules(without(old, s.Rules), s.Rules)
	return nil
}

// without returns the rules of a list that are not in another.
func without(list, other []permission.Entry) []permission.Entry {
	var out []permission.Entry
	for _, e := range list {
		found := false
		for _, o := range other {
			found = found || o.Behavior == e.Behavior && o.Rule.Equal(e.Rule)
		}
		if !found {
			out = append(out, e)
		}
	}
	return out
}

// settingsFaults is what is wrong with what settings files say to the agent besides hooks. Of
// one that is lost as a whole nothing is said: its hooks are lost too, and that is told.
func settingsFaults(d discovery.Dirs) []diag.Diagnostic {
	var out []diag.Diagnostic
	for _, f := range claude.SettingsFiles(d) {
		data, err := f.Read()
		if err != nil || len(data) == 0 {
			continue
		}
		if root, err := jsonx.Parse(data); err != nil || root.Kind != jsonx.Object {
			continue
		}
		_, envErr := envOf(f)
		s, err := permission.ParseSettings(data, permissionScope(f), f.Path)
		out = slices.Concat(out, s.Problems, diag.In(errors.Join(envErr, err)))
	}
	return out
}
