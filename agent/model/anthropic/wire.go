package anthropic

import "github.com/go-json-experiment/json/jsontext"

// What is sent and received, as far as it is used: the Messages API's own names.

type request struct {
	Model         string        `json:"model"`
	MaxTokens     int           `json:"max_tokens"`
	System        []*block      `json:"system,omitempty"`
	Messages      []message     `json:"messages"`
	Tools         []tool        `json:"tools,omitempty"`
	ToolChoice    *toolChoice   `json:"tool_choice,omitzero"`
	StopSequences []string      `json:"stop_sequences,omitempty"`
	Thinking      *thinking     `json:"thinking,omitzero"`
	OutputConfig  *outputConfig `json:"output_config,omitzero"`
	Stream        bool          `json:"stream"`
}

type message struct {
	Role    string   `json:"role"`
	Content []*block `json:"content"`
}

// block is a content block of any type; the fields of the others are left out.
type block struct {
	Type         string         `json:"type"`
	Text         string         `json:"text,omitzero"`
	Thinking     *string        `json:"thinking,omitzero"` // may be empty, and is there then
	Signature    string         `json:"signature,omitzero"`
	Data         string         `json:"data,omitzero"`
	ID           string         `json:"id,omitzero"`
	Name         string         `json:"name,omitzero"`
	Input        jsontext.Value `json:"input,omitzero"`
	ToolUseID    string         `json:"tool_use_id,omitzero"`
	Content      []*block       `json:"content,omitempty"`
	IsError      bool           `json:"is_error,omitzero"`
	Source       *source        `json:"source,omitzero"`
	CacheControl *kind          `json:"cache_control,omitzero"`
}

type source struct {
	Type      string `json:"type"`
	MediaType string `json:"media_type,omitzero"`
	Data      string `json:"data,omitzero"`
	URL       string `json:"url,omitzero"`
}

type kind struct {
	Type string `json:"type"`
}

type tool struct {
	Name        string         `json:"name"`
	Description string         `json:"description,omitzero"`
	InputSchema jsontext.Value `json:"input_schema"`
}

type toolChoice struct {
	Type string `json:"type"`
	Name string `json:"name,omitzero"`
}

type thinking struct {
	Type   string `json:"type"`
	Budget int    `json:"budget_tokens,omitzero"`
}

type outputConfig struct {
	Effort     string      `json:"effort,omitzero"`
	TaskBudget *taskBudget `json:"task_budget,omitzero"`
}

type taskBudget struct {
	Type  string `json:"type"`
	Total int64  `json:"total"`
}

// event is an event of a stream, of any type.
type event struct {
	Type    string `json:"type"`
	Index   int    `json:"index"`
	Message struct {
		ID    string `json:"id"`
		Model string `json:"model"`
		Usage usage  `json:"usage"`
	} `json:"message"`
	ContentBlock struct {
		Type      string         `json:"type"`
		Text      string         `json:"text"`
		Thinking  string         `json:"thinking"`
		Signature string         `json:"signature"`
		Data      string         `json:"data"`
		ID        string         `json:"id"`
		Name      string         `json:"name"`
		Input     jsontext.Value `json:"input"`
	} `json:"content_block"`
	Delta struct {
		Type         string `json:"type"`
		Text         string `json:"text"`
		Thinking     string `json:"thinking"`
		Signature    string `json:"signature"`
		PartialJSON  string `json:"partial_json"`
		StopReason   string `json:"stop_reason"`
		StopSequence string `json:"stop_sequence"`
		StopDetails  struct {
			Explanation string `json:"explanation"`
		} `json:"stop_details"`
	} `json:"delta"`
	Usage usage `json:"usage"`
}

// usage are counts; nil ones are not told.
type usage struct {
	InputTokens              *int64 `json:"input_tokens"`
	OutputTokens             *int64 `json:"output_tokens"`
	CacheReadInputTokens     *int64 `json:"cache_read_input_tokens"`
	CacheCreationInputTokens *int64 `json:"cache_creation_input_tokens"`
	OutputTokensDetails      *struct {
		ThinkingTokens int64 `json:"thinking_tokens"`
	} `json:"output_tokens_details"`
}
