package plugin

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/hookline-dev/hookline/diag"
	"github.com/hookline-dev/hookline/internal/frontmatter"
	"github.com/hookline-dev/hookline/sandbox"
)

const (
	claudeManifest = ".claude-plugin/plugin.json"
	claudeHooks    = "hooks.json" // in hooks/
	maxConfig      = 4 << 20      // bytes of a JSON file of a plugin
)

// Claude describes the parts of a plugin that have the layout of a Claude Code
// plugin.
type Claude struct {
	Manifest string // path of plugin.json, empty when there is none
	Name     string // as the manifest says
	Version  string
	// HookFiles are the paths of the files that declare hooks: hooks/hooks.json
	// and those the manifest names.
	HookFiles []string
	// InlineHooks is the raw value of the manifest's hooks when it is an object
	// rather than a path.
	InlineHooks []byte
	// CommandDirs, AgentDirs and SkillDirs are further directories or files
	// that the manifest names, as paths.
	CommandDirs []string
	AgentDirs   []string
	SkillDirs   []string
	// Servers describe MCP servers: .mcp.json, files that the manifest names, and itself.
	Servers     []Servers
	serverFiles []string
	// Sandbox is what the hooks of the plugin need of their sandbox.
	Sandbox sandbox.Needs
	misread error // why Sandbox is not known
}

// Needs reads what the manifest of the plugin in a directory says of the sandbox of its
// hooks, if it has one.
func Needs(dir string) (sandbox.Needs, error) {
	c, _ := ReadClaude(dir)
	if c == nil {
		return sandbox.Needs{}, nil
	}
	return c.Sandbox, c.misread
}

// declaresHooks reports whether hooks come from a hooks.json or the manifest.
func (c *Claude) declaresHooks() bool {
	return c != nil && (len(c.HookFiles) > 0 || c.InlineHooks != nil)
}

// manifest is what is read of plugin.json; there is more in it.
type manifest struct {
	Name        string         `json:"name"`
	Version     jsontext.Value `json:"version"`
	Description string         `json:"description"`
	Hooks       jsontext.Value `json:"hooks"`
	Commands    jsontext.Value `json:"commands"`
	Agents      jsontext.Value `json:"agents"`
	Skills      jsontext.Value `json:"skills"`
	MCPServers  jsontext.Value `json:"mcpServers"`
	Sandbox     jsontext.Value `json:"sandbox"`
}

// claudeOwnsHooks reports whether the executables in a plugin's hooks directory
// are parts of Claude Code hooks.
func claudeOwnsHooks(pluginDir string) bool {
	if isFile(filepath.Join(pluginDir, "hooks", claudeHooks)) {
		return true
	}
	c, _ := ReadClaude(pluginDir)
	return c.declaresHooks()
}

// ReadClaude reads the Claude Code side of the plugin in a directory; nil when
// it has none. Nothing is executed.
func ReadClaude(dir string) (*Claude, []diag.Diagnostic) {
	var c Claude
	var diags []diag.Diagnostic
	path := filepath.Join(dir, filepath.FromSlash(claudeManifest))
	hasManifest := isFile(path)
	if hasManifest {
		c.Manifest = path
		diags = c.readManifest(dir)
	}
	if hooks := filepath.Join(dir, "hooks", claudeHooks); isFile(hooks) && !slices.Contains(c.HookFiles, hooks) {
		c.HookFiles = append([]string{hooks}, c.HookFiles...)
	}
	diags = append(diags, c.readServers(dir)...)
	if !hasManifest && len(c.HookFiles)+len(c.Servers) == 0 {
		return nil, diags
	}
	return &c, diags
}

func (c *Claude) readManifest(dir string) []diag.Diagnostic {
	data, err := frontmatter.ReadRegular(c.Manifest, maxConfig)
	if err != nil {
		c.misread = err
		return []diag.Diagnostic{{Severity: diag.Error, Path: c.Manifest, Message: err.Error()}}
	}
	var m manifest
	if err := json.Unmarshal(data, &m); err != nil {
		d := jsonDiagnostic(c.Manifest, data, err)
		c.misread = errors.New(d.String())
		return []diag.Diagnostic{d}
	}
	c.Name = m.Name
	if m.Version.Kind() == '"' {
		_ = json.Unmarshal(m.Version, &c.Version) // a string, as just seen
	}
	var diags []diag.Diagnostic
	paths := func(field string, v jsontext.Value) []string {
		list, found := manifestPaths(dir, c.Manifest, field, v)
		diags = append(diags, found...)
		return list
	}
	if m.Sandbox != nil {
		if c.Sandbox, err = sandbox.ParseNeeds(m.Sandbox); err != nil {
			c.misread = fmt.Errorf("%s: sandbox: %w", c.Manifest, err)
			diags = append(diags, diag.Diagnostic{Severity: diag.Error, Path: c.Manifest, Message: "sandbox: " + err.Error(), Remedy: "write takes paths, off and noTCP true or false"})
		}
	}
	if m.Hooks.Kind() == '{' {
		c.InlineHooks = m.Hooks
	} else {
		c.HookFiles = paths("hooks", m.Hooks)
	}
	c.CommandDirs = paths("commands", m.Commands)
	c.AgentDirs = paths("agents", m.Agents)
	c.SkillDirs = paths("skills", m.Skills)
	if m.MCPServers.Kind() == '{' {
		c.Servers = append(c.Servers, Servers{Path: c.Manifest, Data: m.MCPServers})
	}
	c.serverFiles = paths("mcpServers", m.MCPServers)
	return diags
}

// manifestPaths reads a path or a list of paths, relative to the plugin.
func manifestPaths(dir, manifest, field string, v jsontext.Value) ([]string, []diag.Diagnostic) {
	var texts []string
	switch v.Kind() {
	case 0, 'n', '{': // absent, null, or the inline form of a newer version
		return nil, nil
	case '"':
		texts = make([]string, 1)
		if err := json.Unmarshal(v, &texts[0]); err != nil {
			return nil, []diag.Diagnostic{{Severity: diag.Error, Path: manifest, Message: field + ": " + err.Error()}}
		}
	default:
		if err := json.Unmarshal(v, &texts); err != nil {
			return nil, []diag.Diagnostic{{Severity: diag.Error, Path: manifest, Message: field + " must be a path or a list of paths"}}
		}
	}
	var paths []string
	var diags []diag.Diagnostic
	for _, text := range texts {
		clean := strings.TrimSuffix(strings.TrimPrefix(text, "./"), "/")
		if reason := nameFault(clean); reason != "" {
			diags = append(diags, diag.Diagnostic{Severity: diag.Error, Path: manifest, Message: fmt.Sprintf("%s: path %q: %s", field, text, reason)})
			continue
		}
		path := filepath.Join(dir, filepath.FromSlash(clean))
		if !staysInside(dir, path) {
			diags = append(diags, diag.Diagnostic{Severity: diag.Error, Path: manifest, Message: fmt.Sprintf("%s: path %q is not there or leads out of the plugin", field, text)})
			continue
		}
		paths = append(paths, path)
	}
	return paths, diags
}

// staysInside reports whether path exists and, links resolved, is below dir.
func staysInside(dir, path string) bool {
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return false
	}
	base, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return false
	}
	rel, err := filepath.Rel(base, real)
	return err == nil && filepath.IsLocal(rel)
}

// hookConfig is what is counted of a hooks.json.
type hookConfig struct {
	Hooks map[string][]struct {
		Hooks []jsontext.Value `json:"hooks"`
	} `json:"hooks"`
}

// hookNames lists the handlers that a plugin's Claude Code hooks declare, by
// their place: "hooks.json:PreToolUse[0].hooks[1]".
func (c *Claude) hookNames() ([]string, []diag.Diagnostic) {
	if c == nil {
		return nil, nil
	}
	var names []string
	var diags []diag.Diagnostic
	for _, path := range c.HookFiles {
		data, err := frontmatter.ReadRegular(path, maxConfig)
		if err != nil {
			diags = append(diags, diag.Diagnostic{Severity: diag.Error, Path: path, Message: err.Error()})
			continue
		}
		found, err := handlers(filepath.Base(path), data)
		if err != nil {
			diags = append(diags, jsonDiagnostic(path, data, err))
		}
		names = append(names, found...)
	}
	if c.InlineHooks != nil {
		wrapped := fmt.Appendf(nil, `{"hooks":%s}`, c.InlineHooks)
		if inner := (struct {
			Hooks jsontext.Value `json:"hooks"`
		}{}); json.Unmarshal(c.InlineHooks, &inner) == nil && inner.Hooks.Kind() == '{' {
			wrapped = c.InlineHooks // the whole shape of a hooks.json
		}
		found, err := handlers("plugin.json", wrapped)
		if err != nil {
			diags = append(diags, diag.Diagnostic{Severity: diag.Error, Path: c.Manifest, Message: "hooks: " + err.Error()})
		}
		names = append(names, found...)
	}
	return names, diags
}

func handlers(file string, data []byte) ([]string, error) {
	var config hookConfig
	if err := json.Unmarshal(data, &config); err != nil {
		return nil, err
	}
	var names []string
	for event, groups := range config.Hooks {
		for g, group := range groups {
			for h := range group.Hooks {
				names = append(names, file+":"+event+"["+strconv.Itoa(g)+"].hooks["+strconv.Itoa(h)+"]")
			}
		}
	}
	slices.Sort(names)
	return names, nil
}
