package main

import (
	"context"
	"fmt"
	"os"

	"github.com/hookline-dev/hookline/dialect/claude"
	"github.com/hookline-dev/hookline/hook"
	"github.com/hookline-dev/hookline/permission"
	"github.com/hookline-dev/hookline/ui/clean"
)

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

// settingsFiles lists the settings files with hooks, as they are now.
func (w *wiring) settingsFiles() []settingsFile {
	var out []settingsFile
	for _, f := range claude.SettingsFiles(w.dirs) {
		out = append(out, settingsFile{f, lookOf(f.Path)})
	}
	return out
}

// lookOf tells two states of a file apart.
func lookOf(path string) string {
	info, err := os.Stat(path)
	if err != nil {
		return ""
	}
	return fmt.Sprint(info.ModTime().UnixNano(), info.Size(), info.Mode())
}

// refresh takes up settings files that have changed since it last looked: hooks are
// told of each, and may keep the change from taking effect. What a project brings
// that nobody approved does not run, whenever it comes. It is called before each step
// of the agent.
func (w *wiring) refresh(ctx context.Context) error {
	w.refreshes.Lock()
	defer w.refreshes.Unlock()
	changed := false
	for i := range w.settings {
		f := &w.settings[i]
		now := lookOf(f.Path)
		if now == f.seen {
			continue
		}
		wanted, err := w.changeWanted(ctx, f.SettingsFile)
		if err != nil {
			return err // it is asked again
		}
		f.seen = now
		w.loader.Hold(f.Path, !wanted)
		if !wanted {
			continue
		}
		changed = true
		if err := w.refreshPermissions(f.SettingsFile); err != nil {
			w.app.warnf("warning: %s; the rules that were read from it before stay in force", clean.PlainLine(err.Error()))
		}
	}
	if !changed {
		return nil
	}
	set, found, err := w.loader.Refresh(ctx, w.reg)
	if err != nil || !found {
		return err
	}
	return w.reloaded(ctx, set)
}

// changeWanted asks hooks about a change.
func (w *wiring) changeWanted(ctx context.Context, f claude.SettingsFile) (bool, error) {
	source := configSources[f.Level()]
	out, err := w.agent.Fire(ctx, &hook.ConfigChange{Source: source, FilePath: f.Path})
	if err != nil || !out.Blocked() || source == policy {
		return err == nil, err
	}
	w.app.warnf("A hook keeps the change of %s from taking effect: %s", clean.PlainLine(f.Path), clean.PlainLine(out.Reason))
	return false, nil
}

// refreshPermissions puts the rules that a file has now in the place of those that it
// had. Its mode and its directories count from the start only.
func (w *wiring) refreshPermissions(f claude.SettingsFile) error {
	s, err := w.permissionsOf(f, f.OfProject())
	if err != nil {
		return err
	}
	old := w.rules[f.Path]
	w.rules[f.Path] = s.Rules
	w.checker.ChangeRules(without(old, s.Rules), s.Rules)
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
