package host

import (
	"fmt"
	"os"

	"github.com/hookline-dev/hookline/agent/subagent"
	"github.com/hookline-dev/hookline/dialect/claude"
	"github.com/hookline-dev/hookline/hook"
)

// scopedHooks reads the hooks in a subagent's file. Those of a project's file need
// approval.
func (h *Agent) scopedHooks(d subagent.Definition, agentID string) ([]hook.Registration, error) {
	if h.Host.opts.NoHooks {
		return nil, nil
	}
	if d.Project && !h.agentHooksApproved(d) {
		return nil, fmt.Errorf("%s has hooks that are not approved; 'hookline trust' shows and approves them", d.Path)
	}
	data, err := os.ReadFile(d.Path)
	if err != nil {
		return nil, err
	}
	settings, diags := claude.ParseFrontmatter(d.Path, data, claude.Options{Scope: claude.ScopeAgent})
	h.diagnose(diags)
	b := claude.Builder{
		Group: h.Registry.Group("claude agent "+agentID, hook.Parallel, claude.Rank), ProjectDir: h.Dirs.Project, StartDir: h.Dir, Home: h.Dirs.Home,
		AgentID: agentID, Entrypoint: "cli", Model: h.services,
	}
	regs, diags := settings.Registrations(b)
	h.diagnose(diags)
	return regs, nil
}

func (h *Agent) agentHooksApproved(d subagent.Definition) bool {
	return h.Gate.Check(subagentArtifact(h.Dirs.Project, d)).Allowed
}
