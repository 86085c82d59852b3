package registry_test

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/hookline-dev/hookline/agent/model"
	"github.com/hookline-dev/hookline/agent/model/registry"
)

const key = "sk-canary-0123456789"

func env(pairs ...string) func(string) string {
	return func(name string) string {
		for i := 0; i+1 < len(pairs); i += 2 {
			if pairs[i] == name {
				return pairs[i+1]
			}
		}
		return ""
	}
}

func keyFile(t *testing.T, mode os.FileMode, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "keys.json")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(path, mode); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestResolve(t *testing.T) {
	good := fmt.Sprintf(`{"anthropic": %q}`, key)
	tests := []struct {
		name  string
		model string
		cfg   registry.Config
		err   string
		short string
	}{
		{"script", "script", registry.Config{}, "", "script"},
		{"missing script", "script:" + filepath.Join(t.TempDir(), "x.yaml"), registry.Config{}, "reading the script", ""},
		{"no provider", "llama-3", registry.Config{}, `"llama-3": its name tells no provider: want provider/name`, ""},
		{"no name", "openai/", registry.Config{}, "want provider/name", ""},
		{"unknown", "nobody/x", registry.Config{}, `no provider is called "nobody"; there are anthropic,`, ""},
		{"no key", "openai/gpt-5", registry.Config{Getenv: env()}, "no API key: set OPENAI_API_KEY", ""},
		{"key in the environment", "openai/gpt-5", registry.Config{Getenv: env("OPENAI_API_KEY", " "+key+"\n")}, "", "gpt-5"},
		{"name with slashes", "openrouter/a/b:free", registry.Config{Getenv: env("OPENROUTER_API_KEY", key)}, "", "a/b:free"},
		{"second variable", "google/gemini", registry.Config{Getenv: env("GOOGLE_API_KEY", key)}, "", "gemini"},
		{"no key needed", "ollama/qwen3:8b", registry.Config{Getenv: env()}, "", "qwen3:8b"},
		{"broken key", "openai/x", registry.Config{Getenv: env("OPENAI_API_KEY", key+"\nX: y")}, "the key in OPENAI_API_KEY holds characters", ""},
		{"bad base URL", "openai/x", registry.Config{Getenv: env("OPENAI_API_KEY", key, "OPENAI_BASE_URL", "ftp://x")}, "OPENAI_BASE_URL is not an http", ""},
		{"password in base URL", "openai/x", registry.Config{Getenv: env("OPENAI_API_KEY", key, "OPENAI_BASE_URL", "https://u:"+key+"@x/")}, "must have no user", ""},
		{"key file", "anthropic/claude-x", registry.Config{Getenv: env(), KeyFile: keyFile(t, 0o600, good)}, "", "claude-x"},
		{"key file is absent", "anthropic/x", registry.Config{Getenv: env(), KeyFile: filepath.Join(t.TempDir(), "none")}, `or put "anthropic" into`, ""},
		{"key file without the provider", "openai/x", registry.Config{Getenv: env(), KeyFile: keyFile(t, 0o600, good)}, "no API key", ""},
		{"key file is not JSON", "anthropic/x", registry.Config{Getenv: env(), KeyFile: keyFile(t, 0o600, key)}, "is not a JSON object", ""},
		{"key file with duplicates", "anthropic/x", registry.Config{Getenv: env(), KeyFile: keyFile(t, 0o600, `{"anthropic":"a","anthropic":"`+key+`"}`)}, "is not a JSON object", ""},
		{"key file is a folder", "anthropic/x", registry.Config{Getenv: env(), KeyFile: t.TempDir()}, "not a regular file", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			m, err := registry.Resolve(tt.model, tt.cfg)
			if tt.err == "" && (err != nil || m.Name != tt.short || m.Provider == nil || m.FullName != tt.model) {
				t.Errorf("got %+v, %v", m, err)
			}
			if tt.err != "" && (err == nil || !strings.Contains(err.Error(), tt.err)) {
				t.Errorf("got %v, want %q", err, tt.err)
			}
			if text := fmt.Sprintf("%v %+v %#v", err, m, m.Provider); strings.Contains(text, key) {
				t.Errorf("the key is in %s", text)
			}
		})
	}
}

func TestKeyFileThatOthersMayRead(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("modes do not say who may read a file here")
	}
	for _, mode := range []os.FileMode{0o640, 0o604, 0o644, 0o660} {
		path := keyFile(t, mode, fmt.Sprintf(`{"anthropic": %q}`, key))
		_, err := registry.Resolve("anthropic/x", registry.Config{Getenv: env(), KeyFile: path})
		if err == nil || !strings.Contains(err.Error(), "chmod 600") {
			t.Errorf("%o: got %v", mode, err)
		}
	}
}

func TestNoKeyIsTyped(t *testing.T) {
	_, err := registry.Resolve("openai/x", registry.Config{Getenv: env()})
	if !errors.Is(err, registry.ErrNoKey) {
		t.Errorf("got %v", err)
	}
}

func TestTheRightServerIsAsked(t *testing.T) {
	var path, auth string
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		path, auth = r.URL.Path, r.Header.Get("Authorization")
		w.WriteHeader(http.StatusTeapot)
	}))
	defer srv.Close()
	tests := []struct{ model, urlEnv, keyEnv, path, auth string }{
		{"anthropic/x", "ANTHROPIC_BASE_URL", "ANTHROPIC_API_KEY", "/v1/messages", "Bearer " + key},
		{"claude-x", "ANTHROPIC_BASE_URL", "ANTHROPIC_API_KEY", "/v1/messages", "Bearer " + key},
		{"sonnet", "ANTHROPIC_BASE_URL", "ANTHROPIC_API_KEY", "/v1/messages", "Bearer " + key},
		{"gpt-x", "OPENAI_BASE_URL", "OPENAI_API_KEY", "/chat/completions", "Bearer " + key},
		{"openai/x", "OPENAI_BASE_URL", "OPENAI_API_KEY", "/chat/completions", "Bearer " + key},
		{"ollama/x", "OLLAMA_BASE_URL", "NONE", "/chat/completions", ""},
	}
	for _, tt := range tests {
		m, err := registry.Resolve(tt.model, registry.Config{Getenv: env(tt.urlEnv, srv.URL, tt.keyEnv, key), HTTPClient: srv.Client()})
		if err != nil {
			t.Fatal(err)
		}
		_, err = model.Accumulate(m.Provider.Stream(t.Context(), &model.Request{Model: m.Name, Messages: []model.Message{model.UserText("x")}}), nil)
		if e, ok := errors.AsType[*model.APIError](err); !ok || e.Status != http.StatusTeapot || path != tt.path || auth != tt.auth {
			t.Errorf("%s: %v, path %s, authorization %q", tt.model, err, path, auth)
		}
	}
}
