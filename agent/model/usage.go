package model

import "strings"

// Usage counts tokens. InputTokens leaves out those read from or written to
// the provider's prompt cache; OutputTokens includes ThinkingTokens.
type Usage struct {
	InputTokens      int64 `json:"input_tokens"`
	OutputTokens     int64 `json:"output_tokens"`
	CacheReadTokens  int64 `json:"cache_read_input_tokens,omitzero"`
	CacheWriteTokens int64 `json:"cache_creation_input_tokens,omitzero"`
	ThinkingTokens   int64 `json:"thinking_tokens,omitzero"`
}

// Add returns the sum of two usages.
func (u Usage) Add(v Usage) Usage {
	return Usage{
		InputTokens:      u.InputTokens + v.InputTokens,
		OutputTokens:     u.OutputTokens + v.OutputTokens,
		CacheReadTokens:  u.CacheReadTokens + v.CacheReadTokens,
		CacheWriteTokens: u.CacheWriteTokens + v.CacheWriteTokens,
		ThinkingTokens:   u.ThinkingTokens + v.ThinkingTokens,
	}
}

// Context returns how many tokens of the model's window the call filled.
func (u Usage) Context() int64 {
	return u.InputTokens + u.CacheReadTokens + u.CacheWriteTokens + u.OutputTokens
}

// Price is what a model costs, in US dollars for a million tokens, and how many
// tokens fit in its window (0: not known).
type Price struct {
	Input      float64 `json:"input"`
	Output     float64 `json:"output"`
	CacheRead  float64 `json:"cache_read,omitzero"`
	CacheWrite float64 `json:"cache_write,omitzero"`
	Window     int64   `json:"window,omitzero"`
}

// Cost is what a usage costs in US dollars, in its parts.
type Cost struct {
	Input      float64 `json:"input"`
	Output     float64 `json:"output"`
	CacheRead  float64 `json:"cache_read,omitzero"`
	CacheWrite float64 `json:"cache_write,omitzero"`
}

// Parts returns the price of a usage in its parts.
func (p Price) Parts(u Usage) Cost {
	const million = 1e6
	return Cost{
		Input: float64(u.InputTokens) * p.Input / million, Output: float64(u.OutputTokens) * p.Output / million,
		CacheRead: float64(u.CacheReadTokens) * p.CacheRead / million, CacheWrite: float64(u.CacheWriteTokens) * p.CacheWrite / million,
	}
}

// Cost returns the price of a usage in US dollars.
func (p Price) Cost(u Usage) float64 {
	c := p.Parts(u)
	return c.Input + c.Output + c.CacheRead + c.CacheWrite
}

// Prices maps "provider/model" names to prices. A name finds the entry of the
// same model without its date, "-latest" or ":tag"; an entry that ends in a
// slash stands for all the models of a provider.
type Prices map[string]Price

// Lookup returns the price of a model; ok is false when it is not known.
func (p Prices) Lookup(name string) (price Price, ok bool) { return Lookup(p, name) }

// Lookup finds the entry of a model in a map by names, as in [Prices].
func Lookup[T any](m map[string]T, name string) (found T, ok bool) {
	best := -1
	for entry, v := range m {
		if len(entry) > best && entryCovers(entry, name) {
			found, ok, best = v, true, len(entry)
		}
	}
	return found, ok
}

func entryCovers(entry, name string) bool {
	rest, found := strings.CutPrefix(name, entry)
	switch {
	case !found:
		return false
	case rest == "", rest == "-latest", rest[0] == ':', strings.HasSuffix(entry, "/"):
		return true
	}
	// A date, as in "-20250929" or "-2025-08-07".
	digits := strings.ReplaceAll(rest, "-", "")
	return rest[0] == '-' && len(digits) == 8 && strings.Trim(digits, "0123456789") == ""
}

// DefaultPrices returns list prices of a few common models. Prices change:
// whoever needs exact figures puts their own in the place of these.
func DefaultPrices() Prices {
	return Prices{
		"anthropic/claude-opus-4":      {Input: 15, Output: 75, CacheRead: 1.5, CacheWrite: 18.75, Window: 200_000},
		"anthropic/claude-opus-4-1":    {Input: 15, Output: 75, CacheRead: 1.5, CacheWrite: 18.75, Window: 200_000},
		"anthropic/claude-opus-4-5":    {Input: 5, Output: 25, CacheRead: 0.5, CacheWrite: 6.25, Window: 200_000},
		"anthropic/claude-sonnet-4":    {Input: 3, Output: 15, CacheRead: 0.3, CacheWrite: 3.75, Window: 200_000},
		"anthropic/claude-sonnet-4-5":  {Input: 3, Output: 15, CacheRead: 0.3, CacheWrite: 3.75, Window: 200_000},
		"anthropic/claude-haiku-4-5":   {Input: 1, Output: 5, CacheRead: 0.1, CacheWrite: 1.25, Window: 200_000},
		"openai/gpt-5":                 {Input: 1.25, Output: 10, CacheRead: 0.125, Window: 400_000},
		"openai/gpt-5-mini":            {Input: 0.25, Output: 2, CacheRead: 0.025, Window: 400_000},
		"openai/gpt-5-nano":            {Input: 0.05, Output: 0.4, CacheRead: 0.005, Window: 400_000},
		"openai/gpt-4.1":               {Input: 2, Output: 8, CacheRead: 0.5, Window: 1_047_576},
		"openai/gpt-4.1-mini":          {Input: 0.4, Output: 1.6, CacheRead: 0.1, Window: 1_047_576},
		"openai/gpt-4o":                {Input: 2.5, Output: 10, CacheRead: 1.25, Window: 128_000},
		"openai/gpt-4o-mini":           {Input: 0.15, Output: 0.6, CacheRead: 0.075, Window: 128_000},
		"google/gemini-2.5-pro":        {Input: 1.25, Output: 10, CacheRead: 0.31, Window: 1_048_576},
		"google/gemini-2.5-flash":      {Input: 0.3, Output: 2.5, CacheRead: 0.075, Window: 1_048_576},
		"google/gemini-2.5-flash-lite": {Input: 0.1, Output: 0.4, CacheRead: 0.025, Window: 1_048_576},
		"script":                       {},
		"ollama/":                      {},
	}
}
