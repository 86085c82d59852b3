package modulehost

import (
	"cmp"
	"strings"

	"github.com/hookline-dev/hookline/agent"
	"github.com/hookline-dev/hookline/agent/model"
	"github.com/hookline-dev/hookline/agent/tool"
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
		known := a.Described()
		known.Price = price
		return encode(modelOut(provider, a.Model(), known, a.Effort() != ""))
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

// modelOut is a model as modules see it: it thinks where it is asked to, which only the one that
// answers is.
func modelOut(provider, id string, known model.Description, thinks bool) map[string]any {
	m := map[string]any{
		"id": id, "name": id, "provider": provider, "contextWindow": known.Price.Window, "input": []string{"text", "image"}, "reasoning": thinks,
		"cost": map[string]float64{"input": known.Price.Input, "output": known.Price.Output, "cacheRead": known.Price.CacheRead, "cacheWrite": known.Price.CacheWrite},
	}
	if known.API != "" {
		m["api"] = known.API
	}
	if known.MaxTokens > 0 {
		m["maxTokens"] = known.MaxTokens
	}
	return m
}

// asked names the provider of the model that answers now, and says what it costs.
func (h *Host) asked(a *agent.Agent) (provider string, price model.Price) {
	name := a.RequestedModel()
	provider, _, named := strings.Cut(name, "/")
	if !named { // it is the one that the agent was made with
		return h.opts.Provider, h.opts.Price
	}
	return provider, a.Described().Price
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

// mode is what modules are told of how they run: on a screen, for a program that shows
// dialogs, for one that reads JSON, or for nobody.
func (h *Host) mode() string {
	if _, draws := h.opts.UI.(screen); draws {
		return "tui"
	}
	if h.opts.UI != nil && h.opts.UI.HasUI() {
		return "rpc"
	}
	if h.opts.JSON {
		return "json"
	}
	return "print"
}
