package registry

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/hookline-dev/hookline/agent/model"
	"github.com/hookline-dev/hookline/agent/model/anthropic"
	"github.com/hookline-dev/hookline/agent/model/openai"
	"github.com/hookline-dev/hookline/agent/model/script"
)

// Endpoint is a server that models are asked at.
type Endpoint struct {
	// Anthropic says that the server speaks the Anthropic Messages API; the
	// others speak OpenAI's chat completions.
	Anthropic bool
	BaseURL   string
	// BaseURLEnv names an environment variable that overrides BaseURL.
	BaseURLEnv string
	// KeyEnv names the environment variables that may hold the key; the first
	// one that is set counts.
	KeyEnv []string
	// NoKey says that the server can be asked without a key.
	NoKey bool
}

// Endpoints returns the servers that are known by name.
func Endpoints() map[string]Endpoint {
	return map[string]Endpoint{
		"anthropic": {
			Anthropic: true, BaseURL: anthropic.DefaultBaseURL, BaseURLEnv: "ANTHROPIC_BASE_URL",
			KeyEnv: []string{"ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN"},
		},
		"openai": {
			BaseURL: openai.DefaultBaseURL, BaseURLEnv: "OPENAI_BASE_URL", KeyEnv: []string{"OPENAI_API_KEY"},
		},
		"google": {
			BaseURL: "https://generativelanguage.googleapis.com/v1beta/openai/",
			KeyEnv:  []string{"GEMINI_API_KEY", "GOOGLE_API_KEY"},
		},
		"openrouter": {BaseURL: "https://openrouter.ai/api/v1/", KeyEnv: []string{"OPENROUTER_API_KEY"}},
		"deepseek":   {BaseURL: "https://api.deepseek.com/v1/", KeyEnv: []string{"DEEPSEEK_API_KEY"}},
		"groq":       {BaseURL: "https://api.groq.com/openai/v1/", KeyEnv: []string{"GROQ_API_KEY"}},
		"mistral":    {BaseURL: "https://api.mistral.ai/v1/", KeyEnv: []string{"MISTRAL_API_KEY"}},
		"xai":        {BaseURL: "https://api.x.ai/v1/", KeyEnv: []string{"XAI_API_KEY"}},
		"ollama": {
			BaseURL: "http://127.0.0.1:11434/v1/", BaseURLEnv: "OLLAMA_BASE_URL",
			KeyEnv: []string{"OLLAMA_API_KEY"}, NoKey: true,
		},
		"vllm": {
			BaseURL: "http://127.0.0.1:8000/v1/", BaseURLEnv: "VLLM_BASE_URL",
			KeyEnv: []string{"VLLM_API_KEY"}, NoKey: true,
		},
		"litellm": {
			BaseURL: "http://127.0.0.1:4000/v1/", BaseURLEnv: "LITELLM_BASE_URL",
			KeyEnv: []string{"LITELLM_API_KEY"}, NoKey: true,
		},
	}
}

// Config says where keys and scripts come from. The zero value reads the
// process's environment and no file.
type Config struct {
	// Getenv reads an environment variable; nil is os.Getenv.
	Getenv func(string) string
	// KeyFile is a JSON file that maps provider names to keys. A file that
	// others may read is refused. The environment goes before it.
	KeyFile string
	// Endpoints are added to the known ones, or replace them.
	Endpoints map[string]Endpoint
	// Prices go over the built-in list.
	Prices model.Prices
	// ScriptLog gets the requests that a script answers.
	ScriptLog io.Writer
	// Idle is how long a server may be silent; 0 is five minutes.
	Idle time.Duration
	// HTTPClient, when not nil, gives the transport to use.
	HTTPClient *http.Client
}

// Model is a model that can be called.
type Model struct {
	// Provider answers, Name is what it calls the model.
	Provider model.Provider
	Name     string
	// FullName is the name the model was resolved from.
	FullName string
	// Price is what it costs; Priced is false when that is not known.
	Price  model.Price
	Priced bool
}

// ErrNoKey is what Resolve's error wraps when a provider needs a key and there
// is none.
var ErrNoKey = errors.New("no API key")

// Resolve finds the model that a name stands for: "provider/model",
// "script:FILE", or "script" for the built-in script. Nothing is sent.
func Resolve(name string, cfg Config) (Model, error) {
	if cfg.Getenv == nil {
		cfg.Getenv = os.Getenv
	}
	m := Model{FullName: name}
	m.Price, m.Priced = model.DefaultPrices().Merge(cfg.Prices).Lookup(name)
	var err error
	if file, ok := strings.CutPrefix(name, "script:"); ok {
		m.Name = "script"
		m.Provider, err = script.Load(file, script.Options{Log: cfg.ScriptLog})
		return m, err
	}
	if name == "script" {
		m.Name = name
		m.Provider, err = script.Demo(script.Options{Log: cfg.ScriptLog})
		return m, err
	}
	provider, short, ok := strings.Cut(name, "/")
	if !ok || provider == "" || short == "" {
		return m, fmt.Errorf("model %q: want provider/name, script:FILE or script; providers are %s", name, cfg.names())
	}
	m.Name = short
	m.Provider, err = cfg.provider(provider)
	return m, err
}

func (cfg Config) endpoints() map[string]Endpoint {
	all := Endpoints()
	maps.Copy(all, cfg.Endpoints)
	return all
}

func (cfg Config) names() string {
	return strings.Join(slices.Sorted(maps.Keys(cfg.endpoints())), ", ")
}

func (cfg Config) provider(name string) (model.Provider, error) {
	e, ok := cfg.endpoints()[name]
	if !ok {
		return nil, fmt.Errorf("no provider is called %q; there are %s", name, cfg.names())
	}
	base, err := cfg.baseURL(e)
	if err != nil {
		return nil, fmt.Errorf("provider %s: %w", name, err)
	}
	key, err := cfg.key(name, e)
	if err != nil {
		return nil, fmt.Errorf("provider %s: %w", name, err)
	}
	if e.Anthropic {
		return anthropic.New(anthropic.Options{
			APIKey: key, BaseURL: base, Name: name, Idle: cfg.Idle, HTTPClient: cfg.HTTPClient,
		}), nil
	}
	return openai.New(openai.Options{
		APIKey: key, BaseURL: base, Name: name, Idle: cfg.Idle, HTTPClient: cfg.HTTPClient,
	}), nil
}

func (cfg Config) baseURL(e Endpoint) (string, error) {
	base, from := e.BaseURL, "base URL"
	if e.BaseURLEnv != "" {
		if v := strings.TrimSpace(cfg.Getenv(e.BaseURLEnv)); v != "" {
			base, from = v, e.BaseURLEnv
		}
	}
	u, err := url.Parse(base)
	if err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" {
		return "", fmt.Errorf("%s is not an http or https address", from)
	}
	if u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		return "", fmt.Errorf("%s must have no user, password, query or fragment", from)
	}
	return base, nil
}

// key returns the key of an endpoint, "" when it needs none.
func (cfg Config) key(name string, e Endpoint) (string, error) {
	for _, env := range e.KeyEnv {
		if v := strings.TrimSpace(cfg.Getenv(env)); v != "" {
			return v, checkKey(env, v)
		}
	}
	if cfg.KeyFile != "" {
		keys, err := readKeys(cfg.KeyFile)
		if err != nil {
			return "", err
		}
		if v := strings.TrimSpace(keys[name]); v != "" {
			return v, checkKey(cfg.KeyFile, v)
		}
	}
	if e.NoKey {
		return "", nil
	}
	hint := "set " + strings.Join(e.KeyEnv, " or ")
	if cfg.KeyFile != "" {
		hint += fmt.Sprintf(", or put %q into %s", name, cfg.KeyFile)
	}
	return "", fmt.Errorf("%w: %s", ErrNoKey, hint)
}

// checkKey refuses what can not be part of a header, without showing it.
func checkKey(from, key string) error {
	for _, r := range key {
		if r <= ' ' || r > '~' {
			return fmt.Errorf("the key in %s holds characters that no key has", from)
		}
	}
	return nil
}
