package codex

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/pelletier/go-toml/v2"

	"github.com/hookline-dev/hookline/dialect"
)

// unapproved returns the events whose entries of the bridge in a file of hooks Codex does not
// run: what it keeps of approvals in the person's settings does not name them, or says that
// they are off. An entry whose text was changed afterwards is not told from an approved one.
func unapproved(d dialect.Dirs, getenv func(string) string, path string) ([]string, error) {
	data, err := os.ReadFile(path)
	var file struct {
		Hooks map[string][]struct{ Hooks []struct{ Command string } }
	}
	if err == nil {
		err = json.Unmarshal(data, &file, json.MatchCaseInsensitiveNames(true))
	}
	if err != nil {
		return nil, fmt.Errorf("read Codex's hooks in %s: %w", path, err)
	}
	var kept struct {
		Hooks struct {
			State map[string]struct {
				Hash    string `toml:"trusted_hash"`
				Enabled *bool  `toml:"enabled"`
			} `toml:"state"`
		} `toml:"hooks"`
	}
	settings := settingsFile.Path(d, getenv)
	text, err := os.ReadFile(settings)
	if err == nil {
		err = toml.Unmarshal(text, &kept)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("read what Codex approved in %s: %w", settings, err)
	}
	var out []string
	for event, groups := range file.Hooks {
		for i, group := range groups {
			for k, h := range group.Hooks {
				s := kept.Hooks.State[fmt.Sprintf("%s:%s:%d:%d", path, snake(event), i, k)]
				if dialect.IsBridge(h.Command) && (s.Hash == "" || s.Enabled != nil && !*s.Enabled) {
					out = append(out, event)
				}
			}
		}
	}
	slices.Sort(out)
	return out, nil
}

// snake writes the name of an event as Codex does in its approvals.
func snake(name string) string {
	var b strings.Builder
	for i, r := range name {
		if i > 0 && r >= 'A' && r <= 'Z' {
			b.WriteByte('_')
		}
		b.WriteRune(r)
	}
	return strings.ToLower(b.String())
}
