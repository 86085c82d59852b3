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
	IsError bool      `json:"isError"`
}

func callOf(name, id string, input hook.JSON) toolCall {
	name, input = tools.Out(name, input)
	return toolCall{name, id, input}
}

func toolEvents() []event {
	return []event{
		{
			names: []string{"tool_call"}, canonical: []hook.Event{hook.EventPreToolUse}, before: true,
			keys: []string{"block", "reason"},
			encode: func(_ *Codec, in hook.Input) (any, error) {
				pre, ok := in.(*hook.PreToolUse)
				if !ok {
					return nil, unexpected(in)
				}
				return callOf(pre.ToolName, pre.ToolUseID, pre.ToolInput), nil
			},
			result: func(_ *Codec, _ hook.Input, answer hook.JSON, res *hook.Result) {
				if flag(answer, "block") {
					res.Decision, res.Reason = hook.DecisionDeny, answer.String("reason")
					if res.Reason == "" {
						res.Reason = defaultBlock
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
			keys:      []string{"content", "details", "isError"},
			encode:    encodeToolResult, result: decodeToolResult, decode: foreignResult, reply: replyResult,
			says: hook.FieldDeny | hook.FieldContext | hook.FieldSystemMessage | hook.FieldUpdatedOutput | hook.FieldIsError,
		},
		toolExecution("tool_execution_start", hook.EventToolExecutionStart),
		toolExecution("tool_execution_update", hook.EventToolExecutionUpdate),
		toolExecution("tool_execution_end", hook.EventToolExecutionEnd),
	}
}

// originalKey marks the tool's own result, for handlers that see only that.
const originalKey = "pi.tool_result"

// chained reports whether a handler sees what earlier ones made of the result.
func (c *Codec) chained() bool { return c.family == script.FamilyPi }

// ownResponse is the tool's response as it was when the first handler of the
// dialect looked.
func ownResponse(in hook.Input, now hook.JSON) hook.JSON {
	base := in.Base()
	if base.Meta == nil {
		base.Meta = &hook.Metadata{}
	}
	if v, ok := base.Meta.Get(originalKey); ok {
		if first, ok := v.(hook.JSON); ok {
			return first
		}
	}
	base.Meta.Set(originalKey, now)
	return now
}

func encodeToolResult(c *Codec, in hook.Input) (any, error) {
	switch in := in.(type) {
	case *hook.PostToolUse:
		response := in.ToolResponse
		if own := ownResponse(in, response); !c.chained() {
			response = own
		}
		content, details := splitResponse(in.ToolName, response)
		return toolResult{callOf(in.ToolName, in.ToolUseID, in.ToolInput), content, details, false}, nil
	case *hook.PostToolUseFailure:
		content, details := textContent(in.Error), hook.JSON{}
		if !in.ToolResponse.IsZero() {
			content, details = splitResponse(in.ToolName, in.ToolResponse)
		}
		return toolResult{callOf(in.ToolName, in.ToolUseID, in.ToolInput), content, details, true}, nil
	}
	return nil, unexpected(in)
}

func decodeToolResult(c *Codec, in hook.Input, answer hook.JSON, res *hook.Result) {
	switch in := in.(type) {
	case *hook.PostToolUse:
		response := in.ToolResponse
		if !c.chained() {
			response = ownResponse(in, response)
		}
		replaceOutput(in.ToolName, response, answer, res)
		if isError, ok := member(answer, "isError"); ok && c.flipsErrors() && truthy(isError) {
			res.IsError = hook.Yes
		}
	case *hook.PostToolUseFailure:
		if !c.flipsErrors() {
			return // a failure is observed only
		}
		response := in.ToolResponse
		if response.IsZero() {
			response = hook.MustJSON(in.Error)
		}
		replaceOutput(in.ToolName, response, answer, res)
		if isError, ok := member(answer, "isError"); ok && !truthy(isError) {
			res.IsError = hook.No
		}
	}
}

// flipsErrors reports whether a handler may say that a failure was a success or
// the other way round: only the extensions of one family may.
func (c *Codec) flipsErrors() bool {
	return c.family == script.FamilyOMP && c.kind == script.KindExtension
}

func replaceOutput(tool string, response, answer hook.JSON, res *hook.Result) {
	content, hasContent := member(answer, "content")
	details, hasDetails := member(answer, "details")
	if !hasContent && !hasDetails {
		return
	}
	own, ownDetails := splitResponse(tool, response)
	if !hasContent {
		content = own
	}
	if !hasDetails && ownDetails != response {
		details = ownDetails
	}
	if s, ok := content.AsString(); ok {
		content = textContent(s)
	}
	res.UpdatedOutput = joinResponse(tool, response, content, details)
}

func toolExecution(name string, ev hook.Event) event {
	return event{
		names: []string{name}, canonical: []hook.Event{ev},
		encode: func(_ *Codec, in hook.Input) (any, error) {
			switch in := in.(type) {
			case *hook.ToolExecutionStart:
				c := callOf(in.ToolName, in.ToolUseID, in.ToolInput)
				return map[string]any{"toolCallId": c.ToolCallID, "toolName": c.ToolName, "args": c.Input}, nil
			case *hook.ToolExecutionUpdate:
				c := callOf(in.ToolName, in.ToolUseID, in.ToolInput)
				return map[string]any{"toolCallId": c.ToolCallID, "toolName": c.ToolName, "args": c.Input, "partialResult": in.PartialResult}, nil
			case *hook.ToolExecutionEnd:
				c := callOf(in.ToolName, in.ToolUseID, in.ToolInput)
				return map[string]any{"toolCallId": c.ToolCallID, "toolName": c.ToolName, "result": in.Result, "isError": in.IsError}, nil
			}
			return nil, unexpected(in)
		},
		decode: func(raw hook.JSON, base hook.Common) (hook.Input, error) {
			input, _ := raw.Get("args")
			toolName, input := tools.In(raw.String("toolName"), input)
			id := raw.String("toolCallId")
			switch ev {
			case hook.EventToolExecutionStart:
				return &hook.ToolExecutionStart{Common: base, ToolName: toolName, ToolInput: input, ToolUseID: id}, nil
			case hook.EventToolExecutionUpdate:
				partial, _ := raw.Get("partialResult")
				return &hook.ToolExecutionUpdate{Common: base, ToolName: toolName, ToolInput: input, ToolUseID: id, PartialResult: partial}, nil
			default:
				result, _ := raw.Get("result")
				return &hook.ToolExecutionEnd{Common: base, ToolName: toolName, ToolInput: input, ToolUseID: id, Result: result, IsError: raw.Bool("isError")}, nil
			}
		},
	}
}

func foreignCall(raw hook.JSON) (string, hook.JSON) {
	input, _ := raw.Get("input")
	return tools.In(raw.String("toolName"), input)
}

func foreignResult(raw hook.JSON, base hook.Common) (hook.Input, error) {
	name, input := foreignCall(raw)
	content, ok := raw.Get("content")
	if !ok {
		return nil, fmt.Errorf("tool_result without content")
	}
	response := content
	if details, ok := member(raw, "details"); ok {
		response = hook.JSON{}
		set(&response, "content", content)
		set(&response, "details", details)
	}
	id := raw.String("toolCallId")
	if raw.Bool("isError") {
		text, _ := plainText(content)
		return &hook.PostToolUseFailure{Common: base, ToolName: name, ToolInput: input, ToolUseID: id, Error: text, ToolResponse: response}, nil
	}
	return &hook.PostToolUse{Common: base, ToolName: name, ToolInput: input, ToolUseID: id, ToolResponse: response}, nil
}
