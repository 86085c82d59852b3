package mcp

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	stdjson "encoding/json" // the SDK passes raw values of this type through
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/hookline-dev/hookline/agent/model"
	"github.com/hookline-dev/hookline/agent/tool"
	"github.com/hookline-dev/hookline/hook"
)

const (
	maxToolName    = 64 // what all providers take
	maxDescription = 4096
)

// ToolName returns the name under which a server's tool is offered to models:
// mcp__server__tool, with "_" for characters that providers refuse. A name that
// would be too long ends in a digest.
func ToolName(server, name string) string {
	full := "mcp__" + toolPart(server) + "__" + toolPart(name)
	if len(full) <= maxToolName {
		return full
	}
	sum := sha256.Sum256([]byte(server + "\x00" + name))
	return full[:maxToolName-9] + "_" + hex.EncodeToString(sum[:4])
}

func toolPart(s string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_' || r == '-' {
			return r
		}
		return '_'
	}, s)
}

// mcpTool is a tool of a server.
type mcpTool struct {
	conn        *conn
	name, full  string
	description string
	schema      jsontext.Value
	readOnly    bool
	validator   *tool.Validator // nil when the schema can not be compiled
}

var (
	_ tool.Tool    = (*mcpTool)(nil)
	_ tool.Checker = (*mcpTool)(nil)
)

func (c *conn) newTool(t *sdk.Tool) (*mcpTool, error) {
	schema, err := json.Marshal(t.InputSchema, json.Deterministic(true))
	if err != nil {
		return nil, fmt.Errorf("schema of %s: %w", t.Name, err)
	}
	if jsontext.Value(schema).Kind() != '{' {
		schema = []byte(`{"type":"object"}`)
	}
	mt := &mcpTool{
		conn: c, name: t.Name, full: ToolName(c.server.Name, t.Name), schema: schema,
		description: t.Description, readOnly: c.opts.TrustHints && t.Annotations != nil && t.Annotations.ReadOnlyHint,
	}
	if len(mt.description) > maxDescription {
		mt.description = strings.ToValidUTF8(mt.description[:maxDescription], "") + "…"
	}
	if v, err := tool.NewValidator(mt.full, schema); err == nil {
		mt.validator = v
	}
	return mt, nil
}

func (t *mcpTool) Name() string           { return t.full }
func (t *mcpTool) Description() string    { return t.description }
func (t *mcpTool) Schema() jsontext.Value { return t.schema.Clone() }
func (t *mcpTool) ReadOnly() bool         { return t.readOnly }

var _ tool.OfServer = (*mcpTool)(nil)

// Server says to hooks whose tool it is.
func (t *mcpTool) Server() *hook.MCPServer {
	return &hook.MCPServer{Name: t.conn.server.Name, Source: t.conn.server.Source}
}

// Check leaves the judgement to the server when its schema is beyond us.
func (t *mcpTool) Check(input jsontext.Value) error {
	if t.validator != nil {
		return t.validator.Check(input)
	}
	if _, problem := model.ParseInput(string(input)); problem != "" {
		return &tool.InputError{Tool: t.full, Problems: []string{problem}}
	}
	return nil
}

func (t *mcpTool) Run(ctx context.Context, in tool.Input) (tool.Result, error) {
	if err := t.Check(in.JSON); err != nil {
		return tool.Result{}, err
	}
	return t.conn.call(ctx, t.name, in.JSON)
}

// ToolError is what a tool reported as its error.
type ToolError struct {
	Tool string
	Text string
}

// Error returns the tool's words.
func (e *ToolError) Error() string {
	if e.Text == "" {
		return e.Tool + " failed without a message"
	}
	return e.Text
}

// response is what hooks see of a result.
type response struct {
	Content           []stdjson.RawMessage `json:"content"`
	StructuredContent any                  `json:"structuredContent,omitempty"`
	IsError           bool                 `json:"isError,omitempty"`
}

// call calls a tool. What a server that was started does meanwhile is looked after.
func (c *conn) call(ctx context.Context, name string, input jsontext.Value) (tool.Result, error) {
	if c.opts.Around == nil || c.server.Type != "stdio" {
		return c.ask(ctx, name, input)
	}
	over, err := c.opts.Around()
	if err != nil {
		return tool.Result{}, err
	}
	res, err := c.ask(ctx, name, input)
	note := over()
	switch {
	case note == "":
	case err != nil:
		err = fmt.Errorf("%w\n%s", err, note)
	default:
		res.Content = append(res.Content, model.Text(note))
	}
	return res, err
}

func (c *conn) ask(ctx context.Context, name string, input jsontext.Value) (tool.Result, error) {
	l, err := c.ready(ctx)
	if err != nil {
		return tool.Result{}, fmt.Errorf("MCP server %q is not connected: %w", c.server.Name, err)
	}
	callCtx, cancel := context.WithTimeout(ctx, c.opts.CallTimeout)
	defer cancel()
	var res *sdk.CallToolResult
	answer := make(chan *sdk.CallToolResult, 1)
	err = l.do(callCtx, func(ctx context.Context) error {
		r, err := l.session.CallTool(ctx, &sdk.CallToolParams{Name: name, Arguments: stdjson.RawMessage(input)})
		answer <- r
		return err
	})
	switch {
	case err == nil:
		res = <-answer
	case ctx.Err() != nil:
		return tool.Result{}, fmt.Errorf("MCP server %q: %w", c.server.Name, ctx.Err())
	case callCtx.Err() != nil:
		return tool.Result{}, fmt.Errorf("MCP server %q did not answer within %s", c.server.Name, c.opts.CallTimeout)
	default:
		return tool.Result{}, fmt.Errorf("MCP server %q: %w", c.server.Name, l.explain(err))
	}
	return c.result(name, res)
}

// result turns a server's answer into ours.
func (c *conn) result(name string, r *sdk.CallToolResult) (tool.Result, error) {
	var out tool.Result
	if r.NeedsInput() {
		return out, fmt.Errorf("MCP server %q: %s asks for something that nobody can answer", c.server.Name, name)
	}
	resp := response{Content: []stdjson.RawMessage{}, StructuredContent: r.StructuredContent, IsError: r.IsError}
	var texts []string
	for _, item := range r.Content {
		raw, err := item.MarshalJSON()
		if err != nil {
			return out, fmt.Errorf("MCP server %q: content of %s: %w", c.server.Name, name, err)
		}
		resp.Content = append(resp.Content, raw)
		if img, ok := item.(*sdk.ImageContent); ok {
			out.Content = append(out.Content, imageBlock(img))
			continue
		}
		texts = append(texts, contentText(item))
	}
	if len(r.Content) == 0 && r.StructuredContent != nil {
		data, err := stdjson.Marshal(r.StructuredContent)
		if err != nil {
			return out, fmt.Errorf("MCP server %q: result of %s: %w", c.server.Name, name, err)
		}
		texts = append(texts, string(data))
	}
	text, _, err := tool.Shorten(strings.Join(texts, "\n"), c.opts.OutputDir, "mcp")
	if err != nil {
		return out, err
	}
	data, err := stdjson.Marshal(resp)
	if err != nil {
		return out, fmt.Errorf("MCP server %q: result of %s: %w", c.server.Name, name, err)
	}
	out.Response = data
	if r.IsError {
		return tool.Result{Response: data}, &ToolError{Tool: ToolName(c.server.Name, name), Text: text}
	}
	if whole := strings.Join(texts, "\n"); text != whole || len(texts) == 0 {
		texts = []string{text}
	}
	if text != "" || len(out.Content) == 0 {
		out.Content = slices.Concat(textBlocks(texts), out.Content)
	}
	return out, nil
}

func textBlocks(texts []string) []model.Block {
	var out []model.Block
	for _, text := range texts {
		out = append(out, model.Text(text))
	}
	return out
}

func imageBlock(img *sdk.ImageContent) model.Block {
	return model.Block{Type: model.ImageBlock, Source: &model.Image{
		Type: "base64", MediaType: img.MIMEType, Data: base64.StdEncoding.EncodeToString(img.Data),
	}}
}

// contentText is what a model is told of content that is not an image.
func contentText(item sdk.Content) string {
	switch v := item.(type) {
	case *sdk.TextContent:
		return strings.ToValidUTF8(v.Text, "\uFFFD")
	case *sdk.AudioContent:
		return fmt.Sprintf("(audio, %s, %d bytes)", v.MIMEType, len(v.Data))
	case *sdk.ResourceLink:
		return fmt.Sprintf("(resource %s: %s)", v.Name, v.URI)
	case *sdk.EmbeddedResource:
		if v.Resource == nil {
			return "(an empty resource)"
		}
		if v.Resource.Text != "" {
			return strings.ToValidUTF8(v.Resource.Text, "\uFFFD")
		}
		return fmt.Sprintf("(resource %s, %s, %d bytes)", v.Resource.URI, v.Resource.MIMEType, len(v.Resource.Blob))
	}
	return "(content of an unknown kind)"
}
