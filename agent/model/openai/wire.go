package openai

import (
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/hookline-dev/hookline/agent/model/internal/wire"
)

// What is sent and received, as far as it is used: the names of the chat completions API.

type request struct {
	Model               string         `json:"model"`
	Messages            []message      `json:"messages"`
	Tools               []tool         `json:"tools,omitempty"`
	ToolChoice          any            `json:"tool_choice,omitzero"` // a word or a *chosenTool
	MaxTokens           int            `json:"max_tokens,omitzero"`
	MaxCompletionTokens int            `json:"max_completion_tokens,omitzero"`
	Temperature         *float64       `json:"temperature,omitzero"`
	Stop                []string       `json:"stop,omitempty"`
	ReasoningEffort     string         `json:"reasoning_effort,omitzero"`
	Stream              bool           `json:"stream"`
	StreamOptions       *streamOptions `json:"stream_options"`
}

type streamOptions struct {
	IncludeUsage bool `json:"include_usage"`
}

// message is a message of any role.
type message struct {
	Role       string     `json:"role"`
	Content    any        `json:"content,omitzero"` // text or a []part
	ToolCalls  []toolCall `json:"tool_calls,omitempty"`
	ToolCallID string     `json:"tool_call_id,omitzero"`
}

// part is a piece of a user message: a text, an image or a file.
type part struct {
	Type     string `json:"type"`
	Text     string `json:"text,omitzero"`
	ImageURL *link  `json:"image_url,omitzero"`
	File     *file  `json:"file,omitzero"`
}

type link struct {
	URL string `json:"url"`
}

type file struct {
	Data string `json:"file_data"`
	Name string `json:"filename"`
}

type tool struct {
	Type     string      `json:"type"`
	Function definedTool `json:"function"`
}

type definedTool struct {
	Name        string         `json:"name"`
	Description string         `json:"description,omitzero"`
	Parameters  jsontext.Value `json:"parameters"`
}

type chosenTool struct {
	Type     string `json:"type"`
	Function struct {
		Name string `json:"name"`
	} `json:"function"`
}

type toolCall struct {
	ID       string `json:"id"`
	Type     string `json:"type"`
	Function struct {
		Name      string `json:"name"`
		Arguments string `json:"arguments"`
	} `json:"function"`
}

// chunk is an event of a stream.
type chunk struct {
	ID      string         `json:"id"`
	Model   string         `json:"model"`
	Choices []choice       `json:"choices"`
	Usage   *usage         `json:"usage"`
	Error   jsontext.Value `json:"error"`
}

type choice struct {
	Index        int    `json:"index"`
	FinishReason string `json:"finish_reason"`
	Delta        delta  `json:"delta"`
}

type delta struct {
	Content   words       `json:"content"`
	Refusal   words       `json:"refusal"`
	ToolCalls []callDelta `json:"tool_calls"`
	// Where servers put reasoning; the API itself has none.
	ReasoningContent words `json:"reasoning_content"`
	Reasoning        words `json:"reasoning"`
}

// words is text, where servers that speak like the API sometimes have something else, which
// is not read.
type words string

func (w *words) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	v, err := dec.ReadValue()
	if err != nil {
		return err
	}
	*w = ""
	if v.Kind() == '"' {
		return json.Unmarshal(v, (*string)(w), wire.Lenient)
	}
	return nil
}

type callDelta struct {
	Index    int    `json:"index"`
	ID       string `json:"id"`
	Function struct {
		Name      string `json:"name"`
		Arguments string `json:"arguments"`
	} `json:"function"`
}

type usage struct {
	PromptTokens        int64 `json:"prompt_tokens"`
	CompletionTokens    int64 `json:"completion_tokens"`
	PromptTokensDetails struct {
		CachedTokens int64 `json:"cached_tokens"`
	} `json:"prompt_tokens_details"`
	CompletionTokensDetails struct {
		ReasoningTokens int64 `json:"reasoning_tokens"`
	} `json:"completion_tokens_details"`
}
