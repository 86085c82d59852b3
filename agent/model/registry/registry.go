package registry

import (
	"cmp"
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
	Anthropic bool   `json:"anthropic"`
	BaseURL   string `json:"baseUrl"`
	// BaseURLEnv names an environment variable that overrides BaseURL.
	BaseURLEnv string `json:"baseUrlEnv"`
	// KeyEnv names the environment variables that may hold the key; the first
	// one that is set counts.
	KeyEnv []string `json:"keyEnv"`
	// NoKey says that the server can be asked without a key.
	NoKey bool `json:"noKey"`
	// Headers are sent with every request.
	Headers map[string]string `json:"headers"`
}

// over fills in from another endpoint what e does not say.
func (e Endpoint) over(o Endpoint) Endpoint {
	e.Anthropic, e.NoKey = e.Anthropic || o.Anthropic, e.NoKey || o.NoKey
	if e.BaseURL == "" {
		e.BaseURL, e.BaseURLEnv = o.BaseURL, cmp.Or(e.BaseURLEnv, o.BaseURLEnv)
	}
	if e.KeyEnv == nil {
		e.KeyEnv = o.KeyEnv
	}
	return e
}

// endpoints returns the servers that are known by name.
func endpoints() map[string]Endpoint {
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
	// File says more about providers and models than is built in.
	File File
	// Betas are sent to Anthropic as the features to turn on; other providers have none,
	// which is an error.
	Betas []string
	// Meter, when not nil, counts what the models cost.
	Meter *Meter
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

// ErrNoBetas is what Resolve's error wraps when there are betas that the provider cannot have.
var ErrNoBetas = errors.New("only Anthropic's API has beta features, such as task budgets")

// Resolve finds the model that a name stands for: "provider/model", the model's name alone
// where that tells the provider (claude-…, gpt-…), an alias such as sonnet, "script:FILE",
// or "script" for the built-in script. Nothing is sent.
func Resolve(name string, cfg Config) (Model, error) {
	if cfg.Getenv == nil {
		cfg.Getenv = os.Getenv
	}
	m := Model{FullName: cfg.fullName(name)}
	m.Price, m.Priced = model.DefaultPrices().Lookup(m.FullName)
	settings := cfg.File.apply(&m)
	p, err := cfg.find(&m)
	if err == nil {
		m.Provider = &metered{p, m, settings, cfg.Meter}
	}
	return m, err
}

// Known returns the full names of the models that are known and can be called: those of the
// file, and common ones. Providers have others too.
func Known(cfg Config) []string {
	names := slices.Concat(slices.Collect(maps.Keys(cfg.File.Models)), slices.Collect(maps.Keys(cfg.File.Aliases)), slices.Collect(maps.Keys(aliases)),
		slices.Collect(maps.Keys(model.DefaultPrices())))
	for i, name := range names {
		names[i] = cfg.fullName(name)
	}
	slices.Sort(names)
	return slices.DeleteFunc(slices.Compact(names), func(name string) bool {
		_, err := Resolve(name, cfg)
		return err != nil || name == "script" || strings.HasSuffix(name, "/")
	})
}

// find returns the provider of a model, and names the model in its words.
func (cfg Config) find(m *Model) (model.Provider, error) {
	provider, short, ok := strings.Cut(m.FullName, "/")
	file, isFile := strings.CutPrefix(m.FullName, "script:")
	switch {
	case isFile || m.FullName == "script":
		m.Name = "script"
		if len(cfg.Betas) > 0 {
			return nil, ErrNoBetas
		}
		if isFile {
			return script.Load(file, script.Options{Log: cfg.ScriptLog})
		}
		return script.Demo(script.Options{Log: cfg.ScriptLog})
	case !ok || provider == "" || short == "":
		return nil, fmt.Errorf("model %q: its name tells no provider: want provider/name, script:FILE or script; providers are %s", m.FullName, cfg.names())
	}
	m.Name = short
	return cfg.provider(provider)
}

// aliases are the short names of the makers' current models.
var aliases = map[string]string{
	"opus": "anthropic/claude-opus-4-5", "sonnet": "anthropic/claude-sonnet-4-5", "haiku": "anthropic/claude-haiku-4-5",
}

// makers are the providers whose models are known by how their names begin.
var makers = []struct{ prefix, provider string }{
	{"claude-", "anthropic"},
	{"gpt-", "openai"},
	{"o1", "openai"},
	{"o3", "openai"},
	{"o4", "openai"},
	{"gemini-", "google"},
	{"deepseek-", "deepseek"},
	{"grok-", "xai"},
	{"mistral-", "mistral"},
	{"codestral-", "mistral"},
	{"devstral-", "mistral"},
}

// fullName is the whole name of a model, with its provider where the name tells it.
func (cfg Config) fullName(name string) string {
	if full := cmp.Or(cfg.File.Aliases[name], aliases[name]); full != "" {
		return full
	}
	if strings.ContainsAny(name, "/:") {
		return name
	}
	for _, m := range makers {
		if strings.HasPrefix(name, m.prefix) {
			return m.provider + "/" + name
		}
	}
	return name
}

func (cfg Config) endpoints() map[string]Endpoint {
	all := endpoints()
	for name, e := range cfg.File.Providers {
		all[name] = e.over(all[name])
	}
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
		headers := maps.Collect(maps.All(e.Headers))
		if len(cfg.Betas) > 0 {
			headers["anthropic-beta"] = strings.Join(cfg.Betas, ",")
		}
		return anthropic.New(anthropic.Options{
			APIKey: key, BaseURL: base, Name: name, Headers: headers, Idle: cfg.Idle, HTTPClient: cfg.HTTPClient,
		}), nil
	}
	if len(cfg.Betas) > 0 {
		return nil, fmt.Errorf("provider %s: %w", name, ErrNoBetas)
	}
	return openai.New(openai.Options{
		APIKey: key, BaseURL: base, Name: name, Headers: e.Headers, Idle: cfg.Idle, HTTPClient: cfg.HTTPClient,
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
