package registry_test

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hookline-dev/hookline/agent/model"
	"github.com/hookline-dev/hookline/agent/model/registry"
)

func modelsFile(t *testing.T, text string) (registry.File, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "models.json")
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return registry.ReadFile(path)
}

func TestProvidersOfAFile(t *testing.T) {
	var seen *http.Request
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		seen = r
		w.WriteHeader(http.StatusTeapot)
	}))
	defer srv.Close()
	f, err := modelsFile(t, `{
		"providers": {
			"acme": {"baseUrl": "`+srv.URL+`/api", "keyEnv": ["ACME_KEY"], "headers": {"X-Team": "core"}},
			"gate": {"anthropic": true, "baseUrl": "`+srv.URL+`/claude/v1/", "noKey": true},
			"anthropic": {"headers": {"X-Team": "own"}} // and the rest as it is
		},
		"aliases": {"fast": "acme/small"}
	}`)
	if err != nil {
		t.Fatal(err)
	}
	getenv := env("ACME_KEY", key, "ANTHROPIC_API_KEY", key, "ANTHROPIC_BASE_URL", srv.URL)
	tests := []struct {
		model       string
		betas       []string
		path, short string
		header      string
		value       string
	}{
		{"acme/large", nil, "/api/chat/completions", "large", "X-Team", "core"},
		{"fast", nil, "/api/chat/completions", "small", "Authorization", "Bearer " + key},
		{"gate/claude-x", nil, "/claude/v1/messages", "claude-x", "X-Team", ""},
		{"anthropic/x", []string{"one", "two"}, "/v1/messages", "x", "X-Team", "own"},
		{"anthropic/x", []string{"one", "two"}, "/v1/messages", "x", "Anthropic-Beta", "one,two"},
	}
	for _, tt := range tests {
		m, err := registry.Resolve(tt.model, registry.Config{Getenv: getenv, File: f, Betas: tt.betas, HTTPClient: srv.Client()})
		if err != nil {
			t.Fatal(err)
		}
		_, _ = model.Accumulate(m.Provider.Stream(t.Context(), &model.Request{Model: m.Name, Messages: []model.Message{model.UserText("x")}}), nil)
		if m.Name != tt.short || seen.URL.Path != tt.path || seen.Header.Get(tt.header) != tt.value {
			t.Errorf("%s: %s at %s, %s: %q", tt.model, m.Name, seen.URL.Path, tt.header, seen.Header.Get(tt.header))
		}
	}
	if _, err := registry.Resolve("fast", registry.Config{Getenv: getenv, File: f, Betas: []string{"one"}}); err == nil || !strings.Contains(err.Error(), "only Anthropic's API has beta features") {
		t.Errorf("betas elsewhere: %v", err)
	}
}

func TestModelsOfAFile(t *testing.T) {
	f, err := modelsFile(t, `{"models": {
		"openai/gpt-5": {"price": {"input": 9, "output": 8, "cacheRead": 7}},
		"ollama/": {"window": 32000},
		"ollama/qwen3": {"window": 40000, "effort": "low"}
	}}`)
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		model  string
		window int64
		price  float64
		priced bool
	}{
		{"openai/gpt-5-2025-08-07", 400_000, 9, true},
		{"ollama/other", 32_000, 0, true},
		{"ollama/qwen3:8b", 40_000, 0, true},
		{"vllm/x", 0, 0, false},
	}
	for _, tt := range tests {
		m, err := registry.Resolve(tt.model, registry.Config{Getenv: env("OPENAI_API_KEY", key), File: f})
		if err != nil || m.Price.Window != tt.window || m.Price.Input != tt.price || m.Priced != tt.priced {
			t.Errorf("%s: %+v, %v, %v", tt.model, m.Price, m.Priced, err)
		}
	}
}

func TestMistakesOfAFile(t *testing.T) {
	for text, want := range map[string]string{
		`{`:                                 "models.json",
		`{"model": {}}`:                     `there is no member "model"`,
		`{"models": {"a": {"window": ""}}}`: "/models/a/window must be",
		`{"providers": {"a": {"baseUrl": "x", "baseUrl": "y"}}}`: "duplicate",
	} {
		if _, err := modelsFile(t, text); err == nil || !strings.Contains(err.Error(), "read models: ") || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", text, err)
		}
	}
	if _, err := registry.ReadFile(t.TempDir()); err == nil {
		t.Error("a directory is read")
	}
	if f, err := registry.ReadFile(filepath.Join(t.TempDir(), "none")); err != nil || f.Models != nil {
		t.Errorf("no file: %v, %v", f, err)
	}
}
