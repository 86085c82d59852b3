package registry

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/go-json-experiment/json"
	"github.com/tailscale/hujson"

	"github.com/hookline-dev/hookline/agent/model"
	"github.com/hookline-dev/hookline/internal/jsonx"
)

// File is what a models file adds to what is built in.
type File struct {
	// Providers are further providers, or stand in the place of those that are known.
	Providers map[string]Endpoint `json:"providers"`
	// Models says more about models. Their names are found as those of [model.Prices].
	Models map[string]Settings `json:"models"`
	// Aliases are short names for models.
	Aliases map[string]string `json:"aliases"`
}

// Settings are what a models file says about a model. Zero values say nothing.
type Settings struct {
	// Window is how many tokens the model takes, MaxTokens bounds an answer.
	Window    int64 `json:"window"`
	MaxTokens int   `json:"maxTokens"`
	// Effort and Thinking are used by requests that name none.
	Effort   string `json:"effort"`
	Thinking int    `json:"thinking"`
	// Price is what the model costs, in US dollars for a million tokens.
	Price *Price `json:"price"`
}

// Price is the price of a model in a models file.
type Price struct {
	Input      float64 `json:"input"`
	Output     float64 `json:"output"`
	CacheRead  float64 `json:"cacheRead"`
	CacheWrite float64 `json:"cacheWrite"`
}

// maxModelsFile is the largest models file that is read, in bytes.
const maxModelsFile = 1 << 20

// ReadFile reads a models file, which may have comments; one that does not exist is empty.
func ReadFile(path string) (File, error) {
	var f File
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return f, nil
	}
	var data []byte
	if err == nil && (!info.Mode().IsRegular() || info.Size() > maxModelsFile) {
		err = fmt.Errorf("%s is not a file of at most %d bytes", path, maxModelsFile)
	}
	if err == nil {
		data, err = os.ReadFile(path)
	}
	if err != nil {
		return f, fmt.Errorf("read models: %w", err)
	}
	if data, err = hujson.Standardize(data); err != nil {
		return f, fmt.Errorf("read models: %s: %w", path, err)
	}
	if err := json.Unmarshal(data, &f, json.RejectUnknownMembers(true)); err != nil {
		return f, fmt.Errorf("read models: %s: %s", path, jsonx.ErrorText(err))
	}
	return f, nil
}

// apply puts what the file says about a model over what is built in.
func (f File) apply(m *Model) Settings {
	s, _ := model.Lookup(f.Models, m.FullName)
	if p := s.Price; p != nil {
		m.Priced = true
		m.Price = model.Price{Input: p.Input, Output: p.Output, CacheRead: p.CacheRead, CacheWrite: p.CacheWrite, Window: m.Price.Window}
	}
	if s.Window > 0 {
		m.Price.Window = s.Window
	}
	return s
}
