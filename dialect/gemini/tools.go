package gemini

import (
	"strings"

	"github.com/hookline-dev/hookline/dialect/internal/foreign"
	"github.com/hookline-dev/hookline/dialect/vocab"
	"github.com/hookline-dev/hookline/hook"
)

// tools are a vocabulary, and the tools of MCP servers, of which the name alone does not
// say where the server's ends.
type tools struct{ vocab.Vocabulary }

// Out writes a tool's name and input as the host has them.
func (t tools) Out(name string, input hook.JSON) (string, hook.JSON) {
	if rest, ok := strings.CutPrefix(name, "mcp__"); ok {
		if server, tool, ok := strings.Cut(rest, "__"); ok {
			return "mcp_" + server + "_" + tool, input
		}
	}
	return t.Vocabulary.Out(name, input)
}

// server is the canonical name of an MCP server's tool, by what the payload says of both.
func server(p hook.JSON) string {
	c, _ := p.Get("mcp_context")
	if s, tool := c.String("server_name"), c.String("tool_name"); s != "" && tool != "" {
		return "mcp__" + s + "__" + tool
	}
	return ""
}

// resultOut writes what a tool returned as what the model reads of it.
func resultOut(tool string, response hook.JSON) hook.JSON {
	if response.Has("llmContent") {
		return response
	}
	out := hook.RawJSON(`{"llmContent":"","returnDisplay":""}`)
	_ = out.Set("llmContent", foreign.Text(tool, response)) // an object of our own
	return out
}

// resultIn reads what the model reads of a result. What is more than text stays as it is.
func resultIn(tool string, response hook.JSON) hook.JSON {
	text, ok := response.Get("llmContent")
	if _, isText := text.AsString(); !ok || !isText {
		return response
	}
	return foreign.Printed(tool, text)
}

// errorIn is the message of a failed call, and errorOut a result with one.
func errorIn(response hook.JSON) hook.JSON {
	e, _ := response.Get("error")
	if m, ok := e.Get("message"); ok {
		return m
	}
	if _, ok := e.AsString(); ok {
		return e
	}
	return hook.MustJSON(e.Raw())
}

func errorOut(message hook.JSON) hook.JSON {
	out := hook.RawJSON(`{"llmContent":"","returnDisplay":"","error":{}}`)
	_ = out.Set("llmContent", message)
	_ = out.Set("error", map[string]hook.JSON{"message": message})
	return out
}
