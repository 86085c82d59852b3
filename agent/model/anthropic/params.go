package anthropic

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/hookline-dev/hookline/agent/model"
)

// defaultMaxTokens limits an answer when the request does not; the oldest
// models still served allow less.
func defaultMaxTokens(name string) int {
	if strings.HasPrefix(name, "claude-3-") {
		return 4096
	}
	return 16_000
}

func encode(req *model.Request) (*request, error) {
	r := &request{
		Model: req.Model, MaxTokens: req.MaxTokens, Messages: []message{},
		StopSequences: req.StopSequences, Stream: true,
	}
	if r.MaxTokens == 0 {
		r.MaxTokens = defaultMaxTokens(req.Model)
	}
	for _, s := range req.System {
		if s != "" {
			r.System = append(r.System, text(s))
		}
	}
	for i, m := range req.Messages {
		blocks, err := content(m)
		if err != nil {
			return nil, fmt.Errorf("message %d: %w", i, err)
		}
		if len(blocks) == 0 {
			continue
		}
		role := model.User
		if m.Role == model.Assistant {
			role = model.Assistant
		}
		r.Messages = append(r.Messages, message{Role: string(role), Content: blocks})
	}
	for _, t := range req.Tools {
		r.Tools = append(r.Tools, tool{Name: t.Name, Description: t.Description, InputSchema: t.Schema})
	}
	extras(r, req)
	if req.CachePrompt {
		markCache(r)
	}
	return r, nil
}

func extras(r *request, req *model.Request) {
	switch {
	case req.ThinkingBudget < 0:
		r.Thinking = &thinking{Type: "adaptive"}
	case req.ThinkingBudget > 0:
		r.Thinking = &thinking{Type: "enabled", Budget: req.ThinkingBudget}
		if r.MaxTokens <= req.ThinkingBudget {
			r.MaxTokens += req.ThinkingBudget
		}
	}
	if req.Effort != "" || req.TaskBudget > 0 {
		r.OutputConfig = &outputConfig{Effort: req.Effort}
	}
	if req.TaskBudget > 0 {
		r.OutputConfig.TaskBudget = &taskBudget{Type: "tokens", Total: req.TaskBudget}
	}
	if len(req.Tools) == 0 {
		return
	}
	switch req.ToolChoice {
	case "":
	case "any", "none":
		r.ToolChoice = &toolChoice{Type: req.ToolChoice}
	default:
		r.ToolChoice = &toolChoice{Type: "tool", Name: req.ToolChoice}
	}
}

// markCache puts the two marks that keep the prompt cached: after the tools and
// the system prompt, and after the last message.
func markCache(r *request) {
	mark := &kind{Type: "ephemeral"}
	if n := len(r.System); n > 0 {
		r.System[n-1].CacheControl = mark
	}
	if len(r.Messages) == 0 {
		return
	}
	last := r.Messages[len(r.Messages)-1]
	if last.Role == string(model.User) {
		last.Content[len(last.Content)-1].CacheControl = mark
	}
}

func text(s string) *block { return &block{Type: "text", Text: s} }

// content converts the blocks of a message. Results of tools go first, as the
// API wants them; empty texts and thinking without a signature, which it
// refuses, are left out.
func content(m model.Message) ([]*block, error) {
	var results, rest []*block
	for _, b := range m.Content {
		switch b.Type {
		case model.TextBlock:
			if strings.TrimSpace(b.Text) != "" {
				rest = append(rest, text(b.Text))
			}
		case model.ThinkingBlock:
			if b.Signature != "" {
				rest = append(rest, &block{Type: "thinking", Thinking: &b.Thinking, Signature: b.Signature})
			}
		case model.RedactedThinkingBlock:
			rest = append(rest, &block{Type: "redacted_thinking", Data: b.Data})
		case model.ToolUseBlock:
			rest = append(rest, &block{Type: "tool_use", ID: b.ID, Name: b.Name, Input: b.ObjectInput()})
		case model.ToolResultBlock:
			r, err := toolResult(b)
			if err != nil {
				return nil, err
			}
			results = append(results, r)
		case model.ImageBlock:
			img, err := image(b)
			if err != nil {
				return nil, err
			}
			rest = append(rest, img)
		default:
			return nil, fmt.Errorf("block of unknown type %q", b.Type)
		}
	}
	return slices.Concat(results, rest), nil
}

func toolResult(b model.Block) (*block, error) {
	r := &block{Type: "tool_result", ToolUseID: b.ToolUseID, IsError: b.IsError}
	for _, c := range b.Content {
		switch c.Type {
		case model.TextBlock:
			if c.Text != "" {
				r.Content = append(r.Content, text(c.Text))
			}
		case model.ImageBlock:
			img, err := image(c)
			if err != nil {
				return nil, err
			}
			r.Content = append(r.Content, img)
		case model.DocumentBlock:
			if c.Source == nil {
				return nil, errors.New("document without a source")
			}
			r.Content = append(r.Content, &block{Type: "document", Source: &source{Type: "base64", MediaType: "application/pdf", Data: c.Source.Data}})
		default:
			return nil, fmt.Errorf("a tool result can not hold a %s block", c.Type)
		}
	}
	return r, nil
}

func image(b model.Block) (*block, error) {
	if b.Source == nil {
		return nil, errors.New("image without a source")
	}
	if b.Source.URL != "" {
		return &block{Type: "image", Source: &source{Type: "url", URL: b.Source.URL}}, nil
	}
	return &block{Type: "image", Source: &source{Type: "base64", MediaType: b.Source.MediaType, Data: b.Source.Data}}, nil
}
