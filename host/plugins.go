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

// pluginContents are the plugins that there are, with what they bring. Names are those of
// their manifests.
func (h *Host) pluginContents(each func(name string, l plugin.Level, c plugin.Content)) error {
	levels, _ := h.places().PluginDirs() // what is wrong with the places is said where hooks are found
	var faults []error
	for _, l := range levels {
		c, _, err := plugin.Scan(l.Dir)
		if err != nil {
			faults = append(faults, err)
			continue
		}
		name := path.Base(l.Plugin)
		if c.Claude != nil {
			name = cmp.Or(c.Claude.Name, name)
		}
		each(name, l, c)
	}
	return errors.Join(faults...)
}

// pluginAgents are the subagents of plugins, called PLUGIN:NAME, with the directories below
// agents between them. Their hooks do not run, as in Claude Code (2.1.332): those of a plugin
// are in its hooks.json, where they are seen when it is installed.
func (h *Host) pluginAgents() ([]subagent.Definition, error) {
	var out []subagent.Definition
	var faults []error
	err := h.pluginContents(func(name string, _ plugin.Level, c plugin.Content) {
		for _, n := range c.Agents {
			d, err := subagent.Read(c.AgentFile(n))
			if err != nil {
				faults = append(faults, err)
				continue
			}
			dir := strings.ReplaceAll(strings.TrimPrefix(path.Dir(n), "."), "/", ":")
			d.Name, d.Hooks = strings.ReplaceAll(name+":"+dir+":"+d.Name, "::", ":"), nil
			out = append(out, d)
		}
	})
	return out, errors.Join(append(faults, err)...)
}

// pluginServers are the MCP servers of plugins. project says that the plugin came with the
// project.
func (h *Host) pluginServers(each func(s mcp.Server, project bool)) error {
	var faults []error
	err := h.pluginContents(func(name string, l plugin.Level, c plugin.Content) {
		if c.Claude == nil {
			return
		}
		vars := map[string]string{
			"CLAUDE_PLUGIN_ROOT": l.Dir, "CLAUDE_PLUGIN_DATA": filepath.Join(h.Dirs.State, "plugins", filepath.Base(l.Dir)),
		}
		for _, text := range c.Claude.Servers {
			servers, err := mcp.ParsePlugin(text.Data, text.Path, name, vars)
			if err != nil {
				faults = append(faults, fmt.Errorf("MCP servers of the plugin %s: %w", name, err))
			}
			for _, s := range servers {
				each(s, l.Location == plugin.Local)
			}
		}
	})
	return errors.Join(append(faults, err)...)
}
