package agent

import (
	"context"
	"errors"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/hookline-dev/hookline/agent/model"
	"github.com/hookline-dev/hookline/hook"
	"github.com/hookline-dev/hookline/ui"
)

// conclude lets hooks see a call that has run, and makes its result.
func (r *run) conclude(c *toolCall) {
	if c.err == nil {
		r.prompt.grant(c.out.Granted)
	}
	c.response = hook.RawJSON(c.out.Response)
	content := c.out.Content
	if c.err != nil {
		content = []model.Block{model.Text(strings.ToValidUTF8(c.err.Error(), "\uFFFD"))}
	} else if len(content) == 0 {
		content = []model.Block{model.Text("(no output)")}
	}
	if c.response.IsZero() && c.err == nil {
		c.response = hook.MustJSON(strings.ToValidUTF8(c.out.Text(), "\uFFFD"))
	}
	c.done, c.result = true, model.ToolResult(c.block.ID, content...)
	c.result.IsError = c.err != nil
	r.dirChanged(r.ctx)
	ctx, cancel := r.orGrace(r.ctx)
	defer cancel()
	if out, in, after, err := r.firePost(ctx, c); err != nil {
		r.emit(Event{Kind: KindNotice, Text: err.Error(), Level: ui.Warning})
	} else {
		c.applyPost(&out, after)
		if out.Decision == hook.DecisionDeny && out.Reason != "" {
			r.addObjection(c, &out, in)
		}
	}
	ended := &hook.ToolExecutionEnd{
		Common: hook.Common{MCPServer: c.server}, ToolName: c.block.Name, ToolInput: c.input, ToolUseID: c.block.ID, Result: c.ended(), IsError: c.result.IsError, DurationMS: c.milliseconds(),
	}
	if r.has(hook.EventToolExecutionEnd) {
		ended.Content, _ = lenientJSON(c.result.Content) // else it is that of Result
	}
	r.observeLast(ended)
	if details, ok := c.response.Get("details"); ok && c.response.Has("content") {
		c.result.Details = jsontext.Value(details.Raw())
	}
}

// milliseconds is how long the tool ran.
func (c *toolCall) milliseconds() float64 { return float64(c.took.Microseconds()) / 1000 }

// firePost fires PostToolUse or PostToolUseFailure, and returns what it fired and the
// response as hooks left it.
func (r *run) firePost(ctx context.Context, c *toolCall) (hook.Outcome, hook.Input, hook.JSON, error) {
	base := hook.Common{MCPServer: c.server}
	var content hook.JSON
	if r.has(hook.EventPostToolUse) || r.has(hook.EventPostToolUseFailure) {
		var err error
		if content, err = lenientJSON(c.result.Content); err != nil {
			return hook.Outcome{}, nil, content, err
		}
	}
	if c.err == nil {
		in := &hook.PostToolUse{
			Common: base, ToolName: c.block.Name, ToolInput: c.input, ToolResponse: c.response, ToolUseID: c.block.ID,
			DurationMS: c.milliseconds(), OriginalToolInput: c.original, Content: content,
		}
		out, err := r.Fire(ctx, in)
		return out, in, in.ToolResponse, err
	}
	in := &hook.PostToolUseFailure{
		Common: base, ToolName: c.block.Name, ToolInput: c.input, ToolUseID: c.block.ID, Error: c.err.Error(), ToolResponse: c.response,
		IsInterrupt: r.ctx.Err() != nil && errors.Is(c.err, r.ctx.Err()), DurationMS: c.milliseconds(), OriginalToolInput: c.original, Content: content,
	}
	out, err := r.Fire(ctx, in)
	return out, in, in.ToolResponse, err
}

// applyPost makes of a result what hooks made of it.
func (c *toolCall) applyPost(out *hook.Outcome, after hook.JSON) {
	if !out.UpdatedOutput.IsZero() {
		after = out.UpdatedOutput
	}
	if after != c.response && !after.IsZero() {
		c.response = after
		c.result.Content = outputBlocks(after)
	}
	switch out.IsError {
	case hook.Yes:
		c.result.IsError = true
	case hook.No:
		c.result.IsError = false
	}
}

// ended is the tool's form of the result, or what the model reads where there is none.
func (c *toolCall) ended() hook.JSON {
	if text, ok := c.read().(string); ok && c.response.IsZero() {
		return hook.MustJSON(text)
	}
	return c.response
}

// read is what the model reads of a call: a text, or blocks when there is more than one
// or one that is not text.
func (c *toolCall) read() any {
	if content := c.result.Content; len(content) != 1 || content[0].Type != model.TextBlock {
		return content
	}
	return c.result.Content[0].Text
}

// readByHooks is read, with the blocks of a server's result in any case, unless it is
// structured.
func (c *toolCall) readByHooks() any {
	if c.server != nil && c.err == nil && !c.response.Has("structuredContent") {
		return c.result.Content
	}
	return c.read()
}

// batchDone fires PostToolBatch, unless the turn was interrupted.
func (r *run) batchDone(calls []*toolCall) error {
	if !r.has(hook.EventPostToolBatch) || r.ctx.Err() != nil || r.refused != "" {
		return nil
	}
	in := &hook.PostToolBatch{}
	for _, c := range calls {
		one := hook.RawJSON(`{}`)
		for _, m := range []struct {
			key   string
			value any
		}{
			{"tool_name", c.block.Name}, {"tool_input", c.input}, {"tool_use_id", c.block.ID}, {"tool_response", c.readByHooks()},
		} {
			if j, ok := m.value.(hook.JSON); ok && !j.Valid() {
				m.value = j.Raw()
			}
			if err := one.Set(m.key, m.value); err != nil {
				return err
			}
		}
		in.ToolCalls = append(in.ToolCalls, one)
	}
	out, err := r.Fire(r.ctx, in)
	if err == nil && out.Decision == hook.DecisionDeny && !out.Halt { // which has ended it
		r.prompt.halt(out.Reason)
		return r.ended(in, r.refusalText(&out, in))
	}
	return err
}
