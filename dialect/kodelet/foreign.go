package kodelet

import (
	"fmt"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/hookline-dev/hookline/handler"
	"github.com/hookline-dev/hookline/hook"
)

// DecodeInput reads the payload that a kodelet host sends its hooks.
func (Codec) DecodeInput(data []byte) (hook.Input, []string, error) {
	in, err := decodeInput(data)
	return in, nil, err
}

func decodeInput(data []byte) (hook.Input, error) {
	if dup := duplicates(hook.RawJSON(data)); len(dup) > 0 {
		return nil, fmt.Errorf("decode payload: duplicate key %q", dup[0])
	}
	var p payload
	if err := json.Unmarshal(data, &p, lenient); err != nil {
		return nil, fmt.Errorf("decode payload: %w", err)
	}
	common := hook.Common{SessionID: p.ConvID, CWD: p.CWD, InvokedBy: p.InvokedBy, RecipeName: p.RecipeName}
	name, input := tools.In(p.ToolName, p.ToolInput)
	if s, ok := input.AsString(); ok && p.ToolError != "" {
		input = hook.RawJSON(s)
	}
	switch p.Event {
	case BeforeToolCall:
		return &hook.PreToolUse{Common: common, ToolName: name, ToolInput: input, ToolUseID: p.ToolUserID}, nil
	case AfterToolCall:
		return decodeAfter(&p, common, name, input)
	case UserMessageSend:
		in := &hook.UserPromptSubmit{Common: common}
		if p.Message != nil {
			in.Prompt = *p.Message
		}
		return in, nil
	case AgentStop:
		in := &hook.Stop{Common: common}
		if p.Messages != nil {
			for _, m := range *p.Messages {
				in.Messages = append(in.Messages, hook.Message{Role: m.Role, Content: hook.MustJSON(m.Content)})
				if m.Role == "assistant" {
					in.LastAssistantMessage = m.Content
				}
			}
		}
		return in, nil
	case TurnEnd:
		in := &hook.TurnEnd{Common: common, TurnIndex: max(p.TurnNumber-1, 0)}
		if p.Response != nil {
			in.Response = *p.Response
		}
		return in, nil
	}
	return nil, fmt.Errorf("decode payload: unknown event %q (known: before_tool_call, after_tool_call, user_message_send, agent_stop, turn_end)", p.Event)
}

// duplicates returns the keys that stand twice in an object of the payload's own, whose
// meaning depends on who reads it. The input of a tool and the metadata of its result
// are passed on as they are.
func duplicates(raw hook.JSON) []string {
	dup := raw.DuplicateKeys()
	output, _ := raw.Get("tool_output")
	dup = append(dup, output.DuplicateKeys()...)
	list, _ := raw.Get("messages")
	var messages []hook.JSON
	_ = json.Unmarshal([]byte(list.Raw()), &messages, lenient) // what is not a list is refused with the payload
	for _, m := range messages {
		dup = append(dup, m.DuplicateKeys()...)
	}
	return dup
}

// lenient are the rules for a payload, which holds what models and tools wrote.
var lenient = json.JoinOptions(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))

func decodeAfter(p *payload, common hook.Common, name string, input hook.JSON) (hook.Input, error) {
	if p.ToolOutput == nil {
		return nil, fmt.Errorf("decode payload: after_tool_call without tool_output")
	}
	resp := response(p.ToolOutput)
	if !p.ToolOutput.Success {
		in := &hook.PostToolUseFailure{Common: common, ToolName: name, ToolInput: input, ToolUseID: p.ToolUserID, Error: p.ToolOutput.Error}
		if !p.ToolOutput.Metadata.IsZero() {
			ok := *p.ToolOutput
			ok.Success = true
			in.ToolResponse = response(&ok)
		}
		return in, nil
	}
	return &hook.PostToolUse{Common: common, ToolName: name, ToolInput: input, ToolResponse: resp, ToolUseID: p.ToolUserID}, nil
}

// EncodeOutcome answers a kodelet host. The dialect has no question to a person
// and nothing between blocking and not: ask and defer are answered as a block that
// says so. The end of a run is a block too, where there is one.
func (c Codec) EncodeOutcome(in hook.Input, out *hook.Outcome) (handler.Answer, []string, error) {
	var a struct {
		Blocked   *bool     `json:"blocked,omitzero"`
		Reason    string    `json:"reason,omitzero"`
		Input     hook.JSON `json:"input,omitzero"`
		Output    *result   `json:"output,omitzero"`
		FollowUps []string  `json:"follow_up_messages,omitempty"`
	}
	var wrote hook.Fields
	const decided = hook.FieldAllow | hook.FieldAsk | hook.FieldDefer | hook.FieldDeny
	switch in := in.(type) {
	case *hook.PreToolUse:
		a.Blocked, a.Reason = blocked(out)
		wrote = decided | hook.FieldUpdatedInput
		if out.InputChanged {
			_, a.Input = tools.Out(in.ToolName, out.UpdatedInput)
		}
	case *hook.UserPromptSubmit:
		a.Blocked, a.Reason = blocked(out)
		wrote = decided
	case *hook.PostToolUse:
		if !out.UpdatedOutput.IsZero() {
			wrote = hook.FieldUpdatedOutput | hook.FieldIsError
			a.Output = c.replaced(in.ToolName, in.ToolInput, out.UpdatedOutput, out.IsError == hook.Yes)
		}
	case *hook.PostToolUseFailure:
		if !out.UpdatedOutput.IsZero() {
			wrote = hook.FieldUpdatedOutput | hook.FieldIsError
			a.Output = c.replaced(in.ToolName, in.ToolInput, out.UpdatedOutput, out.IsError != hook.No)
		}
	case *hook.Stop, *hook.SubagentStop:
		a.FollowUps = out.Continuation()
		wrote = hook.FieldDeny | hook.FieldContinue | hook.FieldFollowUps
	}
	b, err := json.Marshal(&a, hook.EncodeOptions())
	if err != nil {
		return handler.Answer{}, nil, fmt.Errorf("encode the answer to %v: %w", in.Event(), err)
	}
	return handler.Answer{Stdout: append(b, '\n')}, out.Lost(wrote), nil
}

// replaced is the result that a hook put in the place of the tool's. The text of an error
// stands where kodelet keeps it.
func (c Codec) replaced(tool string, input, output hook.JSON, failed bool) *result {
	if text, ok := output.AsString(); ok && failed && text != "" {
		return c.result(ran{tool: tool, input: input, failure: text})
	}
	r := c.result(ran{tool: tool, input: input, response: output})
	r.Success = !failed
	return r
}

func blocked(out *hook.Outcome) (*bool, string) {
	yes := out.Halt || out.Decision >= hook.DecisionAsk
	switch {
	case !yes:
		return &yes, ""
	case out.Decision == hook.DecisionAsk:
		return &yes, "a person would have to be asked: " + out.Reason
	case out.Decision == hook.DecisionDefer:
		return &yes, "deferred: " + out.Reason
	case out.Decision != hook.DecisionDeny:
		return &yes, out.StopReason
	}
	return &yes, out.Reason
}
