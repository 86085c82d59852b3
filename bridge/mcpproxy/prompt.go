package mcpproxy

import (
	"cmp"
	"strings"

	"github.com/hookline-dev/hookline/bridge/jsonrpc"
	"github.com/hookline-dev/hookline/hook"
)

// promptGuard shows hooks a prompt of the server when it is there.
var promptGuard = guard{
	before: func(*proxy, *call) []byte { return nil },
	after:  afterPrompt,
}

func afterPrompt(p *proxy, c *call, m *jsonrpc.Message) []byte {
	if m.Failed {
		return m.Raw
	}
	result := m.Content()
	var messages []hook.JSON
	list, _ := result.Get("messages")
	if err := list.Decode(&messages); err != nil {
		return jsonrpc.Failure(c.request.RawID, jsonrpc.CodeRefused, "hookline: the prompt has no messages that hooks could see")
	}
	var texts []string
	for _, msg := range messages {
		content, _ := msg.Get("content")
		texts = append(texts, content.String("text"))
	}
	args, _ := c.params.Get("arguments")
	out, err := p.fire(p.ctx, &hook.UserPromptExpansion{
		Common: p.Common, ExpansionType: "mcp_prompt", CommandName: p.ToolName(c.params.String("name")), CommandArgs: args.Raw(),
		CommandSource: p.Server, Prompt: strings.Join(texts, "\n"),
	})
	switch {
	case err != nil:
		return jsonrpc.Failure(c.request.RawID, jsonrpc.CodeRefused, "the hooks that guard prompts could not be asked: "+err.Error())
	case out.Blocked() || out.Halt:
		return jsonrpc.Failure(c.request.RawID, jsonrpc.CodeRefused, cmp.Or(out.Reason, out.StopReason, "a hook refused the prompt"))
	case len(out.Context) == 0:
		return m.Raw
	}
	for _, text := range out.Context {
		messages = append(messages, hook.MustJSON(map[string]any{"role": "user", "content": textBlock(text)}))
	}
	if err := result.Set("messages", messages); err != nil {
		return jsonrpc.Failure(c.request.RawID, jsonrpc.CodeRefused, "hookline: the prompt cannot be put together: "+err.Error())
	}
	return m.With(result)
}
