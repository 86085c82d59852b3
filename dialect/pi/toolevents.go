package pi

import (
	"fmt"

	"github.com/hookline-dev/hookline/handler/script"
	"github.com/hookline-dev/hookline/hook"
)

// defaultBlock is what the model is told when a handler blocks without a reason.
const defaultBlock = "Tool execution was blocked by a hook"

type toolCall struct {
	ToolName   string    `json:"toolName"`
	ToolCallID string    `json:"toolCallId"`
	Input      hook.JSON `json:"input"`
}

type toolResult struct {
	toolCall
	Content hook.JSON `json:"content"`
	Details hook.JSON `json:"details,omitzero"`
	// Structured is for programs.
	Structured hook.JSON `json:"structuredContent,omitzero"`
	IsError    bool      `json:"isError"`
}

func callOf(name, id string, input hook.JSON) toolCall {
	name, input = toolOut(name, input)
	return toolCall{name, id, input}
}

func toolEvents() []event {
	return []event{
		{
			names: []string{"tool_call"}, canonical: []hook.Event{hook.EventPreToolUse}, before: true, track: "input",
			keys: []string{"block", "reason"},
			encode: func(_ *codec, in hook.Input) (any, error) {
				pre, ok := in.(*hook.PreToolUse)
				if !ok {
					return nil, unexpected(in)
				}
				return callOf(pre.ToolName, pre.ToolUseID, pre.ToolInput), nil
			},
			result: func(c *codec, in hook.Input, answer hook.JSON, res *hook.Result) {
				if flag(answer, "block") {
					res.Decision, res.Reason = hook.DecisionDeny, orElse(answer.String("reason"), c.rules.blocked)
				}
				if pre, ok := in.(*hook.PreToolUse); ok {
					if input, changed := answer.Get(script.InPlace + "input"); changed {
						_, res.UpdatedInput = toolIn(tools.DialectName(pre.ToolName), input)
					}
				}
			},
			decode: func(raw hook.JSON, base hook.Common) (hook.Input, error) {
				name, input := foreignCall(raw)
				return &hook.PreToolUse{Common: base, ToolName: name, ToolInput: input, ToolUseID: raw.String("toolCallId")}, nil
			},
			reply: replyBlock, says: hook.FieldAllow | hook.FieldAsk | hook.FieldDefer | hook.FieldDeny,
		},
		{
			names:     []string{"tool_result"},
			canonical: []hook.Event{hook.EventPostToolUse, hook.EventPostToolUseFailure},
			track:     "content", keys: []string{"content", "details", structured, "isError"},
			encode: encodeToolResult, result: decodeToolResult, decode: foreignResult, reply: replyResult,
			says: hook.FieldDeny | hook.FieldContext | hook.FieldSystemMessage | hook.FieldUpdatedOutput | hook.FieldIsError,
		},
		toolExecution("tool_execution_start", hook.EventToolExecutionStart),
		toolExecution("tool_execution_update", hook.EventToolExecutionUpdate),
		toolExecution("tool_execution_end", hook.EventToolExecutionEnd),
	}
}

// ownKey is where the result is kept as it was when the first handler of the dialect
// looked, for handlers that see only that.
const ownKey = "pi.tool_result"

// own is a tool's result: what hooks get, and what the model reads of it.
type own struct{ response, content, details, structured hook.JSON }

// result returns what a handler of the codec's family is to see of a result.
func (c *codec) result(in *hook.Common, now own) own {
	if in.Meta == nil {
		in.Meta = &hook.Metadata{}
	}
	if v, ok := in.Meta.Get(ownKey); !ok {
		in.Meta.Set(ownKey, now)
	} else if first, ok := v.(own); ok && !c.rules.chained {
		return first
	}
	return now
}

// ownOf is a tool's result as it is now. content is zero when a hook has changed the
// response since the model's text was made of it.
func ownOf(tool string, response, content hook.JSON) own {
	o := splitResponse(tool, response)
	if !content.IsZero() {
		o.content = resultContent(content)
	}
	return o
}

// ended is the result of a tool as tool_result has it, or as it came where nobody said what
// the model reads of it.
func ended(in *hook.ToolExecutionEnd) any {
	if in.Content.IsZero() {
		return resultOf(in.ToolName, in.Result)
	}
	o := ownOf(in.ToolName, in.Result, in.Content)
	v := hook.MustJSON(values{"content": o.content})
	o.beside(&v)
	if in.IsError && in.ToolName == "Bash" { // only this tool says so here too
		set(&v, "isError", true)
	}
	return v
}

func (c *codec) succeeded(in *hook.PostToolUse) own {
	return c.result(in.Base(), ownOf(in.ToolName, in.ToolResponse, in.Content))
}

func (c *codec) failed(in *hook.PostToolUseFailure) own {
	return c.result(in.Base(), ownOf(in.ToolName, orJSON(in.ToolResponse, hook.MustJSON(in.Error)), in.Content))
}

func encodeToolResult(c *codec, in hook.Input) (any, error) {
	switch in := in.(type) {
	case *hook.PostToolUse:
		o := c.succeeded(in)
		return toolResult{callOf(in.ToolName, in.ToolUseID, in.ToolInput), o.content, o.details, o.structured, false}, nil
	case *hook.PostToolUseFailure:
		o := c.failed(in)
		return toolResult{callOf(in.ToolName, in.ToolUseID, in.ToolInput), o.content, o.details, o.structured, true}, nil
	}
	return nil, unexpected(in)
}

func decodeToolResult(c *codec, in hook.Input, answer hook.JSON, res *hook.Result) {
	failed, ok := in.(*hook.PostToolUseFailure)
	switch {
	case !ok:
		in, ok := in.(*hook.PostToolUse)
		if !ok {
			return
		}
		c.replaceOutput(in.ToolName, c.succeeded(in), answer, res)
	case c.rules.errors:
		c.replaceOutput(failed.ToolName, c.failed(failed), answer, res)
	default:
		return // a failure is observed only
	}
	if isError, ok := member(answer, "isError"); ok && c.rules.errors {
		if res.IsError = hook.No; truthy(isError) {
			res.IsError = hook.Yes
		}
	}
}

// replaceOutput takes content and what stands beside it; where results are chained, also
// content that was changed in place. What a program reads goes with the content that it was
// made of.
func (c *codec) replaceOutput(tool string, o own, answer hook.JSON, res *hook.Result) {
	content, hasContent := member(answer, "content")
	if !hasContent && c.rules.chained {
		content, hasContent = answer.Get(script.InPlace + "content")
	}
	details, hasDetails := member(answer, "details")
	forPrograms, hasForPrograms := member(answer, structured)
	if !hasContent && !hasDetails && !hasForPrograms {
		return
	}
	if hasContent {
		if isString(content) {
			content = resultContent(content)
		}
		o.content, o.structured = content, hook.JSON{}
	}
	if hasDetails {
		o.details = details
	}
	if hasForPrograms {
		o.structured = forPrograms
	}
	o.content = contentIn(o.content)
	res.UpdatedOutput = joinResponse(tool, o)
}

// resultOf is a tool's result, or what there is of it, with content where it is a text.
func resultOf(tool string, response hook.JSON) hook.JSON {
	text, ok := response.AsString()
	if !ok {
		text, ok = textOf(tool, response)
	}
	if !ok {
		return response
	}
	return hook.MustJSON(values{"content": textContent(text)})
}

func toolExecution(name string, ev hook.Event) event {
	return event{
		names: []string{name}, canonical: []hook.Event{ev},
		encode: func(_ *codec, in hook.Input) (any, error) {
			switch in := in.(type) {
			case *hook.ToolExecutionStart:
				c := callOf(in.ToolName, in.ToolUseID, in.ToolInput)
				return map[string]any{"toolCallId": c.ToolCallID, "toolName": c.ToolName, "args": c.Input}, nil
			case *hook.ToolExecutionUpdate:
				c := callOf(in.ToolName, in.ToolUseID, in.ToolInput)
				return map[string]any{"toolCallId": c.ToolCallID, "toolName": c.ToolName, "args": c.Input, "partialResult": resultOf(in.ToolName, in.PartialResult)}, nil
			case *hook.ToolExecutionEnd:
				c := callOf(in.ToolName, in.ToolUseID, in.ToolInput)
				v := map[string]any{"toolCallId": c.ToolCallID, "toolName": c.ToolName, "result": ended(in), "isError": in.IsError}
				if in.DurationMS > 0 {
					v["durationMs"] = in.DurationMS
				}
				return v, nil
			}
			return nil, unexpected(in)
		},
		decode: func(raw hook.JSON, base hook.Common) (hook.Input, error) {
			input, _ := raw.Get("args")
			toolName, input := toolIn(raw.String("toolName"), input)
			id := raw.String("toolCallId")
			switch ev {
			case hook.EventToolExecutionStart:
				return &hook.ToolExecutionStart{Common: base, ToolName: toolName, ToolInput: input, ToolUseID: id}, nil
			case hook.EventToolExecutionUpdate:
				partial, _ := raw.Get("partialResult")
				return &hook.ToolExecutionUpdate{Common: base, ToolName: toolName, ToolInput: input, ToolUseID: id, PartialResult: partial}, nil
			default:
				result, _ := raw.Get("result")
				ms, _ := raw.Float("durationMs")
				return &hook.ToolExecutionEnd{Common: base, ToolName: toolName, ToolInput: input, ToolUseID: id, Result: result, IsError: raw.Bool("isError"), DurationMS: ms}, nil
			}
		},
	}
}

func foreignCall(raw hook.JSON) (string, hook.JSON) {
	input, _ := raw.Get("input")
	return toolIn(raw.String("toolName"), input)
}

func foreignResult(raw hook.JSON, base hook.Common) (hook.Input, error) {
	name, input := foreignCall(raw)
	content, ok := raw.Get("content")
	if !ok {
		return nil, fmt.Errorf("tool_result without content")
	}
	response := content
	o := own{}
	o.details, _ = member(raw, "details")
	o.structured, _ = member(raw, structured)
	if o != (own{}) {
		response = hook.MustJSON(values{"content": content})
		o.beside(&response)
	}
	id := raw.String("toolCallId")
	if raw.Bool("isError") {
		text, _ := plainText(content)
		return &hook.PostToolUseFailure{Common: base, ToolName: name, ToolInput: input, ToolUseID: id, Error: text, ToolResponse: response}, nil
	}
	return &hook.PostToolUse{Common: base, ToolName: name, ToolInput: input, ToolUseID: id, ToolResponse: response}, nil
}
