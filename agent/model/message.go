package model

import (
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Role says who wrote a message.
type Role string

// The roles. Results of tools travel in user messages.
const (
	User      Role = "user"
	Assistant Role = "assistant"
)

// BlockType tells which fields of a Block are in use.
type BlockType string

// The block types.
const (
	TextBlock             BlockType = "text"
	ThinkingBlock         BlockType = "thinking"
	RedactedThinkingBlock BlockType = "redacted_thinking"
	ToolUseBlock          BlockType = "tool_use"
	ToolResultBlock       BlockType = "tool_result"
	ImageBlock            BlockType = "image"
	// DocumentBlock is a PDF file, in the result of a tool.
	DocumentBlock BlockType = "document"
)

// Block is one piece of a message's content. Type says which of the other
// fields count. Its JSON is the shape transcripts are kept in.
type Block struct {
	Type BlockType `json:"type"`

	// Text of a text block.
	Text string `json:"text,omitzero"`

	// Thinking and Signature of a thinking block; Data of a redacted one.
	// Signature and Data go back to the provider unchanged.
	Thinking  string `json:"thinking,omitzero"`
	Signature string `json:"signature,omitzero"`
	Data      string `json:"data,omitzero"`

	// ID, Name and Input of a tool call. Input is always valid JSON: the
	// object the model wrote, with its order, numbers and escapes, or, when
	// InputError is not empty, a JSON string that holds what it wrote instead.
	// Encoding a Block drops the blanks between the tokens and nothing else.
	ID         string         `json:"id,omitzero"`
	Name       string         `json:"name,omitzero"`
	Input      jsontext.Value `json:"input,omitzero"`
	InputError string         `json:"input_error,omitzero"`

	// ToolUseID, Content and IsError of a tool result.
	ToolUseID string  `json:"tool_use_id,omitzero"`
	Content   []Block `json:"content,omitzero"`
	IsError   bool    `json:"is_error,omitzero"`
	// Details of a tool result are what its tool keeps with it. No provider gets them.
	Details jsontext.Value `json:"details,omitzero"`

	// Source of an image or a document.
	Source *Image `json:"source,omitzero"`
}

// MarshalJSONTo keeps the escapes in Input as they are.
func (b Block) MarshalJSONTo(enc *jsontext.Encoder) error {
	type plain Block
	return json.MarshalEncode(enc, plain(b), jsontext.PreserveRawStrings(true))
}

// Image is where an image's or a document's bytes come from: base64 data with a media type, or
// a URL.
type Image struct {
	Type      string `json:"type"` // "base64" or "url"
	MediaType string `json:"media_type,omitzero"`
	Data      string `json:"data,omitzero"`
	URL       string `json:"url,omitzero"`
}

// Text returns a text block.
func Text(s string) Block { return Block{Type: TextBlock, Text: s} }

// ToolUse returns a tool call with the input as the model wrote it.
func ToolUse(id, name, input string) Block {
	b := Block{Type: ToolUseBlock, ID: id, Name: name}
	b.Input, b.InputError = ParseInput(input)
	return b
}

// ToolResult returns the result of the tool call with the given id.
func ToolResult(id string, content ...Block) Block {
	return Block{Type: ToolResultBlock, ToolUseID: id, Content: content}
}

// ToolError returns the result of a tool call that failed.
func ToolError(id, why string) Block {
	return Block{Type: ToolResultBlock, ToolUseID: id, IsError: true, Content: []Block{Text(why)}}
}

// InputText returns the text the model wrote as the input of a tool call,
// whether or not it is valid JSON.
func (b Block) InputText() string {
	if b.InputError == "" {
		return string(b.Input)
	}
	return unquote(b.Input)
}

// Message is one message of a conversation.
type Message struct {
	Role    Role    `json:"role"`
	Content []Block `json:"content"`
}

// UserText returns a user message with one text block.
func UserText(s string) Message {
	return Message{Role: User, Content: []Block{Text(s)}}
}

// Text returns the message's text blocks, joined with newlines.
func (m Message) Text() string { return joinText(m.Content) }

// ToolUses returns the message's tool calls in the model's order.
func (m Message) ToolUses() []Block {
	var calls []Block
	for _, b := range m.Content {
		if b.Type == ToolUseBlock {
			calls = append(calls, b)
		}
	}
	return calls
}

// ResultText returns the text of a tool result, its text blocks joined with
// newlines.
func (b Block) ResultText() string { return joinText(b.Content) }

func joinText(blocks []Block) string {
	var parts []string
	for _, b := range blocks {
		if b.Type == TextBlock {
			parts = append(parts, b.Text)
		}
	}
	return strings.Join(parts, "\n")
}

// ObjectInput returns the input of a tool call as a JSON object, which is the
// only form that every provider takes back. Text that was not an object is put into
// one, under "invalid_input".
func (b Block) ObjectInput() jsontext.Value {
	if len(b.Input) == 0 {
		return jsontext.Value("{}")
	}
	if b.InputError == "" {
		return b.Input
	}
	return slices.Concat(jsontext.Value(`{"invalid_input":`), quote(b.InputText()), jsontext.Value("}"))
}
