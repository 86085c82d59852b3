package host

import (
	"errors"
	"os"
	"path/filepath"
	"strings"

	"github.com/hookline-dev/hookline/agent/model"
	"github.com/hookline-dev/hookline/agent/model/registry"
)

// keys are the variables that choose a model, and the model, when nothing else does.
var keys = [][2]string{
	{"ANTHROPIC_API_KEY", "anthropic/claude-sonnet-4-5"}, {"OPENAI_API_KEY", "openai/gpt-5"}, {"GEMINI_API_KEY", "google/gemini-2.5-pro"},
}

// chooseModel finds the model: the one that was asked for, the environment's, that of a
// key that is set, or the demonstration.
func (h *Agent) chooseModel() (registry.Model, error) {
	name := h.opts.Model
	if name == "" {
		name = h.Host.opts.Getenv("HOOKLINE_MODEL")
	}
	for _, k := range keys {
		if name == "" && h.Host.opts.Getenv(k[0]) != "" {
			name = k[1]
		}
	}
	if name == "" {
		name = "script"
		h.played.Store(true)
	}
	m, err := h.resolveModel(name)
	if err == nil || errors.Is(err, registry.ErrNoKey) {
		return m, err
	}
	return m, &OptionError{"Model", "", err}
}

// resolveModel finds a model by name.
func (h *Agent) resolveModel(name string) (registry.Model, error) {
	cfg := registry.Config{Getenv: h.Host.opts.Getenv, KeyFile: filepath.Join(h.Dirs.Config, "keys.json"), ScriptLog: h.opts.ScriptLog}
	if _, err := os.Stat(cfg.KeyFile); errors.Is(err, os.ErrNotExist) {
		cfg.KeyFile = ""
	}
	if file, ok := strings.CutPrefix(name, "script:"); ok && !filepath.IsAbs(file) {
		name = "script:" + filepath.Join(h.Dir, file)
	}
	return registry.Resolve(name, cfg)
}

// resolve finds a model that is named in the middle of a session.
func (h *Agent) resolve(name string) (model.Provider, string, error) {
	m, err := h.resolveModel(name)
	if err == nil {
		h.played.Store(false)
	}
	return m.Provider, m.Name, err
}

// provider is the part of a model's full name before the slash.
func provider(fullName string) string {
	name, _, _ := strings.Cut(fullName, "/")
	return name
}
