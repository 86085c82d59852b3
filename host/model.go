package host

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hookline-dev/hookline/agent"
	"github.com/hookline-dev/hookline/agent/model"
	"github.com/hookline-dev/hookline/agent/model/registry"
	"github.com/hookline-dev/hookline/ui"
)

// preferred are the models of which one is taken when none is named: the first whose
// provider has a key.
var preferred = []string{"anthropic/claude-sonnet-4-5", "openai/gpt-5", "google/gemini-2.5-pro"}

// chooseModel finds the model: the one that was asked for, the environment's, or that of
// a key that is set. Where there is none, whoever asks it gets an error: commands and
// sessions with a model of their own don't need it.
func (h *Agent) chooseModel() (registry.Model, error) {
	name := h.opts.Model
	if name == "" {
		name = h.Host.opts.Getenv("HOOKLINE_MODEL")
	}
	if name == "" {
		for _, p := range preferred {
			if m, err := h.resolveModel(p); !errors.Is(err, registry.ErrNoKey) {
				return m, err
			}
		}
		return registry.Model{Provider: noModel{}, Name: "none", FullName: "none"}, nil
	}
	m, err := h.resolveModel(name)
	switch {
	case err == nil || errors.Is(err, registry.ErrNoKey):
	case errors.Is(err, registry.ErrNoBetas):
		err = &OptionError{"Betas", "", err}
	default:
		err = &OptionError{"Model", "", err}
	}
	return m, err
}

// checkModel tells what is not known of the model. A budget needs its price.
func (h *Agent) checkModel() error {
	m := h.Model
	if m.Name == "none" {
		return nil
	}
	if h.opts.MaxUSD > 0 && !m.Priced {
		return &OptionError{"MaxUSD", "", fmt.Errorf("the price of %s is not known; write it into %s", m.FullName, h.modelsFile())}
	}
	if m.Price.Window == 0 && m.Name != "script" {
		h.notify(ui.Warning, "The window of %s is not known: its conversation is not compacted by itself. Write it into %s.", m.FullName, h.modelsFile())
	}
	return nil
}

// fallbacks finds the models that stand in for the one of the session.
func (h *Agent) fallbacks() ([]agent.Fallback, error) {
	var out []agent.Fallback
	for _, name := range h.opts.Fallbacks {
		m, err := h.resolveModel(name)
		if err == nil && h.opts.MaxUSD > 0 && !m.Priced {
			err = fmt.Errorf("its price is not known; write it into %s", h.modelsFile())
		}
		if err != nil {
			return nil, &OptionError{"Fallbacks", name, err}
		}
		out = append(out, agent.Fallback{Provider: m.Provider, Name: m.Name})
	}
	return out, nil
}

// modelsFile is the person's file of models. A project has none: it would say where keys
// are sent to.
func (h *Host) modelsFile() string { return filepath.Join(h.Dirs.Config, "models.json") }

// noModel is asked where there is no model.
type noModel struct{}

// Stream says what is missing.
func (noModel) Stream(context.Context, *model.Request) iter.Seq2[model.Event, error] {
	return func(yield func(model.Event, error) bool) {
		yield(model.Event{}, &model.APIError{
			Kind:    model.KindAuth,
			Message: "no model is named and no API key is set: set ANTHROPIC_API_KEY, OPENAI_API_KEY or GEMINI_API_KEY, or name a model with --model PROVIDER/NAME or HOOKLINE_MODEL; --model script plays a demonstration",
		})
	}
}

// Models returns the names of the models that the session may be given, and that of the one
// that it has, which is among them.
func (h *Agent) Models() (names []string, current string, err error) {
	cfg, err := h.registry()
	names = registry.Known(cfg)
	current = h.Loop.Model()
	i := slices.IndexFunc(names, func(name string) bool { return strings.HasSuffix(name, "/"+current) })
	switch {
	case current == h.Model.Name:
		current = h.Model.FullName
	case i >= 0:
		current = names[i]
	}
	if !slices.Contains(names, current) {
		names = append([]string{current}, names...)
	}
	return names, current, err
}

// resolveModel finds a model by name.
func (h *Agent) resolveModel(name string) (registry.Model, error) {
	cfg, err := h.registry()
	if err != nil {
		return registry.Model{}, err
	}
	if file, ok := strings.CutPrefix(name, "script:"); ok && !filepath.IsAbs(file) {
		name = "script:" + filepath.Join(h.Dir, file)
	}
	return registry.Resolve(name, cfg)
}

// registry is where models are found.
func (h *Agent) registry() (registry.Config, error) {
	file, err := registry.ReadFile(h.modelsFile())
	betas := h.opts.Betas
	if h.opts.TaskBudget > 0 {
		betas = append(slices.Clip(betas), "task-budgets-2026-03-13")
	}
	cfg := registry.Config{
		Getenv: h.Host.opts.Getenv, KeyFile: filepath.Join(h.Dirs.Config, "keys.json"), File: file, Betas: betas, Meter: &h.meter, ScriptLog: h.opts.ScriptLog,
	}
	if _, err := os.Stat(cfg.KeyFile); errors.Is(err, os.ErrNotExist) {
		cfg.KeyFile = ""
	}
	return cfg, err
}

// resolve finds a model that is named in the middle of a session.
func (h *Agent) resolve(name string) (model.Provider, string, error) {
	m, err := h.resolveModel(name)
	return m.Provider, m.Name, err
}

// cacheWrite is what a model's provider takes for a million tokens in its cache.
func (h *Agent) cacheWrite(name string) (usd float64, known bool) {
	m := h.Model
	if name != "" {
		var err error
		if m, err = h.resolveModel(name); err != nil {
			return 0, false
		}
	}
	return m.Price.CacheWrite, m.Priced
}

// provider is the part of a model's full name before the slash.
func provider(fullName string) string {
	name, _, _ := strings.Cut(fullName, "/")
	return name
}
