package codex

import (
	"errors"
	"fmt"
	"path/filepath"

	"github.com/go-json-experiment/json"
	"github.com/pelletier/go-toml/v2"
)

// configFile is the name of Codex's settings, which may hold hooks too.
const configFile = "config.toml"

// fromTOML returns the hooks of Codex's settings in the form of those in hooks.json, nil for
// another file. What Codex keeps beside them, such as which of them a person approved, is left
// out.
func fromTOML(path string, data []byte) ([]byte, error) {
	if filepath.Base(path) != configFile {
		return nil, nil
	}
	var settings struct {
		Hooks map[string]any `toml:"hooks" json:"hooks,omitzero"`
	}
	err := toml.Unmarshal(data, &settings)
	if at, ok := errors.AsType[*toml.DecodeError](err); ok {
		line, column := at.Position()
		return nil, fmt.Errorf("line %d, column %d: %w", line, column, err)
	}
	if err != nil {
		return nil, err
	}
	delete(settings.Hooks, "state")
	return json.Marshal(settings, json.Deterministic(true))
}
