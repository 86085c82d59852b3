package modulehost

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/hookline-dev/hookline/agent/model"
	"github.com/hookline-dev/hookline/handler/script"
	"github.com/hookline-dev/hookline/hook"
)

// noKey is what modules get in place of an API key: they only pass it on to a call
// that the agent makes with its own.
const noKey = "held-by-the-agent"

// ModelQuery answers what a module asks about models: there is the agent's, and others are
// found by their names.
func (h *Host) ModelQuery(method string, args []byte) ([]byte, error) {
	current, err := h.AgentQuery("model")
	if err != nil || current == nil {
		return nil, err
	}
	switch method {
	case "find":
		var names []string
		if json.Unmarshal(args, &names) != nil || len(names) != 2 {
			return nil, nil
		}
		if m := hook.RawJSON(current); names[0] == m.String("provider") && names[1] == m.String("id") {
			return current, nil
		}
		return h.findModel(names[0], names[1])
	case "getAll", "getAvailable":
		return append(append([]byte{'['}, current...), ']'), nil
	case "hasAuth":
		return []byte("true"), nil
	}
	return nil, nil
}

// findModel is another model that the agent can go on with, nil where nothing is known of it.
// Without a provider it is the configured one's.
func (h *Host) findModel(provider, id string) ([]byte, error) {
	a, err := h.agent()
	if err != nil || strings.Contains(provider, ":") { // which would name a file
		return nil, nil
	}
	provider = cmp.Or(provider, h.opts.Provider)
	name, known, err := a.DescribeModel(provider + "/" + id)
	if err != nil || name != id || known.Price.Window == 0 {
		return nil, nil
	}
	return encode(modelOut(provider, id, known, false))
}

// ModelDo calls the agent's model for a module. No hooks run for that, and no key
// is given away.
func (h *Host) ModelDo(ctx context.Context, method string, args []byte) ([]byte, error) {
	a, err := h.agent()
	if err != nil {
		return nil, err
	}
	switch method {
	case "getApiKey":
		return encode(noKey)
	case "complete":
	default:
		return nil, &script.UnsupportedError{What: "calling a model (" + method + ")"}
	}
	var list []jsontext.Value
	if err := json.Unmarshal(args, &list, jsontext.AllowInvalidUTF8(true)); err != nil || len(list) < 2 {
		return nil, fmt.Errorf("complete: want a model and a context")
	}
	req, err := request(hook.RawJSON(list[1]))
	if err != nil {
		return nil, fmt.Errorf("complete: %w", err)
	}
	text, err := a.Ask(ctx, req)
	if err != nil {
		return nil, err
	}
	return encode(map[string]any{
		"role": "assistant", "content": []map[string]string{{"type": "text", "text": text}}, "stopReason": "stop", "model": a.Model(),
	})
}

// request makes a call of a module's context: texts only.
func request(c hook.JSON) (*model.Request, error) {
	req := &model.Request{}
	if s := c.String("systemPrompt"); s != "" {
		req.System = []string{s}
	}
	raw, _ := c.Get("messages")
	var msgs []hook.Message
	if err := raw.Decode(&msgs); err != nil {
		return nil, fmt.Errorf("messages: %w", err)
	}
	for _, m := range msgs {
		role := model.User
		if m.Role == "assistant" {
			role = model.Assistant
		}
		if text := m.Text(); text != "" {
			req.Messages = append(req.Messages, model.Message{Role: role, Content: []model.Block{model.Text(text)}})
		}
	}
	if len(req.Messages) == 0 {
		return nil, fmt.Errorf("there is no message in the context")
	}
	return req, nil
}
