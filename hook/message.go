package hook

import "github.com/go-json-experiment/json/jsontext"

// Message is one message of the conversation. Content is a string or an array of
// content blocks, raw; members beyond role and content are kept as they are.
type Message struct {
	Role    string         `json:"role"`
	Content JSON           `json:"content,omitzero"`
	Extra   jsontext.Value `json:",embed"`
}

// UserMessage returns a message of role user with a text.
func UserMessage(text string) Message { return Message{Role: "user", Content: MustJSON(text)} }

// Text returns the message's text: its content when that is a string, otherwise
// the text blocks joined by line breaks.
func (m Message) Text() string {
	if s, ok := m.Content.AsString(); ok {
		return s
	}
	var blocks []struct {
		Type string         `json:"type"`
		Text string         `json:"text"`
		Rest jsontext.Value `json:",embed"`
	}
	if m.Content.Decode(&blocks) != nil {
		return ""
	}
	out := ""
	for _, b := range blocks {
		if b.Type == "text" {
			if out != "" {
				out += "\n"
			}
			out += b.Text
		}
	}
	return out
}

// Session is the live session that a host may offer to in-process hooks through
// Common.Session. Implementations are safe for concurrent use.
type Session interface {
	// ID returns the session's id.
	ID() string
	// Turn returns the number of the current turn, from 1; 0 before the first.
	Turn() int
	// Messages returns a copy of the message history.
	Messages() []Message
	// SetMessages replaces the message history.
	SetMessages([]Message) error
	// Metadata returns the value stored under a key.
	Metadata(key string) (value any, ok bool)
	// SetMetadata stores a value under a key for the life of the session.
	SetMetadata(key string, value any)
}
