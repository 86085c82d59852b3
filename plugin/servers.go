package plugin

import (
	"maps"
	"path/filepath"
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/hookline-dev/hookline/diag"
	"github.com/hookline-dev/hookline/internal/frontmatter"
)

// claudeServers describes the MCP servers of a plugin, beside what its manifest says.
const claudeServers = ".mcp.json"

// Servers is a text that describes MCP servers of a plugin: an object of them by name, which
// may be the member mcpServers of another.
type Servers struct {
	Path string // of the file that it is in
	Data []byte
}

// readServers reads the files that describe MCP servers.
func (c *Claude) readServers(dir string) []diag.Diagnostic {
	files := c.serverFiles
	if path := filepath.Join(dir, claudeServers); isFile(path) && staysInside(dir, path) && !slices.Contains(files, path) {
		files = append([]string{path}, files...)
	}
	var diags []diag.Diagnostic
	for _, path := range files {
		data, err := frontmatter.ReadRegular(path, maxConfig)
		if err != nil {
			diags = append(diags, diag.Diagnostic{Severity: diag.Error, Path: path, Message: err.Error()})
			continue
		}
		c.Servers = append(c.Servers, Servers{Path: path, Data: data})
	}
	return diags
}

// serverNames are the names of the MCP servers that the plugin describes.
func (c *Claude) serverNames() []string {
	var names []string
	if c == nil {
		return nil
	}
	for _, s := range c.Servers {
		var file struct {
			MCPServers map[string]jsontext.Value `json:"mcpServers"`
			Flat       map[string]jsontext.Value `json:",embed"`
		}
		if json.Unmarshal(s.Data, &file) != nil {
			continue // who starts them says what is wrong
		}
		if file.MCPServers == nil {
			file.MCPServers = file.Flat
		}
		names = append(names, slices.Collect(maps.Keys(file.MCPServers))...)
	}
	return names
}
