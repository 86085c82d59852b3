package worker

import (
	"fmt"
	"strconv"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/hookline-dev/hookline/dialect/kodelet"
	"github.com/hookline-dev/hookline/handler"
	"github.com/hookline-dev/hookline/handler/worker"
	"github.com/hookline-dev/hookline/hook"
)

// codec has the vocabulary of kodelet's executable hooks, which its extensions share.
var codec kodelet.Codec

// callContext is what an extension is told about every call.
type callContext struct {
	SessionID      string `json:"sessionId,omitzero"`
	ConversationID string `json:"conversationId,omitzero"`
	CWD            string `json:"cwd,omitzero"`
	RecipeName     string `json:"recipeName,omitzero"`
	InvokedBy      string `json:"invokedBy,omitzero"`
}

// Call returns the request that hands an event to the extension.
func (*extension) Call(id uint64, _ int, _ worker.HookSpec, call *hook.Call, _ time.Duration) ([]byte, error) {
	ctx, payload, err := payloadOf(call.Input)
	if err != nil {
		return nil, err
	}
	params, err := json.Marshal(struct {
		ID      string         `json:"id"`
		Event   string         `json:"event"`
		Context callContext    `json:"context"`
		Payload map[string]any `json:"payload"`
	}{"evt_" + strconv.FormatUint(id, 10), extensionName(call.Input.Event()), ctx, payload}, hook.EncodeOptions())
	if err != nil {
		return nil, fmt.Errorf("encode the payload: %w", err)
	}
	return frame(rpcMessage{ID: number(id), Method: "extension.event.handle", Params: params}), nil
}

// payloadOf returns an event in an extension's terms.
func payloadOf(in hook.Input) (callContext, map[string]any, error) {
	b := in.Base()
	ctx := callContext{SessionID: b.SessionID, ConversationID: b.SessionID, CWD: b.CWD, RecipeName: b.RecipeName, InvokedBy: "main"}
	payload := map[string]any{}
	if turn, ok := in.(*hook.TurnStart); ok {
		payload["turnNumber"] = turn.TurnIndex + 1
	}
	if kodelet.TypeOf(in.Event()) == "" {
		return ctx, payload, nil // events that only extensions have say nothing more
	}
	raw, err := codec.Encode(in)
	if err != nil {
		return ctx, nil, err
	}
	p := hook.RawJSON(raw)
	ctx.InvokedBy = p.String("invoked_by")
	for from, to := range map[string]string{"message": "message", "messages": "messages", "response": "response", "turn_number": "turnNumber"} {
		if v, ok := p.Get(from); ok {
			payload[to] = v
		}
	}
	if p.Has("tool_name") {
		tool := map[string]any{"name": p.String("tool_name"), "callId": p.String("tool_user_id")}
		for from, to := range map[string]string{"tool_input": "input", "tool_output": "output"} {
			if v, ok := p.Get(from); ok {
				tool[to] = v
			}
		}
		payload["tool"] = tool
	}
	return ctx, payload, nil
}

// eventResult is an extension's answer.
type eventResult struct {
	Block            *block         `json:"block"`
	Input            hook.JSON      `json:"input"`
	Output           hook.JSON      `json:"output"`
	Message          *string        `json:"message"`
	FollowUpMessages []string       `json:"followUpMessages"`
	Rest             jsontext.Value `json:",embed"`
}

type block struct {
	Reason string `json:"reason"`
}

// Result reads an extension's answer by way of the answer that an executable hook would
// have given.
func (*extension) Result(call *hook.Call, _ worker.HookSpec, body []byte) (hook.Result, []string, error) {
	if absent(body) {
		return hook.Result{}, nil, nil
	}
	var r eventResult
	if err := json.Unmarshal(body, &r, json.MatchCaseInsensitiveNames(true)); err != nil {
		return hook.Result{}, nil, hook.Failf(hook.FailureAnswer, "its answer cannot be read: %w", err)
	}
	var notes []string
	for _, k := range hook.RawJSON(r.Rest).Keys() {
		notes = append(notes, fmt.Sprintf("key %q means nothing here", k))
	}
	if kodelet.TypeOf(call.Input.Event()) == "" {
		return hook.Result{}, notes, nil
	}
	text, err := json.Marshal(r.executable(), hook.EncodeOptions())
	if err != nil {
		return hook.Result{}, notes, hook.Failf(hook.FailureAnswer, "its answer cannot be read: %w", err)
	}
	res, more, err := codec.DecodeResult(call, handler.Answer{Stdout: text})
	if err != nil {
		return hook.Result{}, append(notes, more...), err
	}
	if r.Message != nil {
		res.UpdatedPrompt = r.Message
	}
	return res, append(notes, more...), nil
}

// executable is the same answer in the words of an executable hook.
func (r *eventResult) executable() map[string]any {
	out := map[string]any{"blocked": r.Block != nil}
	if r.Block != nil {
		out["reason"] = r.Block.Reason
	}
	for key, v := range map[string]hook.JSON{"input": r.Input, "output": r.Output} {
		if !v.IsZero() && v.Raw() != "null" {
			out[key] = v
		}
	}
	if len(r.FollowUpMessages) > 0 {
		out["follow_up_messages"] = r.FollowUpMessages
	}
	return out
}
