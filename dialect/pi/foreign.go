package pi

import (
	"fmt"

	"github.com/go-json-experiment/json"

	"github.com/hookline-dev/hookline/hook"
)

// DecodeInput reads an event as a host of this dialect emits it. A host that can
// adds cwd, sessionId and sessionFile to it.
func DecodeInput(data []byte) (hook.Input, error) {
	raw := hook.RawJSON(data)
	if !raw.Valid() {
		return nil, fmt.Errorf("decode event: it is not valid JSON")
	}
	if dup := raw.DuplicateKeys(); len(dup) > 0 {
		return nil, fmt.Errorf("decode event: duplicate key %q", dup[0])
	}
	name := raw.String("type")
	row := the.byName[name]
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
func EncodeOutcome(in hook.Input, out *hook.Outcome) ([]byte, error) {
	row := the.byID[in.Event()]
	if row == nil {
		return nil, fmt.Errorf("encode the answer to %v: the dialect has no such event", in.Event())
	}
	var answer any
	if row.reply != nil {
		answer = row.reply(in, out)
	}
	b, err := json.Marshal(answer, hook.EncodeOptions())
	if err != nil {
		return nil, fmt.Errorf("encode the answer to %v: %w", in.Event(), err)
	}
	return append(b, '\n'), nil
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

func replyResult(in hook.Input, out *hook.Outcome) any {
	v := values{}
	if !out.UpdatedOutput.IsZero() {
		name := ""
		switch in := in.(type) {
		case *hook.PostToolUse:
			name = in.ToolName
		case *hook.PostToolUseFailure:
			name = in.ToolName
		}
		content, details := splitResponse(name, out.UpdatedOutput)
		v["content"] = content
		if !details.IsZero() {
			v["details"] = details
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
