package modulehost

import (
	"context"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/hookline-dev/hookline/agent/model"
	"github.com/hookline-dev/hookline/agent/tool"
	"github.com/hookline-dev/hookline/handler/script"
	"github.com/hookline-dev/hookline/hook"
)

// renderer draws the calls of a module's tools. A *script.Module is one.
type renderer interface {
	RenderTool(ctx context.Context, name string, d script.ToolDrawing, width int) ([]string, error)
}

var (
	_ renderer   = (*script.Module)(nil)
	_ tool.Drawn = (*moduleTool)(nil)
)

// Draws reports whether the module draws calls of the tool.
func (t *moduleTool) Draws() bool {
	_, ok := t.m.(renderer)
	return ok && (t.info.RendersCall || t.info.RendersResult)
}

// Draw has the module draw a call, in its own vocabulary.
func (t *moduleTool) Draw(ctx context.Context, d tool.Drawing) (call, result []string, err error) {
	m := t.m.(renderer)
	input := hook.RawJSON(d.Call.Input)
	for _, f := range t.fields {
		input.Rename(f[0], f[1])
	}
	part := script.ToolDrawing{CallID: d.Call.ID, Part: "call", Input: jsontext.Value(input.Raw()), Expanded: d.Expanded, Partial: d.Result == nil}
	if t.info.RendersCall {
		if call, err = m.RenderTool(ctx, t.info.Name, part, d.Width); err != nil {
			return nil, nil, err
		}
	}
	if !t.info.RendersResult || d.Result == nil && d.Progress == "" {
		return call, nil, nil
	}
	part.Part = "result"
	if part.Result, err = resultFor(d); err != nil {
		return nil, nil, err
	}
	part.IsError = d.Result != nil && d.Result.IsError
	result, err = m.RenderTool(ctx, t.info.Name, part, d.Width)
	return call, result, err
}

// resultFor is what came of a call so far, as the module's tool returned it.
func resultFor(d tool.Drawing) (jsontext.Value, error) {
	content, details := []model.Block{model.Text(d.Progress)}, jsontext.Value(nil)
	if d.Result != nil {
		content, details = d.Result.Content, d.Result.Details
	}
	out := map[string]any{"content": content}
	if details != nil {
		out["details"] = details
	}
	return encode(out)
}
