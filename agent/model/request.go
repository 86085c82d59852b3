package model

import (
	"context"
	"iter"

	"github.com/go-json-experiment/json/jsontext"
)

// Request is one call of a model.
type Request struct {
	// Model is the provider's own name of the model.
	Model string `json:"model"`
	// System is the system prompt in pieces; a provider that caches prompts
	// marks the end of the last piece.
	System   []string  `json:"system,omitzero"`
	Messages []Message `json:"messages"`
	Tools    []Tool    `json:"tools,omitzero"`
	// ToolChoice is "" (the model decides), "any", "none", or the name of the
	// tool that must be called.
	ToolChoice string `json:"tool_choice,omitzero"`
	// MaxTokens limits the answer; 0 is the provider's default.
	MaxTokens int `json:"max_tokens,omitzero"`
	// Temperature is left out for providers that have no such setting.
	Temperature   *float64 `json:"temperature,omitzero"`
	StopSequences []string `json:"stop_sequences,omitzero"`
	// ThinkingBudget is the number of tokens the model may think with: 0 is
	// none, -1 lets the model decide.
	ThinkingBudget int `json:"thinking_budget,omitzero"`
	// Effort is the provider's own word for how hard to try, such as "low" or
	// "high"; "" is its default.
	Effort string `json:"effort,omitzero"`
	// TaskBudget is how many tokens the whole task has, which the model is told and paces
	// itself by, where its provider can; 0 says nothing.
	TaskBudget int64 `json:"task_budget,omitzero"`
	// CachePrompt asks the provider to cache the prompt up to the last message.
	CachePrompt bool `json:"cache_prompt,omitzero"`
	// Headers are sent besides the provider's own, and never in their place.
	Headers map[string]string `json:"headers,omitzero"`
}

// Tool tells a model about a tool it may call.
type Tool struct {
	Name        string `json:"name"`
	Description string `json:"description,omitzero"`
	// Schema is the JSON Schema of the input; it must describe an object.
	Schema jsontext.Value `json:"input_schema"`
}

// Provider calls models.
type Provider interface {
	// Stream sends the request and returns what comes back, event by event.
	// Nothing is sent before the sequence is ranged over; a sequence is ranged
	// over once. The last event is a Stop, or the sequence ends with an error:
	// an *APIError, or the context's. Leaving the loop early ends the call.
	//
	// Stream does not retry. It is safe for concurrent use, and keeps no
	// reference to the request after the sequence has ended.
	Stream(ctx context.Context, req *Request) iter.Seq2[Event, error]
}

// Describer is a Provider that tells what it knows of a model.
type Describer interface{ Describe(name string) Description }

// Description is what a provider knows of a model; zero is what is not known.
type Description struct {
	// API names the way in which its server is spoken to.
	API string
	// MaxTokens is how long an answer may be where a request does not say; with 0 the server
	// decides.
	MaxTokens int
	// Price is what it costs and how many tokens it takes.
	Price Price
}
