package pi

import (
	"strings"

	"github.com/hookline-dev/hookline/handler/script"
	"github.com/hookline-dev/hookline/hook"
)

// systemRole is the role of the message that has the system prompt.
const systemRole = "system"

// besideEvents are those that come before or after another one of the same moment.
func besideEvents() []event {
	out := []event{
		contextWithSystem(),
		plain(hook.EventAgentEnd, []string{"agent_before_settle"}, func(in *hook.AgentEnd) any { return values{"outcome": orElse(in.Outcome, "completed")} },
			func(raw hook.JSON, base hook.Common) hook.Input {
				return &hook.AgentEnd{Common: base, Outcome: raw.String("outcome")}
			}),
		providerHeaders(),
	}
	for i := range out {
		out[i].beside, out[i].last = true, !out[i].first
	}
	return out
}

// contextWithSystem is the context with the system prompt as its first message.
func contextWithSystem() event {
	return event{
		names: []string{"context_with_system"}, canonical: []hook.Event{hook.EventContext}, track: "messages", keys: []string{"messages"},
		encode: func(_ *codec, in hook.Input) (any, error) {
			c, ok := in.(*hook.Context)
			if !ok {
				return nil, unexpected(in)
			}
			first := hook.MustJSON(values{"role": systemRole, "content": c.SystemPrompt})
			return values{"messages": append([]hook.JSON{first}, messagesOut(c.Messages)...)}, nil
		},
		result: func(_ *codec, in hook.Input, answer hook.JSON, res *hook.Result) {
			m, ok := member(answer, "messages")
			if !ok {
				m, ok = answer.Get(script.InPlace + "messages")
			}
			if !ok {
				return
			}
			system, rest := systemIn(m)
			res.Messages = messagesIn(rest)
			// Without one the prompt stays: nobody means to ask without it.
			if c, is := in.(*hook.Context); is && system != nil && *system != c.SystemPrompt {
				res.Host = &hook.HostEffects{SystemPrompt: system}
				c.SystemPrompt = *system // the next handler sees it
			}
		},
		decode: func(raw hook.JSON, base hook.Common) (hook.Input, error) {
			m, _ := raw.Get("messages")
			system, rest := systemIn(m)
			in := &hook.Context{Common: base, Messages: messagesIn(rest)}
			if system != nil {
				in.SystemPrompt = *system
			}
			return in, nil
		},
	}
}

// systemIn parts the messages that have the system prompt from the others; nil is none.
func systemIn(messages hook.JSON) (system *string, rest hook.JSON) {
	list, _ := blocksOf(messages)
	var texts []string
	others := []hook.JSON{}
	for _, m := range list {
		if m.String("role") != systemRole {
			others = append(others, m)
			continue
		}
		content, _ := m.Get("content")
		texts = append(texts, hook.Message{Content: content}.Text())
	}
	if texts != nil {
		all := strings.Join(texts, "\n\n")
		system = &all
	}
	return system, hook.MustJSON(others)
}

// providerHeaders are the headers that a request is sent with besides the provider's own.
func providerHeaders() event {
	e := plain(hook.EventProviderRequest, []string{"before_provider_headers"}, func(in *hook.ProviderRequest) any {
		headers, ok := member(in.Payload, "headers")
		if !ok {
			headers = hook.RawJSON("{}")
		}
		return values{"headers": headers}
	}, func(raw hook.JSON, base hook.Common) hook.Input {
		in := &hook.ProviderRequest{Common: base, Payload: hook.RawJSON("{}")}
		if headers, ok := member(raw, "headers"); ok {
			set(&in.Payload, "headers", headers)
		}
		return in
	})
	e.first, e.track, e.keys = true, "headers", []string{}
	e.result = func(_ *codec, in hook.Input, answer hook.JSON, res *hook.Result) {
		request, ok := in.(*hook.ProviderRequest)
		headers, changed := answer.Get(script.InPlace + "headers")
		if !ok || !changed {
			return
		}
		for _, name := range headers.Keys() {
			if v, _ := headers.Get(name); v.Raw() == "null" { // takes away what a provider adds: there is none
				headers.Delete(name)
			}
		}
		payload := request.Payload
		set(&payload, "headers", headers)
		res.UpdatedInput = payload
	}
	return e
}
