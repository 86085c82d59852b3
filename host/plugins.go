package host

import (
	"cmp"
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"strings"

	"github.com/hookline-dev/hookline/agent/mcp"
	"github.com/hookline-dev/hookline/agent/subagent"
	"github.com/hookline-dev/hookline/plugin"
)

// pluginName is what the parts of a plugin are called after: the name in its manifest, or
// that of its directory.
func pluginName(l plugin.Level, c *plugin.Claude) string {
	if c == nil {
		return path.Base(l.Plugin)
	}
	return cmp.Or(c.Name, path.Base(l.Plugin))
}

// pluginAgents are the subagents of plugins, called PLUGIN:NAME, with the directories below
// agents between them. Their hooks do not run, as in Claude Code (2.1.332): those of a plugin
// are in its hooks.json, where they are seen when it is installed.
func (h *Host) pluginAgents() ([]subagent.Definition, error) {
	var out []subagent.Definition
	var faults []error
	levels, _ := h.places().PluginDirs() // what is wrong with the places is said where hooks are found
	for _, l := range levels {
		c, _, err := plugin.Scan(l.Dir)
		faults = append(faults, err)
		for _, n := range c.Agents {
			d, err := subagent.Read(c.AgentFile(n))
			if err != nil {
				faults = append(faults, err)
				continue
			}
			parts := []string{pluginName(l, c.Claude)}
			if dir := path.Dir(n); dir != "." {
				parts = append(parts, strings.Split(dir, "/")...)
			}
			d.Name, d.Hooks = strings.Join(append(parts, d.Name), ":"), nil
			out = append(out, d)
		}
	}
	return out, errors.Join(faults...)
}

// pluginServers are the MCP servers of plugins. project says that the plugin came with the
// project.
func (h *Host) pluginServers(each func(s mcp.Server, project bool)) error {
	var faults []error
	levels, _ := h.places().PluginDirs()
	for _, l := range levels {
		c, _ := plugin.ReadClaude(l.Dir)
		if c == nil {
			continue
		}
		name := pluginName(l, c)
		vars := map[string]string{
			"CLAUDE_PLUGIN_ROOT": l.Dir, "CLAUDE_PLUGIN_DATA": filepath.Join(h.Dirs.State, "plugins", filepath.Base(l.Dir)),
		}
		for _, text := range c.Servers {
			servers, err := mcp.ParsePlugin(text.Data, text.Path, name, vars)
			if err != nil {
				faults = append(faults, fmt.Errorf("MCP servers of the plugin %s: %w", name, err))
			}
			for _, s := range servers {
				each(s, l.Location == plugin.Local)
			}
		}
	}
	return errors.Join(faults...)
}
