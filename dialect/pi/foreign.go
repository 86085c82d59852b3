package pi

import (
	"errors"
	"fmt"

	"github.com/go-json-experiment/json"

	"github.com/hookline-dev/hookline/dialect"
	"github.com/hookline-dev/hookline/handler"
	"github.com/hookline-dev/hookline/handler/script"
	"github.com/hookline-dev/hookline/hook"
)

// foreignCodec is the codec of a host of this dialect, which knows events by their first
// name. What handlers answer in a module's own family is the business of codec.
type foreignCodec struct{}

var _ dialect.Codec = foreignCodec{}

// EncodeInput returns the event that a handler gets.
func (foreignCodec) EncodeInput(call *hook.Call) ([]byte, error) {
	c, err := hostCodec(call.Input.Event())
	if err != nil {
		return nil, fmt.Errorf("encode %v: %w", call.Input.Event(), err)
	}
	return c.EncodeInput(call)
}

// DecodeResult reads what a handler returned.
func (foreignCodec) DecodeResult(call *hook.Call, a handler.Answer) (hook.Result, []string, error) {
	c, err := hostCodec(call.Input.Event())
	if err != nil {
		return hook.Result{}, nil, hook.Failf(hook.FailureAnswer, "decode the answer to %v: %w", call.Input.Event(), err)
	}
	return c.DecodeResult(call, a)
}

func hostCodec(ev hook.Event) (*codec, error) {
	c, ok := newCodec(nameOf(ev), script.FamilyPi, script.KindExtension)
	if !ok {
		return nil, errors.New("the dialect has no such event")
	}
	return c, nil
}

// DecodeInput reads an event as a host of this dialect emits it. A host that can
// adds cwd, sessionId and sessionFile to it.
func (foreignCodec) DecodeInput(data []byte) (hook.Input, []string, error) {
	in, err := decodeInput(data)
	return in, nil, err
}

func decodeInput(data []byte) (hook.Input, error) {
	raw := hook.RawJSON(data)
	if !raw.Valid() {
		return nil, fmt.Errorf("decode event: it is not valid JSON")
	}
	if dup := raw.DuplicateKeys(); len(dup) > 0 {
		return nil, fmt.Errorf("decode event: duplicate key %q", dup[0])
	}
	name := raw.String("type")
	row := eventTable().byName[name]
	if row == nil {
		return nil, fmt.Errorf("decode event: unknown event %q", name)
	}
	in, err := row.decode(raw, hook.Common{
		SessionID: raw.String("sessionId"), TranscriptPath: raw.String("sessionFile"), CWD: raw.String("cwd"),
	})
	if err != nil {
		return nil, fmt.Errorf("decode event: %w", err)
	}
	return in, nil
}

// EncodeOutcome answers a host of this dialect: what a handler would return,
// or null. There is no question to a person in the dialect; ask and defer on a
// tool call are answered as a block that says so.
func (foreignCodec) EncodeOutcome(in hook.Input, out *hook.Outcome) (handler.Answer, []string, error) {
	row := eventTable().byID[in.Event()]
	if row == nil {
		return handler.Answer{}, nil, fmt.Errorf("encode the answer to %v: the dialect has no such event", in.Event())
	}
	var answer any
	if row.reply != nil {
		answer = row.reply(in, out)
	}
	b, err := json.Marshal(answer, hook.EncodeOptions())
	if err != nil {
		return handler.Answer{}, nil, fmt.Errorf("encode the answer to %v: %w", in.Event(), err)
	}
	return handler.Answer{Stdout: append(b, '\n')}, out.Lost(row.says), nil
}

func replyBlock(_ hook.Input, out *hook.Outcome) any {
	switch {
	case out.Decision == hook.DecisionAsk:
		return values{"block": true, "reason": "a person would have to be asked: " + out.Reason}
	case out.Decision == hook.DecisionDefer:
		return values{"block": true, "reason": "deferred: " + out.Reason}
	case out.Decision == hook.DecisionDeny:
		return values{"block": true, "reason": orElse(out.Reason, defaultBlock)}
	case out.Halt:
		return values{"block": true, "reason": orElse(out.StopReason, defaultBlock)}
	}
	return nil
}

// replyResult answers tool_result. What hooks have to say to the model goes
// behind the tool's own content: the dialect has no other place for it.
func replyResult(in hook.Input, out *hook.Outcome) any {
	v := values{}
	name, response := "", out.UpdatedOutput
	switch in := in.(type) {
	case *hook.PostToolUse:
		name = in.ToolName
		if response.IsZero() {
			response = in.ToolResponse
		}
	case *hook.PostToolUseFailure:
		name = in.ToolName
		if response.IsZero() {
			response = orJSON(in.ToolResponse, hook.MustJSON(in.Error))
		}
	}
	said := forModel(out)
	if !out.UpdatedOutput.IsZero() || len(said) > 0 {
		o := splitResponse(name, response)
		v["content"] = withBlocks(o.content, said)
		if !o.details.IsZero() && !out.UpdatedOutput.IsZero() {
			v["details"] = o.details
		}
		if !o.structured.IsZero() { // which new content drops
			v[structured] = o.structured
		}
	}
	switch out.IsError {
	case hook.Yes:
		v["isError"] = true
	case hook.No:
		v["isError"] = false
	}
	if len(v) == 0 {
		return nil
	}
	return v
}

// forModel is what hooks have to say to the model.
func forModel(out *hook.Outcome) []string {
	var said []string
	if out.Decision == hook.DecisionDeny && out.Reason != "" {
		said = append(said, out.Reason)
	}
	said = append(said, out.Context...)
	return append(said, out.SystemMessages...)
}

func orJSON(v, other hook.JSON) hook.JSON {
	if v.IsZero() {
		return other
	}
	return v
}

// withBlocks adds texts to content.
func withBlocks(content hook.JSON, texts []string) hook.JSON {
	var blocks []hook.JSON
	if len(texts) == 0 || content.Decode(&blocks) != nil {
		return content
	}
	for _, text := range texts {
		blocks = append(blocks, hook.MustJSON(block{"text", text}))
	}
	return hook.MustJSON(blocks)
}

func replyCancel(_ hook.Input, out *hook.Outcome) any {
	v := values{}
	if out.Blocked() {
		v["cancel"] = true
	}
	if out.SkipConversationRestore {
		v["skipConversationRestore"] = true
	}
	if out.Compaction != nil {
		v["compaction"] = out.Compaction
	}
	if out.Summary != nil {
		v["summary"] = out.Summary
	}
	if len(v) == 0 {
		return nil
	}
	return v
}
