package pi

import (
	"strings"

	"github.com/hookline-dev/hookline/handler/script"
	"github.com/hookline-dev/hookline/hook"
)

func turnEvents() []event {
	return []event{
		{
			names: []string{"context"}, canonical: []hook.Event{hook.EventContext}, track: "messages", keys: []string{"messages"},
			encode: func(_ *codec, in hook.Input) (any, error) {
				c, ok := in.(*hook.Context)
				if !ok {
					return nil, unexpected(in)
				}
				return values{"messages": messagesOut(c.Messages)}, nil
			},
			result: func(_ *codec, _ hook.Input, answer hook.JSON, res *hook.Result) {
				m, ok := member(answer, "messages")
				if !ok {
					m, ok = answer.Get(script.InPlace + "messages")
				}
				if ok {
					res.Messages = messagesIn(m)
				}
			},
			decode: func(raw hook.JSON, base hook.Common) (hook.Input, error) {
				m, _ := raw.Get("messages")
				return &hook.Context{Common: base, Messages: messagesIn(m)}, nil
			},
			says: hook.FieldMessages,
			reply: func(_ hook.Input, out *hook.Outcome) any {
				if out.Messages == nil {
					return nil
				}
				return values{"messages": messagesOut(out.Messages)}
			},
		},
		beforeAgentStart(),
		plain(hook.EventAgentStart, []string{"agent_start"}, func(*hook.AgentStart) any { return values{} },
			func(_ hook.JSON, base hook.Common) hook.Input { return &hook.AgentStart{Common: base} }),
		plain(hook.EventAgentEnd, []string{"agent_end"}, func(in *hook.AgentEnd) any { return values{"messages": messagesOut(in.Messages)} },
			func(raw hook.JSON, base hook.Common) hook.Input {
				m, _ := raw.Get("messages")
				return &hook.AgentEnd{Common: base, Messages: messagesIn(m)}
			}),
		plain(hook.EventAgentSettled, []string{"agent_settled"}, func(in *hook.AgentSettled) any { return values{"aborted": in.Aborted} },
			func(raw hook.JSON, base hook.Common) hook.Input {
				return &hook.AgentSettled{Common: base, Aborted: raw.Bool("aborted")}
			}),
		plain(hook.EventTurnStart, []string{"turn_start"}, func(in *hook.TurnStart) any {
			return values{"turnIndex": in.TurnIndex, "timestamp": in.Timestamp}
		}, func(raw hook.JSON, base hook.Common) hook.Input {
			at, _ := raw.Int("timestamp")
			return &hook.TurnStart{Common: base, TurnIndex: number(raw, "turnIndex"), Timestamp: at}
		}),
		turnEnd(),
		plain(hook.EventMessageStart, []string{"message_start"}, func(in *hook.MessageStart) any { return values{"message": unfinished(in.Message)} },
			func(raw hook.JSON, base hook.Common) hook.Input {
				return &hook.MessageStart{Common: base, Message: readMessage(raw)}
			}),
		plain(hook.EventMessageUpdate, []string{"message_update"}, func(in *hook.MessageUpdate) any {
			return values{"message": unfinished(in.Message), "assistantMessageEvent": values{"type": "text_delta", "delta": in.Delta}}
		}, func(raw hook.JSON, base hook.Common) hook.Input {
			delta, _ := raw.Get("assistantMessageEvent")
			return &hook.MessageUpdate{Common: base, Message: readMessage(raw), Delta: delta.String("delta")}
		}),
		messageEnd(),
	}
}

func turnEnd() event {
	return plain(hook.EventTurnEnd, []string{"turn_end"}, func(in *hook.TurnEnd) any {
		ids := []string{}
		for i := range in.ToolResults {
			ids = append(ids, partID(in.ResultsEntry, i, len(in.ToolResults)))
		}
		outcome := orElse(in.Outcome, "completed")
		return values{
			"turnIndex": in.TurnIndex, "message": lastAnswer(in, outcome), "toolResults": messagesOut(in.ToolResults),
			"outcome": outcome, "messageEntryId": in.MessageEntry, "toolResultEntryIds": ids,
		}
	}, func(raw hook.JSON, base hook.Common) hook.Input {
		in := &hook.TurnEnd{Common: base, TurnIndex: number(raw, "turnIndex"), Message: readMessage(raw), Outcome: raw.String("outcome")}
		if in.Message != nil {
			in.Response = in.Message.Text()
		}
		results, _ := raw.Get("toolResults")
		in.ToolResults = messagesIn(results)
		in.MessageEntry = raw.String("messageEntryId")
		if ids := raw.Strings("toolResultEntryIds"); len(ids) > 0 {
			in.ResultsEntry = ids[len(ids)-1]
		}
		return in
	})
}

// lastAnswer is the answer that a turn ended with: where the model did not come to its end,
// what it had said, which may be nothing.
func lastAnswer(in *hook.TurnEnd, outcome string) hook.JSON {
	if outcome == "completed" {
		return messageOut(in.Message, in.Response)
	}
	m := hook.Message{Role: "assistant", Content: hook.RawJSON("[]")}
	if in.Message != nil {
		m = *in.Message
	}
	out := messageOut(&m, "")
	set(&out, "stopReason", outcome)
	if !out.Has("usage") {
		set(&out, "usage", usageOut(hook.JSON{}, hook.JSON{}))
	}
	return out
}

// unfinished is a message that may still grow.
func unfinished(m *hook.Message) hook.JSON {
	out := messageOut(m, "")
	if m != nil && m.Role == "assistant" && !out.Has("stopReason") {
		set(&out, "stopReason", pending)
	}
	return out
}

func messageEnd() event {
	e := plain(hook.EventMessageEnd, []string{"message_end"}, func(in *hook.MessageEnd) any { return values{"message": messageOut(in.Message, "")} },
		func(raw hook.JSON, base hook.Common) hook.Input {
			return &hook.MessageEnd{Common: base, Message: readMessage(raw)}
		})
	e.keys = []string{"message"}
	e.result = func(_ *codec, in hook.Input, answer hook.JSON, res *hook.Result) {
		if m, ok := in.(*hook.MessageEnd); ok && answer.Has("message") {
			if after := readMessage(answer); after != nil {
				res.Host = &hook.HostEffects{Message: after}
				m.Message = after // the next handler sees it
			}
		}
	}
	e.says = hook.FieldMessage
	e.reply = func(_ hook.Input, out *hook.Outcome) any {
		if out.Host == nil || out.Host.Message == nil {
			return nil
		}
		return values{"message": messageOut(out.Host.Message, "")}
	}
	return e
}

// injectKey marks an event for which a handler gave a message already.
const injectKey = "pi.message"

func beforeAgentStart() event {
	e := plain(hook.EventUserPromptSubmit, []string{"before_agent_start"}, func(in *hook.UserPromptSubmit) any {
		v := values{"prompt": in.Prompt, "systemPrompt": in.SystemPrompt, "messageType": "user"}
		if len(in.Images) > 0 {
			v["images"] = imagesOut(in.Images)
		}
		return v
	}, func(raw hook.JSON, base hook.Common) hook.Input {
		v, _ := raw.Get("systemPrompt")
		system, _ := promptOf(v)
		return &hook.UserPromptSubmit{Common: base, Prompt: raw.String("prompt"), Images: imagesIn(array(raw, "images")), SystemPrompt: system}
	})
	whole := e.encode
	e.encode = func(c *codec, in hook.Input) (any, error) {
		v, err := whole(c, in)
		if m, ok := v.(values); ok && c.rules.promptParts {
			m["systemPrompt"] = []any{m["systemPrompt"]}
		}
		return v, err
	}
	e.keys = []string{"message", "systemPrompt"}
	e.result = func(c *codec, in hook.Input, answer hook.JSON, res *hook.Result) {
		if m, ok := member(answer, "message"); ok {
			injectMessage(c, in, m, res)
		}
		prompt, ok := in.(*hook.UserPromptSubmit)
		text, has := member(answer, "systemPrompt")
		if s, is := promptOf(text); ok && has && is && c.kind == script.KindExtension {
			res.Host = &hook.HostEffects{SystemPrompt: &s}
			prompt.SystemPrompt = s // the next handler sees it
		}
	}
	e.says = hook.FieldInject | hook.FieldContext | hook.FieldSystemMessage | hook.FieldSystemPrompt
	e.reply = func(_ hook.Input, out *hook.Outcome) any {
		v := values{}
		if said := forModel(out); len(out.Inject) > 0 {
			m := out.Inject[0] // there is room for one: the others stand in it
			m.Content = resultContent(m.Content)
			for _, other := range out.Inject[1:] {
				first, _ := blocksOf(m.Content)
				more, _ := blocksOf(resultContent(other.Content))
				m.Content = hook.MustJSON(append(first, more...))
			}
			m.Content = withBlocks(m.Content, said)
			v["message"] = m
		} else if len(said) > 0 {
			v["message"] = hook.CustomMessage{CustomType: "hooks", Content: withBlocks(hook.RawJSON("[]"), said)}
		}
		if out.Host != nil && out.Host.SystemPrompt != nil {
			v["systemPrompt"] = *out.Host.SystemPrompt
		}
		return v
	}
	return e
}

// promptOf is a system prompt that a handler answers with: a text, or several.
func promptOf(v hook.JSON) (string, bool) {
	if s, ok := v.AsString(); ok {
		return s, true
	}
	var parts []string
	if v.IsZero() || v.Decode(&parts) != nil {
		return "", false
	}
	return strings.Join(parts, "\n\n"), true
}

// injectMessage adds a handler's message. Where only the first of all handlers counts,
// the later ones are dropped.
func injectMessage(c *codec, in hook.Input, m hook.JSON, res *hook.Result) {
	if note(in, injectKey) && !c.rules.allMessages {
		return
	}
	content, _ := member(m, "content")
	details, _ := member(m, "details")
	display, has := m.Get("display")
	res.Inject = &hook.CustomMessage{CustomType: m.String("customType"), Content: content, Display: !has || truthy(display), Details: details}
}

func readMessage(raw hook.JSON) *hook.Message {
	v, ok := member(raw, "message")
	if !ok {
		return nil
	}
	return messageIn(v)
}

func number(raw hook.JSON, key string) int {
	n, _ := raw.Int(key)
	return int(n)
}
