package main

import (
	"context"
	"os"

	"github.com/hookline-dev/hookline/hook"
)

// settingsFile is a settings file that may change while the agent runs.
type settingsFile struct {
	path, source string
	seen         string // what it was when it was last looked at
}

// configSources are the words of ConfigChange for the levels of settings files.
var configSources = map[string]string{
	"managed": "policy_settings", "user": "user_settings", "project": "project_settings", "local": "local_settings",
}

// settingsFiles lists the settings files with hooks, as they are now.
func (w *wiring) settingsFiles() []settingsFile {
	var out []settingsFile
	for _, f := range w.dirs.SettingsFiles() {
		out = append(out, settingsFile{path: f.Path, source: configSources[f.Level()], seen: lookOf(f.Path)})
	}
	return out
}

// lookOf tells two states of a file apart.
func lookOf(path string) string {
	info, err := os.Stat(path)
	if err != nil {
		return ""
	}
	return info.ModTime().String() + " " + info.Mode().String()
}

// refresh takes up settings files that have changed since the last prompt: hooks are
// told of each, and may keep the change from taking effect. What a project brings
// that nobody approved does not run, whenever it comes.
func (w *wiring) refresh(ctx context.Context) error {
	changed := false
	for i := range w.settings {
		f := &w.settings[i]
		now := lookOf(f.path)
		if now == f.seen {
			continue
		}
		f.seen = now
		out, err := w.agent.Fire(ctx, &hook.ConfigChange{Source: f.source, FilePath: f.path})
		if err != nil {
			return err
		}
		if out.Blocked() {
			w.app.warnf("A hook keeps the change of %s from taking effect: %s", f.path, out.Reason)
			continue
		}
		changed = true
	}
	if !changed {
		return nil
	}
	set, _, err := w.loader.Refresh(ctx, w.reg)
	if err == nil {
		w.loaded()
		w.app.printDiagnostics(set.Diagnostics)
	}
	return err
}
