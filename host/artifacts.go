package host

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"github.com/hookline-dev/hookline/agent/mcp"
	"github.com/hookline-dev/hookline/agent/subagent"
	"github.com/hookline-dev/hookline/dialect"
	"github.com/hookline-dev/hookline/dialect/claude"
	"github.com/hookline-dev/hookline/permission"
	"github.com/hookline-dev/hookline/skill"
	"github.com/hookline-dev/hookline/trust"
	"github.com/hookline-dev/hookline/ui"
)

// projectArtifact is what approval of a file of the project is about, other than a
// hook: what it would let the agent do, or start.
func projectArtifact(root, name, path, definition string) trust.Artifact {
	return trust.Artifact{
		Name: name, Dialect: "hookline", Level: "project", Root: root, Source: path, Definition: definition, Files: []string{path},
	}
}

func permissionArtifact(root, path string) trust.Artifact {
	return projectArtifact(root, "permissions", path, "permission rules")
}

// serverArtifact covers what a server of the project runs when it is started.
func (h *Host) serverArtifact(s mcp.Server) trust.Artifact {
	a := projectArtifact(h.Dirs.Project, "mcp:"+s.Name, s.File, fmt.Sprintf("MCP server %s: %s %s %s", s.Name, s.Command, strings.Join(s.Args, " "), s.URL))
	if s.Command == "" {
		return a
	}
	line := dialect.CommandLine{Command: s.Command, Args: append([]string{}, s.Args...), Dir: h.Dir, Vars: s.Vars}
	if len(s.Env) > 0 {
		line.Command, line.Args = "env", nil
		for _, name := range slices.Sorted(maps.Keys(s.Env)) {
			line.Args = append(line.Args, name+"="+s.Env[name])
		}
		line.Args = slices.Concat(line.Args, []string{s.Command}, s.Args)
	}
	// Servers are there before hooks are looked for, since hooks may be calls of them.
	kit, f := dialect.Kit{Dirs: h.Dirs, Config: h.Config}, dialect.Found{Level: a.Level}
	kit.SeeCommand(&f, line)
	a.First = func() []string { return []string{s.File} }
	a.Files, a.Trees, a.Unseen = append(a.Files, f.Artifact.Files...), f.Artifact.Trees, f.Artifact.Unseen
	return a
}

// allows reports whether something besides hooks may run, and says which files its approval, by
// earlier rules, leaves out.
func (h *Host) allows(a trust.Artifact) bool {
	v := h.Gate.Check(a)
	if v.Allowed && len(v.Uncovered) > 0 {
		h.notify(ui.Warning, "%s: newly covered files: %s; approve once with hookline trust", a.Name, strings.Join(v.Uncovered, ", "))
	}
	return v.Allowed
}

// permissionScope is the scope of the rules of a settings file.
func permissionScope(f claude.SettingsFile) permission.Scope {
	if f.Scope == claude.ScopeFlag {
		return permission.ScopeCLI
	}
	switch f.Level() {
	case "managed":
		return permission.ScopeManaged
	case "project":
		return permission.ScopeProject
	case "local":
		return permission.ScopeLocal
	}
	return permission.ScopeUser
}

// AgentArtifacts lists what a project brings to the agent besides hooks that needs an
// approval: environment variables, permission rules that loosen something, MCP servers, hooks of subagents,
// and tools of skills and commands. Files that cannot be read are left out; the agent
// says why when it runs.
func (h *Host) AgentArtifacts(ctx context.Context) []trust.Artifact {
	d := h.Dirs
	if d.Project == "" || d.Project == d.Home {
		return nil
	}
	var out []trust.Artifact
	for _, f := range claude.SettingsFiles(d) {
		if !f.OfProject() {
			continue
		}
		if vars, _ := envOf(f); len(vars) > 0 {
			out = append(out, envArtifact(d.Project, f.Path, vars))
		}
		data, err := f.Read()
		if err != nil {
			continue
		}
		if s, err := permission.ParseSettings(data, permissionScope(f), f.Path); err == nil && !reflect.DeepEqual(s, s.Untrusted()) {
			out = append(out, permissionArtifact(d.Project, f.Path))
		}
	}
	path := filepath.Join(d.Project, ".mcp.json")
	if data, err := os.ReadFile(path); err == nil {
		servers, _ := mcp.ParseConfig(data, path)
		for _, s := range servers {
			out = append(out, h.serverArtifact(s))
		}
	}
	_ = h.pluginServers(func(s mcp.Server, project bool) { // what is wrong with them is said when the agent runs
		if project {
			out = append(out, h.serverArtifact(s))
		}
	})
	agents, _ := subagent.Load(d.Project, d.Home)
	for _, def := range agents {
		if def.Hooks == nil {
			continue
		}
		for _, a := range h.Loader.AgentArtifacts(agentFile(def)) {
			if def.Project || !h.Gate.Check(a).Allowed { // one of the person may run what the project holds
				out = append(out, a)
			}
		}
	}
	skills, err := skill.Discover(ctx, skill.Options{Places: h.places()})
	if err != nil {
		return out // the context ended
	}
	for _, a := range h.toolGrants(ctx, skills, nil) {
		if a.Level == "project" {
			out = append(out, a)
		}
	}
	return out
}
