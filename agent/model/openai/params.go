package openai

import (
	"errors"
	"fmt"
	"strings"

	"github.com/hookline-dev/hookline/agent/model"
)

// encode makes a request for the provider's server.
func (p *Provider) encode(req *model.Request) (*request, error) {
	r := &request{
		Model: req.Model, Messages: []message{}, Temperature: req.Temperature, Stop: req.StopSequences,
		ReasoningEffort: req.Effort, Stream: true, StreamOptions: &streamOptions{IncludeUsage: true},
	}
	if p.own {
		r.MaxCompletionTokens = req.MaxTokens
	} else {
		r.MaxTokens = req.MaxTokens
	}
	if s := strings.Join(req.System, "\n\n"); s != "" {
		r.Messages = append(r.Messages, message{Role: "system", Content: s})
	}
	for i, m := range req.Messages {
		converted, err := p.messages(m)
		if err != nil {
			return nil, fmt.Errorf("message %d: %w", i, err)
		}
		r.Messages = append(r.Messages, converted...)
	}
	for _, t := range req.Tools {
		if t.Schema.Kind() != '{' {
			return nil, fmt.Errorf("schema of tool %s is not an object", t.Name)
		}
		r.Tools = append(r.Tools, tool{Type: "function", Function: definedTool{Name: t.Name, Description: t.Description, Parameters: t.Schema}})
	}
	if len(req.Tools) > 0 {
		r.ToolChoice = choiceOf(req.ToolChoice)
	}
	return r, nil
}

func choiceOf(name string) any {
	switch name {
	case "":
		return nil
	case "any":
		return "required"
	case "none":
		return "none"
	}
	c := &chosenTool{Type: "function"}
	c.Function.Name = name
	return c
}

// messages converts one message into the several that the API needs: each tool
// result is a message of its own, before what the person says.
func (p *Provider) messages(m model.Message) ([]message, error) {
	if m.Role == model.Assistant {
		return assistant(m)
	}
	var out []message
	var parts []part
	for _, b := range m.Content {
		switch b.Type {
		case model.TextBlock:
			if b.Text != "" {
				parts = append(parts, text(b.Text))
			}
		case model.ImageBlock:
			img, err := image(b)
			if err != nil {
				return nil, err
			}
			parts = append(parts, img)
		case model.ToolResultBlock:
			beside, err := p.moved(b)
			if err != nil {
				return nil, err
			}
			out = append(out, message{Role: "tool", Content: p.resultText(b), ToolCallID: b.ToolUseID})
			parts = append(parts, beside...)
		default:
			return nil, fmt.Errorf("a user message can not hold a %s block", b.Type)
		}
	}
	switch {
	case len(parts) == 1 && parts[0].Type == "text": // what every server understands
		out = append(out, message{Role: "user", Content: parts[0].Text})
	case len(parts) > 0:
		out = append(out, message{Role: "user", Content: parts})
	}
	return out, nil
}

func text(s string) part { return part{Type: "text", Text: s} }

// resultText says that a result is an error, since the API has no field for it.
func (p *Provider) resultText(b model.Block) string {
	text := b.ResultText()
	for _, c := range b.Content {
		if c.Type == model.DocumentBlock && !p.takesFile(c) {
			text += "(a PDF document, which this model cannot be shown: turn it into text with a command)"
		}
	}
	if b.IsError && !strings.HasPrefix(strings.ToLower(text), "error") {
		return "Error: " + text
	}
	return text
}

// takesFile reports whether the server takes a document as a file.
func (p *Provider) takesFile(b model.Block) bool {
	return p.own && b.Source != nil && b.Source.Data != ""
}

// moved are the images and files of a result, which go into the user message that follows,
// because a tool message holds text only.
func (p *Provider) moved(b model.Block) ([]part, error) {
	var parts []part
	for _, c := range b.Content {
		switch {
		case c.Type == model.ImageBlock:
			img, err := image(c)
			if err != nil {
				return nil, err
			}
			parts = append(parts, text("Image from the result of "+b.ToolUseID+":"), img)
		case c.Type == model.DocumentBlock && p.takesFile(c):
			parts = append(parts, text("Document from the result of "+b.ToolUseID+":"), part{
				Type: "file", File: &file{Name: "document.pdf", Data: "data:" + c.Source.MediaType + ";base64," + c.Source.Data},
			})
		}
	}
	return parts, nil
}

func assistant(m model.Message) ([]message, error) {
	out := message{Role: "assistant"}
	var said []string
	for _, b := range m.Content {
		switch b.Type {
		case model.TextBlock:
			said = append(said, b.Text)
		case model.ThinkingBlock, model.RedactedThinkingBlock: // not part of the API
		case model.ToolUseBlock:
			c := toolCall{ID: b.ID, Type: "function"}
			c.Function.Name, c.Function.Arguments = b.Name, string(b.ObjectInput())
			out.ToolCalls = append(out.ToolCalls, c)
		default:
			return nil, fmt.Errorf("an assistant message can not hold a %s block", b.Type)
		}
	}
	if s := strings.Join(said, "\n"); s != "" {
		out.Content = s
	}
	if out.Content == nil && len(out.ToolCalls) == 0 {
		return nil, nil
	}
	return []message{out}, nil
}

func image(b model.Block) (part, error) {
	if b.Source == nil {
		return part{}, errors.New("image without a source")
	}
	url := b.Source.URL
	if url == "" {
		url = "data:" + b.Source.MediaType + ";base64," + b.Source.Data
	}
	return part{Type: "image_url", ImageURL: &link{URL: url}}, nil
}
