package mcp

import (
	"bytes"
	"errors"
	"slices"
)

// ParsePlugin reads the servers of a plugin: an object of them by name, alone or as the member
// mcpServers, as in a .mcp.json. Their names begin with that of the plugin, as Claude Code
// (2.1.332) has it; vars are the plugin's variables.
func ParsePlugin(data []byte, file, plugin string, vars map[string]string) ([]Server, error) {
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	p := parser{data: data, file: file}
	list, err := p.members(data, 0)
	if err != nil {
		return nil, err
	}
	if i := slices.IndexFunc(list, func(m member) bool { return m.name == "mcpServers" }); i >= 0 {
		if list, err = p.members(list[i].value, list[i].at); err != nil {
			return nil, err
		}
	}
	servers := p.servers(list)
	for i := range servers {
		servers[i].Name, servers[i].Vars, servers[i].Source = "plugin:"+plugin+":"+servers[i].Name, vars, "plugin"
	}
	return servers, errors.Join(p.errs...)
}
