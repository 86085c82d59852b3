package agentsdk

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/hookline-dev/hookline/agent"
	"github.com/hookline-dev/hookline/agent/mcp"
	"github.com/hookline-dev/hookline/agent/subagent"
	"github.com/hookline-dev/hookline/dialect/claude"
	"github.com/hookline-dev/hookline/hook"
	"github.com/hookline-dev/hookline/host"
)

// initialize is what a program asks for before the agent is made.
type initialize struct {
	Hooks        map[string][]callbackMatcher `json:"hooks"`
	Servers      []string                     `json:"sdkMcpServers"`
	Schema       jsontext.Value               `json:"jsonSchema"`
	System       words                        `json:"systemPrompt"`
	AppendSystem string                       `json:"appendSystemPrompt"`
	Agents       jsontext.Value               `json:"agents"`
}

// callbackMatcher is callbacks of the program for one event and matcher.
type callbackMatcher struct {
	Matcher   string   `json:"matcher"`
	Callbacks []string `json:"hookCallbackIds"`
	Timeout   float64  `json:"timeout"` // seconds; 0 is callbackTimeout
	OnFailure string   `json:"onFailure"`
}

// words is a list of strings, or one of them alone.
type words []string

// UnmarshalJSONFrom reads either.
func (w *words) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	raw, err := dec.ReadValue()
	if err != nil {
		return err
	}
	if raw.Kind() == '"' {
		var one string
		err = decode(raw, &one)
		*w = words{one}
		return err
	}
	return decode(raw, (*[]string)(w))
}

// shape makes the options of the agent what the program has asked for.
func (s *Server) shape(o *host.Options, ao *host.AgentOptions) error {
	if o.Registry == nil {
		o.Registry = hook.NewRegistry()
	}
	if err := s.registerCallbacks(o.Registry); err != nil {
		return err
	}
	for _, name := range s.init.Servers {
		ao.Servers = append(ao.Servers, mcp.Server{Name: name, Type: "sdk", Transport: func() sdk.Transport { return s.transport(name) }})
	}
	if s.init.System != nil {
		ao.System = s.init.System
	}
	if s.init.AppendSystem != "" {
		if ao.System == nil {
			ao.System = []string{agent.DefaultSystem}
		}
		ao.System = append(ao.System, s.init.AppendSystem)
	}
	if s.init.Schema != nil {
		if err := s.Answer(s.init.Schema, o, ao); err != nil {
			return err
		}
	}
	defs, err := ParseAgents(s.init.Agents)
	if err != nil {
		return err
	}
	ao.Subagents = append(defs, ao.Subagents...)
	return nil
}

// hears leaves the callbacks out while the session begins, which comes before the program's
// requests.
func (s *Server) hears(hook.Input) (hook.Matched, string) {
	if s.opening.Load() {
		return hook.MatchNo, "the session begins before the program is asked anything"
	}
	return hook.MatchYes, ""
}

// registerCallbacks makes hooks of the program's callbacks. They run before those of
// settings files, and what all of them say is merged as ever.
func (s *Server) registerCallbacks(reg *hook.Registry) error {
	group := reg.Group("sdk", hook.Parallel, claude.Rank)
	codec := claude.NewCodec(claude.CodecOptions{})
	for _, name := range slices.Sorted(maps.Keys(s.init.Hooks)) {
		event, ok := hook.ParseEvent(name)
		if !ok {
			return fmt.Errorf("hooks: there is no event %q", name)
		}
		for _, m := range s.init.Hooks[name] {
			r := hook.Registration{Event: event, Dialect: claude.Name, Source: "the program", Scope: "program", Group: group, OnFailure: failurePolicies[m.OnFailure], Summaries: true, Condition: s.hears}
			if _, ok := failurePolicies[m.OnFailure]; !ok {
				return fmt.Errorf("hooks of %s: onFailure is continue or block, not %q", name, m.OnFailure)
			}
			var err error
			if r.Matcher, err = claude.ParseMatcher(event, m.Matcher); err != nil {
				return fmt.Errorf("hooks of %s: matcher %q: %w", name, m.Matcher, err)
			}
			timeout := callbackTimeout
			if m.Timeout > 0 {
				timeout = time.Duration(min(m.Timeout, maxTimeout.Seconds()) * float64(time.Second))
			}
			for _, id := range m.Callbacks {
				r.Name, r.Handler = id, &callback{s: s, id: id, timeout: timeout, codec: codec}
				if _, err := reg.Add(r); err != nil {
					return fmt.Errorf("hooks of %s: %w", name, err)
				}
			}
		}
	}
	return nil
}

var failurePolicies = map[string]hook.FailurePolicy{"": hook.FailDefault, "continue": hook.FailOpen, "block": hook.FailClosed}

// ParseAgents reads definitions of subagents, by name, as programs and --agents give them.
// A member that means nothing here is an error.
func ParseAgents(raw jsontext.Value) ([]subagent.Definition, error) {
	var agents map[string]map[string]jsontext.Value
	if len(raw) == 0 {
		return nil, nil
	}
	if err := decode(raw, &agents); err != nil {
		return nil, fmt.Errorf("agents: %w", err)
	}
	var out []subagent.Definition
	for _, name := range slices.Sorted(maps.Keys(agents)) {
		d := subagent.Definition{Name: name}
		for _, key := range slices.Sorted(maps.Keys(agents[name])) {
			to := map[string]any{
				"description": &d.Description, "prompt": &d.Prompt, "tools": &d.Tools, "disallowedTools": &d.Disallowed, "model": &d.Model, "maxTurns": &d.MaxTurns,
			}[key]
			if to == nil {
				return nil, fmt.Errorf("agents: %s: %s means nothing here; there are description, prompt, tools, disallowedTools, model and maxTurns", name, key)
			}
			if err := decode(agents[name][key], to); err != nil {
				return nil, fmt.Errorf("agents: %s: %s: %w", name, key, err)
			}
		}
		if d.Model == "inherit" {
			d.Model = ""
		}
		if strings.TrimSpace(name) == "" || d.Description == "" || d.Prompt == "" {
			return nil, fmt.Errorf("agents: %q needs a name, a description and a prompt", name)
		}
		out = append(out, d)
	}
	return out, nil
}
