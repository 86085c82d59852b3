package acpagent

import (
	"context"
	"errors"

	"github.com/hookline-dev/hookline/agent/tool"
)

// files are those that are open in the client.
type files struct{ e *editing }

var _ tool.Editor = files{}

// ReadFile asks for a text.
func (f files) ReadFile(ctx context.Context, path string) (string, error) {
	answer, err := f.e.s.ask(ctx, "fs/read_text_file", map[string]any{"sessionId": f.e.id, "path": path})
	if err != nil {
		return "", err
	}
	text, _ := answer.Get("content")
	if text, ok := text.AsString(); ok {
		return text, nil
	}
	return "", errors.New("fs/read_text_file: the answer has no content")
}

// WriteFile has a text written.
func (f files) WriteFile(ctx context.Context, path, text string) error {
	_, err := f.e.s.ask(ctx, "fs/write_text_file", map[string]any{"sessionId": f.e.id, "path": path, "content": text})
	return err
}
