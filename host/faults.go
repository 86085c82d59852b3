package host

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/hookline-dev/hookline/agent/instructions"
	"github.com/hookline-dev/hookline/agent/mcp"
	"github.com/hookline-dev/hookline/agent/model/registry"
	"github.com/hookline-dev/hookline/agent/rules"
	"github.com/hookline-dev/hookline/agent/subagent"
	"github.com/hookline-dev/hookline/diag"
	"github.com/hookline-dev/hookline/recipe"
	"github.com/hookline-dev/hookline/skill"
)

// Faults is what is wrong with the files that the agent reads besides hooks: permissions and
// environment in settings, recipes, skills, subagents, rules, instructions, MCP servers and
// models. Nothing is run to find out; the error is the context's.
func (h *Host) Faults(ctx context.Context) ([]diag.Diagnostic, error) {
	places := h.places()
	recipes, err := recipe.Discover(ctx, recipe.Options{Places: places})
	if err != nil {
		return nil, err
	}
	skills, err := skill.Discover(ctx, skill.Options{Places: places})
	if err != nil {
		return nil, err
	}
	out := slices.Concat(recipes.Diagnostics, skills.Diagnostics, settingsFaults(h.Dirs))
	project, home := h.Dirs.Read()
	var faults [7]error
	_, faults[0] = instructions.Load(project, home)
	_, faults[1] = rules.Load(rules.Dirs(project, home)...)
	_, faults[2] = subagent.Load(project, home)
	_, faults[3] = h.pluginAgents()
	faults[4] = h.pluginServers(func(mcp.Server, bool) {})
	if path := filepath.Join(project, ".mcp.json"); project != "" {
		data, err := readServers(path)
		if data != nil {
			_, err = mcp.ParseConfig(data, path)
		}
		faults[5] = err
	}
	_, faults[6] = registry.ReadFile(h.modelsFile())
	return append(out, diag.In(errors.Join(faults[:]...))...), nil
}

// readServers reads the file at path, of MCP servers; there is nil of one that is not there.
func readServers(path string) ([]byte, error) {
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read MCP servers: %w", err)
	}
	return data, nil
}
