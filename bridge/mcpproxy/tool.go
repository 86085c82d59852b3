package mcpproxy

import (
	"cmp"
	"context"
	"fmt"
	"net/url"
	"strings"

	"github.com/hookline-dev/hookline/bridge/jsonrpc"
	"github.com/hookline-dev/hookline/hook"
)

var toolGuard = guard{before: beforeTool, after: afterTool}

// toolName is what hooks know a request's tool as.
func (p *proxy) toolName(c *call) string {
	if c.request.Method == methodRead {
		return "Read"
	}
	return p.ToolName(c.params.String("name"))
}

// inputOf is what hooks see of a request: the arguments of a call, or the file that is
// read, by its path or else its URI.
func inputOf(c *call) hook.JSON {
	if c.request.Method == methodRead {
		uri := c.params.String("uri")
		if u, err := url.Parse(uri); err == nil && u.Scheme == "file" && u.Host == "" {
			uri = u.Path
		}
		return hook.MustJSON(map[string]string{"file_path": uri})
	}
	if args, ok := c.params.Get("arguments"); ok {
		return args
	}
	return hook.RawJSON("{}")
}

// take makes what hooks made of the input the one that the server gets.
func (c *call) take(input hook.JSON) error {
	if input == c.input {
		return nil
	}
	if c.original.IsZero() {
		c.original = c.input
	}
	c.input = input
	if c.request.Method != methodRead {
		return c.params.Set("arguments", input)
	}
	path := input.String("file_path")
	if strings.HasPrefix(c.params.String("uri"), "file:") && !strings.HasPrefix(path, "file:") {
		path = (&url.URL{Scheme: "file", Path: path}).String()
	}
	return c.params.Set("uri", path)
}

// beforeTool asks hooks whether a tool may run.
func beforeTool(p *proxy, c *call) []byte {
	if why := p.whyDropped(c); why != "" {
		return c.refuse("the tool is left out: " + why)
	}
	if answer, again := p.resume(c); again {
		return answer
	}
	c.input = inputOf(c)
	in := &hook.PreToolUse{Common: p.Common, ToolName: p.toolName(c), ToolInput: c.input, ToolUseID: c.request.IDText()}
	out, err := p.fire(c.ctx, in)
	if err == nil {
		err = c.take(in.ToolInput)
	}
	switch {
	case err != nil:
		return c.refuse("the hooks that guard tools could not be asked: " + err.Error())
	case out.Halt:
		return c.refuse(cmp.Or(out.StopReason, out.Reason, "a hook ended the run"))
	case out.Decision == hook.DecisionDeny:
		return c.refuse(cmp.Or(out.Reason, "a hook refused it"))
	}
	c.notes = append(c.notes, out.Context...)
	switch out.Decision {
	case hook.DecisionAsk, hook.DecisionDefer:
		return p.permit(c, in.ToolName, cmp.Or(out.Reason, "a hook wants a person to decide"))
	}
	return nil
}

// refuse answers a request in the server's place: a call of a tool has the reason as its
// result, which is what a model reads.
func (c *call) refuse(why string) []byte {
	if c.request.Method != methodCall {
		return jsonrpc.Failure(c.request.RawID, jsonrpc.CodeRefused, why)
	}
	return jsonrpc.Reply(c.request.RawID, c.failure(why))
}

// failure is the result of a tool that failed.
func (c *call) failure(why string) hook.JSON { return c.result(why, true) }

// result is a result of a tool that is one text.
func (c *call) result(text string, isError bool) hook.JSON {
	r := hook.MustJSON(map[string]any{"content": []any{textBlock(text)}, "isError": isError})
	if c.modern() {
		r.SetString("resultType", "complete")
	}
	return r
}

func textBlock(text string) hook.JSON {
	return hook.MustJSON(map[string]string{"type": "text", "text": text})
}

// afterTool shows hooks what a tool answered.
func afterTool(p *proxy, c *call, m *jsonrpc.Message) []byte {
	result := m.Content()
	if !m.Failed && result.String("resultType") == "input_required" {
		return p.again(c, m)
	}
	seen := result
	problem := faultOf(m)
	out, after, err := p.firePost(c, seen, problem)
	switch {
	case err != nil:
		return c.refuse("the tool has run, and the hooks that guard its result could not be asked: " + err.Error())
	case out.Halt:
		return c.refuse(cmp.Or(out.StopReason, out.Reason, "a hook ended the run"))
	}
	if !out.UpdatedOutput.IsZero() {
		after = out.UpdatedOutput
	}
	changed := after != seen
	if changed {
		result = c.replaced(after, problem != "")
	}
	if out.Decision == hook.DecisionDeny && out.Reason != "" {
		c.notes = append(c.notes, fmt.Sprintf("%v hook blocking error: %s", out.Event, out.Reason))
	}
	c.notes = append(c.notes, out.Context...)
	switch {
	case m.Failed && !changed && len(c.notes) == 0:
		return m.Raw
	case m.Failed && !changed: // an error has no place for what hooks add
		result = c.failure(problem)
	}
	result, ok := c.annotate(result)
	if out.IsError != 0 && c.request.Method == methodCall {
		ok = result.Set("isError", out.IsError == hook.Yes) == nil
	}
	switch {
	case !ok:
		return c.refuse("the tool has run, and its result cannot be put together with what hooks say of it")
	case m.Failed:
		return jsonrpc.Reply(c.request.RawID, result)
	}
	return m.With(result)
}

// faultOf returns what a tool failed with, "" when it did not.
func faultOf(m *jsonrpc.Message) string {
	body := m.Content()
	if m.Failed {
		return cmp.Or(body.String("message"), "the server answered with an error")
	}
	if !body.Bool("isError") {
		return ""
	}
	var parts []string
	for _, b := range blocks(body) {
		if b.Has("text") {
			parts = append(parts, b.String("text"))
		}
	}
	return cmp.Or(strings.Join(parts, "\n"), "the tool failed without a message")
}

// blocks are the content of a result.
func blocks(result hook.JSON) []hook.JSON {
	var list []hook.JSON
	content, _ := result.Get("content")
	if content.Decode(&list) != nil {
		return nil
	}
	return list
}

// firePost fires PostToolUse, or PostToolUseFailure for a problem, and returns the response
// as hooks left it.
func (p *proxy) firePost(c *call, seen hook.JSON, problem string) (hook.Outcome, hook.JSON, error) {
	if problem != "" {
		in := &hook.PostToolUseFailure{
			Common: p.Common, ToolName: p.toolName(c), ToolInput: c.input, ToolUseID: c.request.IDText(), Error: problem, ToolResponse: seen, OriginalToolInput: c.original,
		}
		out, err := p.fire(p.ctx, in)
		return out, in.ToolResponse, err
	}
	in := &hook.PostToolUse{
		Common: p.Common, ToolName: p.toolName(c), ToolInput: c.input, ToolResponse: seen, ToolUseID: c.request.IDText(), OriginalToolInput: c.original,
	}
	if content, ok := seen.Get("content"); ok {
		in.Content = content
	}
	out, err := p.fire(p.ctx, in)
	return out, in.ToolResponse, err
}

// replaced makes a result of what hooks put in the place of one. Nothing of the old one is
// left, since it may say again what a hook took out.
func (c *call) replaced(output hook.JSON, failed bool) hook.JSON {
	if c.request.Method == methodRead {
		return c.contents(output)
	}
	if output.Has("content") && len(blocks(output)) > 0 {
		return output
	}
	var list []hook.JSON
	if strings.HasPrefix(output.Raw(), "[") && output.Decode(&list) == nil {
		r := c.result("", failed)
		if r.Set("content", output) == nil {
			return r
		}
	}
	text, ok := output.AsString()
	if !ok {
		text = output.Raw()
	}
	return c.result(text, failed)
}

// contents is replaced for a resource.
func (c *call) contents(output hook.JSON) hook.JSON {
	if output.Has("contents") {
		return output
	}
	text, ok := output.AsString()
	if !ok {
		text = output.Raw()
	}
	r := hook.MustJSON(map[string]any{"contents": []any{map[string]string{"uri": c.params.String("uri"), "text": text}}})
	if c.modern() {
		r.SetString("resultType", "complete")
	}
	return r
}

// annotate adds to a result what hooks have to say to the model. A resource has no place
// for it.
func (c *call) annotate(result hook.JSON) (hook.JSON, bool) {
	if len(c.notes) == 0 || c.request.Method == methodRead {
		return result, true
	}
	list := blocks(result)
	for _, n := range c.notes {
		list = append(list, textBlock("<system-reminder>\n"+n+"\n</system-reminder>"))
	}
	err := result.Set("content", list)
	return result, err == nil
}

// fire fires an event and tells the person what its hooks have to say.
func (p *proxy) fire(ctx context.Context, in hook.Input) (hook.Outcome, error) {
	if !p.Hears(in.Event()) {
		return hook.Outcome{Event: in.Event()}, nil
	}
	out, err := p.Fire(ctx, in)
	for _, list := range [][]string{out.SystemMessages, out.Notices} {
		for _, text := range list {
			p.Notify(text)
		}
	}
	return out, err
}
