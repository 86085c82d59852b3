package script

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hookline-dev/hookline/agent/model"
)

// match says what a request looks like. Each pattern is a regular expression
// that must be found in its part of the request; an absent one fits all.
type match struct {
	// Model is the name of the model.
	Model *pattern `yaml:"model"`
	// System is the system prompt.
	System *pattern `yaml:"system"`
	// FirstUser and LastUser are the texts of the first and the last message
	// of the person.
	FirstUser *pattern `yaml:"first_user"`
	LastUser  *pattern `yaml:"last_user"`
	// LastToolResult is the text of the last tool result; an error result
	// begins with "error: ".
	LastToolResult *pattern `yaml:"last_tool_result"`
	// Any is all of it: the system prompt and every text of every message.
	Any *pattern `yaml:"any"`
	// Not must be found nowhere in what Any looks at.
	Not *pattern `yaml:"not"`
	// Tools must all be offered.
	Tools []string `yaml:"tools"`
	// Messages is the number of messages.
	Messages *int `yaml:"messages"`
}

// mismatch says what of a request is not as described, "" when it fits.
func (m *match) mismatch(req *model.Request) string {
	if m == nil {
		return ""
	}
	system := strings.Join(req.System, "\n\n")
	for _, c := range []struct {
		name string
		want *pattern
		got  func() string
	}{
		{"model", m.Model, func() string { return req.Model }},
		{"system", m.System, func() string { return system }},
		{"first_user", m.FirstUser, func() string { return userText(slices.Values(req.Messages)) }},
		{"last_user", m.LastUser, func() string { return userText(backward(req.Messages)) }},
		{"last_tool_result", m.LastToolResult, func() string { return lastToolResult(req.Messages) }},
		{"any", m.Any, func() string { return everything(req) }},
	} {
		if c.want == nil {
			continue
		}
		if got := c.got(); !c.want.MatchString(got) {
			return fmt.Sprintf("%s does not match %q: %s", c.name, c.want, excerpt(got))
		}
	}
	if m.Not != nil {
		if found := m.Not.FindString(everything(req)); found != "" {
			return fmt.Sprintf("it holds %s, which matches %q", excerpt(found), m.Not)
		}
	}
	for _, name := range m.Tools {
		if !slices.ContainsFunc(req.Tools, func(t model.Tool) bool { return t.Name == name }) {
			return fmt.Sprintf("the tool %s is not offered", name)
		}
	}
	if m.Messages != nil && *m.Messages != len(req.Messages) {
		return fmt.Sprintf("it has %d messages, not %d", len(req.Messages), *m.Messages)
	}
	return ""
}

func backward(msgs []model.Message) func(func(model.Message) bool) {
	return func(yield func(model.Message) bool) {
		for _, m := range slices.Backward(msgs) {
			if !yield(m) {
				return
			}
		}
	}
}

// userText returns the text of the first message in the sequence that a person
// wrote, which is one with text.
func userText(msgs func(func(model.Message) bool)) string {
	for m := range msgs {
		if text := m.Text(); m.Role == model.User && text != "" {
			return text
		}
	}
	return ""
}

func lastToolResult(msgs []model.Message) string {
	for m := range backward(msgs) {
		for _, b := range slices.Backward(m.Content) {
			if b.Type == model.ToolResultBlock {
				return resultText(b)
			}
		}
	}
	return ""
}

func resultText(b model.Block) string {
	if b.IsError {
		return "error: " + b.ResultText()
	}
	return b.ResultText()
}

func everything(req *model.Request) string {
	parts := slices.Clone(req.System)
	for _, m := range req.Messages {
		for _, b := range m.Content {
			switch b.Type {
			case model.TextBlock:
				parts = append(parts, b.Text)
			case model.ThinkingBlock:
				parts = append(parts, b.Thinking)
			case model.ToolUseBlock:
				parts = append(parts, b.Name+" "+b.InputText())
			case model.ToolResultBlock:
				parts = append(parts, resultText(b))
			}
		}
	}
	return strings.Join(parts, "\n")
}

func excerpt(s string) string {
	const limit = 200
	if r := []rune(s); len(r) > limit {
		s = string(r[:limit]) + "…"
	}
	return fmt.Sprintf("%q", s)
}
