package host

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/hookline-dev/hookline/agent"
	"github.com/hookline-dev/hookline/agent/subagent"
	"github.com/hookline-dev/hookline/dialect"
	"github.com/hookline-dev/hookline/dialect/claude"
	"github.com/hookline-dev/hookline/discovery"
	"github.com/hookline-dev/hookline/hook"
	"github.com/hookline-dev/hookline/permission"
	"github.com/hookline-dev/hookline/trust"
)

// scopedHooks makes the hooks in a subagent's file. Those of a project's file need
// approval, with the files that they run: without it the subagent does not start.
func (h *Agent) scopedHooks(d subagent.Definition, agentID string) ([]hook.Registration, error) {
	if h.Host.opts.NoHooks {
		return nil, nil
	}
	file := agentFile(d)
	regs, set := h.Loader.AgentHooks(context.Background(), file, dialect.AgentStart{ID: agentID, Group: h.Registry.Group("claude agent "+agentID, hook.Parallel, claude.Rank)})
	h.diagnose(set.Diagnostics)
	changed := slices.ContainsFunc(set.Hooks, func(f discovery.Found) bool { return f.Status == discovery.Untrusted })
	if d.Project && (changed || !h.agentHooksApproved(d)) {
		return nil, fmt.Errorf("%s has hooks that are not approved; 'hookline trust' shows and approves them", d.Path)
	}
	return regs, nil
}

// agentHooksApproved reports whether the hooks in a subagent's file may run.
func (h *Host) agentHooksApproved(d subagent.Definition) bool {
	return !slices.ContainsFunc(h.Loader.AgentArtifacts(agentFile(d)), func(a trust.Artifact) bool { return !h.allows(a) })
}

func agentFile(d subagent.Definition) dialect.AgentFile {
	return dialect.AgentFile{Name: d.Name, Path: d.Path, Project: d.Project}
}

func named(list []subagent.Definition, name string) int {
	return slices.IndexFunc(list, func(d subagent.Definition) bool { return d.Name == name })
}

// workAs gives the session the prompt and the model of the subagent that it works as, and
// forbids what that may not use.
func (h *Agent) workAs(cfg *agent.Config) error {
	if h.opts.Agent == "" {
		return nil
	}
	i := named(h.Subagents, h.opts.Agent)
	if i < 0 {
		return &OptionError{"Agent", h.opts.Agent, errors.New("there is no subagent of this name")}
	}
	d := h.Subagents[i]
	if cfg.System == nil {
		cfg.System = []string{agent.DefaultSystem}
	}
	cfg.System = slices.Clone(cfg.System)
	for i, part := range cfg.System {
		if part == agent.DefaultSystem {
			cfg.System[i] = d.Prompt
		}
	}
	for _, name := range d.Disallowed {
		r, err := permission.ParseRule(name)
		if err != nil {
			return &OptionError{"Agent", d.Name, fmt.Errorf("disallowed tool %q: %w", name, err)}
		}
		h.Permission.ChangeRules(nil, []permission.Entry{{Rule: r, Behavior: permission.Deny, Scope: permission.ScopeCLI}})
	}
	if d.Model == "" || h.opts.Model != "" {
		return nil
	}
	m, err := h.resolveModel(d.Model)
	if err != nil {
		return &OptionError{"Agent", d.Name, err}
	}
	h.Model, cfg.Model, cfg.ModelName, cfg.Window = m, m.Provider, m.Name, m.Price.Window
	return nil
}

// limitTools limits what the model is offered to the tools of the subagent that the session
// works as.
func (h *Agent) limitTools(cfg agent.Config) {
	i := named(h.Subagents, h.opts.Agent)
	if h.Loop == nil || i < 0 || h.Subagents[i].Tools == nil {
		return
	}
	names := slices.Clone(h.Subagents[i].Tools)
	for _, t := range cfg.MainTools {
		names = append(names, t.Name())
	}
	h.Loop.SetActiveTools(names)
}
