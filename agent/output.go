package agent

import (
	"strings"

	"github.com/hookline-dev/hookline/agent/model"
	"github.com/hookline-dev/hookline/hook"
)

// outputBlocks turns an output that a hook supplied into content for the model: a
// text, content blocks, an object that holds them, or the structured result of a
// built-in tool.
func outputBlocks(v hook.JSON) []model.Block {
	if text, ok := v.AsString(); ok {
		return []model.Block{model.Text(text)}
	}
	for _, candidate := range []func() (hook.JSON, bool){func() (hook.JSON, bool) { return v, true }, func() (hook.JSON, bool) { return v.Get("content") }} {
		if content, ok := candidate(); ok && strings.HasPrefix(content.Raw(), "[") {
			if blocks, err := toBlocks(content); err == nil && sendable(blocks) {
				return blocks
			}
		}
	}
	if v.Has("stdout") {
		return []model.Block{model.Text(joinLines(v.String("stdout"), v.String("stderr")))}
	}
	if file, ok := v.Get("file"); ok && file.Has("content") {
		return []model.Block{model.Text(file.String("content"))}
	}
	return []model.Block{model.Text(v.Raw())}
}

// sendable reports whether blocks can be part of a tool result. Images in the form
// of MCP servers are brought into ours.
func sendable(blocks []model.Block) bool {
	for i, b := range blocks {
		switch {
		case b.Type == model.TextBlock:
		case b.Type == model.ImageBlock && b.Source == nil && b.Data != "":
			blocks[i] = model.Block{Type: model.ImageBlock, Source: &model.Image{Type: "base64", MediaType: "image/png", Data: b.Data}}
		case (b.Type == model.ImageBlock || b.Type == model.DocumentBlock) && b.Source != nil:
		default:
			return false
		}
	}
	return true
}

func joinLines(a, b string) string {
	if a != "" && b != "" {
		return strings.TrimSuffix(a, "\n") + "\n" + b
	}
	return a + b
}
