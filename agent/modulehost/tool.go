package modulehost

import (
	"context"
	"fmt"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/hookline-dev/hookline/agent/model"
	"github.com/hookline-dev/hookline/agent/tool"
	"github.com/hookline-dev/hookline/handler/script"
	"github.com/hookline-dev/hookline/hook"
)

// Runner runs the tools of a module. A *script.Module is one.
type Runner interface {
	RunTool(ctx context.Context, name, toolCallID string, input []byte, onUpdate func([]byte)) ([]byte, error)
}

// NewTool returns a tool of a module as the agent's.
func NewTool(m Runner, info script.ToolInfo) tool.Tool { return &moduleTool{m, info} }

type moduleTool struct {
	m    Runner
	info script.ToolInfo
}

func (t *moduleTool) Name() string { return t.info.Name }

func (t *moduleTool) Description() string {
	return strings.TrimSpace(strings.Join(append([]string{t.info.Description, t.info.PromptSnippet}, t.info.PromptGuidelines...), "\n"))
}

func (t *moduleTool) Schema() jsontext.Value {
	if len(t.info.Parameters) == 0 {
		return jsontext.Value(`{"type":"object"}`)
	}
	return jsontext.Value(t.info.Parameters)
}

func (t *moduleTool) ReadOnly() bool { return false }

// Run runs the tool: its content is for the model, all of it for hooks.
func (t *moduleTool) Run(ctx context.Context, in tool.Input) (tool.Result, error) {
	if err := tool.Check(t, in.JSON); err != nil {
		return tool.Result{}, err
	}
	var onUpdate func([]byte)
	if in.Progress != nil {
		onUpdate = func(partial []byte) { in.Progress(textOf(hook.RawJSON(partial))) }
	}
	raw, err := t.m.RunTool(ctx, t.info.Name, in.ID, in.JSON, onUpdate)
	if err != nil {
		return tool.Result{}, err
	}
	result := hook.RawJSON(raw)
	text := textOf(result)
	out := tool.Result{Content: []model.Block{model.Text(text)}, Response: jsontext.Value(raw)}
	if result.Bool("isError") {
		return tool.Result{Response: out.Response}, fmt.Errorf("%s", text)
	}
	return out, nil
}

// textOf is the text of a module's result.
func textOf(result hook.JSON) string {
	content, ok := result.Get("content")
	if !ok {
		content = result
	}
	if s := (hook.Message{Content: content}).Text(); s != "" {
		return s
	}
	return content.Raw()
}
