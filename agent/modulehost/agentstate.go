package modulehost

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/hookline-dev/hookline/agent"
	"github.com/hookline-dev/hookline/agent/model"
	"github.com/hookline-dev/hookline/agent/tool"
	"github.com/hookline-dev/hookline/handler/script"
	"github.com/hookline-dev/hookline/hook"
)

// AgentQuery answers what a module asks about the agent.
func (h *Host) AgentQuery(what string) ([]byte, error) {
	if what == "mode" {
		return encode(h.mode())
	}
	a, err := h.agent()
	if err != nil {
		return nil, nil
	}
	switch what {
	case "model":
		provider, price := h.asked(a)
		return encode(map[string]any{
			"id": a.Model(), "name": a.Model(), "provider": provider, "contextWindow": price.Window, "input": []string{"text", "image"}, "reasoning": a.Effort() != "",
			"cost": map[string]float64{"input": price.Input, "output": price.Output, "cacheRead": price.CacheRead, "cacheWrite": price.CacheWrite},
		})
	case "contextUsage":
		_, price := h.asked(a)
		usage := map[string]any{"tokens": a.ContextTokens(), "contextWindow": price.Window}
		if price.Window > 0 {
			usage["percent"] = 100 * float64(a.ContextTokens()) / float64(price.Window)
		}
		return encode(usage)
	case "systemPrompt":
		return encode(a.SystemPrompt())
	case "systemPromptOptions":
		return encode(h.promptOptions(a))
	case "thinkingLevel":
		return encode(cmp.Or(a.Effort(), "off"))
	case "activeTools":
		return encode(toolNames(a.Tools()))
	case "allTools":
		list := []map[string]any{}
		for _, t := range a.AllTools() {
			source := "builtin"
			if _, ok := t.(*moduleTool); ok {
				source = "extension"
			}
			list = append(list, map[string]any{
				"name": t.Name(), "description": t.Description(), "parameters": t.Schema(), "sourceInfo": map[string]string{"source": source, "path": "<" + source + ":" + t.Name() + ">"},
			})
		}
		return encode(list)
	case "commands":
		if h.opts.Commands == nil {
			return []byte("[]"), nil
		}
		return encode(h.opts.Commands())
	case "sessionName":
		if t := a.Title(); t != "" {
			return encode(t)
		}
	}
	return nil, nil
}

// asked names the provider of the model that answers now, and says what it costs.
func (h *Host) asked(a *agent.Agent) (provider string, price model.Price) {
	name := a.RequestedModel()
	provider, _, named := strings.Cut(name, "/")
	if !named { // it is the one that the agent was made with
		return h.opts.Provider, h.opts.Price
	}
	price, _ = model.DefaultPrices().Lookup(name)
	return provider, price
}

// promptOptions are what the system prompt is about.
func (h *Host) promptOptions(a *agent.Agent) map[string]any {
	snippets, files, skills := map[string]string{}, []map[string]string{}, []Skill{}
	for _, t := range a.Tools() {
		snippets[t.Name()], _, _ = strings.Cut(t.Description(), "\n")
	}
	for _, f := range a.Instructions() {
		files = append(files, map[string]string{"path": f.Path, "content": f.Text})
	}
	if h.opts.Skills != nil {
		skills = h.opts.Skills()
	}
	return map[string]any{
		"cwd": a.Dir(), "selectedTools": toolNames(a.Tools()), "toolSnippets": snippets, "toolGuidelines": map[string]any{}, "promptGuidelines": []string{},
		"contextFiles": files, "skills": skills,
	}
}

func toolNames(tools []tool.Tool) []string {
	out := []string{}
	for _, t := range tools {
		out = append(out, t.Name())
	}
	return out
}

func encode(v any) ([]byte, error) {
	return json.Marshal(v, jsontext.AllowInvalidUTF8(true), json.Deterministic(true))
}

// AgentSet changes something of the agent. What has no place here is dropped.
func (h *Host) AgentSet(what string, value []byte) error {
	a, err := h.agent()
	if err != nil {
		return err
	}
	switch what {
	case "activeTools":
		var names []string
		if err := json.Unmarshal(value, &names); err != nil {
			return fmt.Errorf("setActiveTools: %w", err)
		}
		a.SetActiveTools(append([]string{}, names...))
	case "thinkingLevel":
		// Which models think nobody knows but who started the agent with an effort.
		if level, ok := hook.RawJSON(value).AsString(); ok && a.Effort() != "" {
			a.SetEffort(effortOf(level))
		}
	case "sessionName":
		var name string
		if err := json.Unmarshal(value, &name); err != nil {
			return fmt.Errorf("setSessionName: %w", err)
		}
		a.SetTitle(name)
	case "label":
		v := hook.RawJSON(value)
		return a.Session().Label(v.String("entryId"), v.String("label"))
	}
	return nil
}

// effortOf is the effort that is nearest to a level, of those that all providers know.
func effortOf(level string) string {
	switch level {
	case "off", "minimal":
		return "low"
	case "low", "medium":
		return level
	}
	return "high"
}

// AgentDo does what may wait.
func (h *Host) AgentDo(ctx context.Context, what string, args []byte) ([]byte, error) {
	a, err := h.agent()
	if err != nil {
		return nil, err
	}
	var list []jsontext.Value
	if err := json.Unmarshal(args, &list); err != nil {
		return nil, fmt.Errorf("%s: %w", what, err)
	}
	arg := hook.JSON{}
	if len(list) > 0 {
		arg = hook.RawJSON(list[0])
	}
	switch what {
	case "setModel":
		name, ok := arg.AsString()
		if !ok {
			if name = arg.String("id"); arg.String("provider") != "" {
				name = arg.String("provider") + "/" + name
			}
		}
		why, err := a.SetModel(ctx, name, "sdk")
		if err != nil {
			return nil, err
		}
		return encode(why == "")
	case "compact":
		text, _ := arg.AsString()
		e, err := a.CompactSoon(ctx, text)
		if err != nil || e == nil {
			return nil, err
		}
		return encode(map[string]any{"summary": e.Summary, "firstKeptEntryId": e.FirstKeptEntryID, "tokensBefore": e.TokensBefore})
	}
	return nil, &script.UnsupportedError{What: "pi." + what}
}
