package plugin

import (
	"cmp"
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hookline-dev/hookline/diag"
)

// Plugin is an installed plugin as lists show it. Its JSON form is that of
// plugin list --json.
type Plugin struct {
	Name     string   `json:"name"`
	Location Location `json:"location"`
	Path     string   `json:"path"`
	Skills   []string `json:"skills"`
	Recipes  []string `json:"recipes"`
	Hooks    []string `json:"hooks"`
	Tools    []string `json:"tools"`
	Agents   []string `json:"agents"`
	Servers  []string `json:"servers"` // MCP servers
	Source   string   `json:"source"`  // empty when it is not recorded, as for plugins that were copied here
	Ref      string   `json:"ref"`
	Commit   string   `json:"commit"`
	Granted  []string `json:"granted,omitzero"` // what its hooks may do beyond the sandbox of others, in words
}

func newPlugin(a area, n Name, c Content, e *Entry) Plugin {
	p := Plugin{
		Name: n.String(), Location: a.location, Path: a.path(n),
		Skills: c.Skills, Recipes: c.Recipes, Hooks: c.Hooks, Tools: c.Tools, Agents: c.Agents, Servers: c.Servers,
	}
	if c.Claude != nil {
		p.Granted = c.Claude.Sandbox.Capabilities()
	}
	if e != nil {
		p.Source, p.Ref, p.Commit = e.where(), e.Ref, e.Commit
	}
	return p
}

// List gives every installed plugin, sorted by name, local before global. A
// plugin or lock file that cannot be read comes as a diagnostic, and does not
// keep the others from being listed.
func (s *Store) List(ctx context.Context) ([]Plugin, []diag.Diagnostic, error) {
	var plugins []Plugin
	var diags []diag.Diagnostic
	for _, a := range s.areas() {
		if ctx.Err() != nil {
			return nil, nil, context.Cause(ctx)
		}
		found, more := s.listArea(ctx, a)
		plugins = append(plugins, found...)
		diags = append(diags, more...)
	}
	slices.SortStableFunc(plugins, func(a, b Plugin) int { return strings.Compare(a.Name, b.Name) })
	return plugins, diags, nil
}

func (s *Store) listArea(ctx context.Context, a area) ([]Plugin, []diag.Diagnostic) {
	var diags []diag.Diagnostic
	if err := s.settle(ctx, a); err != nil {
		diags = append(diags, diag.Diagnostic{Severity: diag.Error, Path: a.plugins(), Message: err.Error()})
	}
	lock, err := readLock(a.lockPath())
	if err != nil {
		diags = append(diags, lockDiagnostic(err))
		lock = &lockFile{}
	}
	names, more := pluginDirs(a.plugins())
	diags = append(diags, more...)
	plugins := make([]Plugin, 0, len(names))
	for _, n := range names {
		path := a.path(n)
		c, found, err := Scan(path)
		if err != nil {
			diags = append(diags, diag.Diagnostic{Severity: diag.Error, Path: path, Message: err.Error()})
			continue
		}
		diags = append(diags, found...)
		var entry *Entry
		if e, ok := lock.find(n.String()); ok {
			entry = &e
		}
		plugins = append(plugins, newPlugin(a, n, c, entry))
	}
	for _, e := range lock.Plugins {
		if n, err := ParseName(e.Name); err == nil && !slices.Contains(names, n) {
			diags = append(diags, diag.Diagnostic{Severity: diag.Warning, Path: a.lockPath(), Message: "plugin " + e.Name + " is recorded and not there; add it again, or remove it with plugin remove"})
		}
	}
	return plugins, diags
}

func lockDiagnostic(err error) diag.Diagnostic {
	if e, ok := errors.AsType[*lockFileError](err); ok {
		return e.Diagnostic
	}
	return diag.Diagnostic{Severity: diag.Error, Path: lockFileName, Message: err.Error()}
}

// HookFile is a program in hooks/ or tools/ of a plugin.
type HookFile struct {
	Name     string `json:"name"` // with the plugin's prefix
	Path     string `json:"path"`
	SHA256   string `json:"sha256"`
	Disabled bool   `json:"disabled"`
}

// Detail is everything that is known of an installed plugin without running it.
type Detail struct {
	Plugin
	Layout      string            `json:"layout"`
	Content     Content           `json:"-"`
	Entry       *Entry            `json:"-"`            // the record; nil when there is none
	HookConfigs []string          `json:"hook_configs"` // paths of the files that declare Claude Code hooks
	HookFiles   []HookFile        `json:"hook_files"`
	ToolFiles   []HookFile        `json:"tool_files"`
	Report      Report            `json:"report"` // how the files compare with the record
	Diagnostics []diag.Diagnostic `json:"diagnostics"`
}

// Show gives the details of a plugin, in the order of precedence when it is
// installed in several places. A plugin that is not there gives a
// [*NotInstalledError].
func (s *Store) Show(ctx context.Context, name string) ([]Detail, error) {
	n, err := ParseName(name)
	if err != nil {
		return nil, err
	}
	var details []Detail
	for _, a := range s.areas() {
		if err := s.settle(ctx, a); err != nil {
			return nil, err
		}
		if !isDir(a.path(n)) {
			continue
		}
		d, err := s.detail(ctx, a, n)
		if err != nil {
			return nil, err
		}
		details = append(details, d)
	}
	if len(details) == 0 {
		return nil, &NotInstalledError{Names: []string{n.String()}}
	}
	return details, nil
}

func (s *Store) detail(ctx context.Context, a area, n Name) (Detail, error) {
	lock, err := readLock(a.lockPath())
	if err != nil {
		return Detail{}, err
	}
	c, diags, err := Scan(a.path(n))
	if err != nil {
		return Detail{}, err
	}
	d := Detail{Content: c, Layout: a.layout.Name, Diagnostics: diags}
	if c.Claude != nil {
		d.HookConfigs = slices.Clone(c.Claude.HookFiles)
		if c.Claude.InlineHooks != nil {
			d.HookConfigs = append(d.HookConfigs, c.Claude.Manifest)
		}
	}
	if e, ok := lock.find(n.String()); ok {
		d.Entry = &e
	}
	d.Plugin = newPlugin(a, n, c, d.Entry)
	if d.Report, err = a.verify(ctx, n, lock); err != nil {
		return Detail{}, err
	}
	files, err := digestTree(ctx, a.path(n))
	if err != nil {
		return Detail{}, err
	}
	sums := make(map[string]string, len(files))
	for _, f := range files {
		sums[f.Path] = f.SHA256
	}
	program := func(dir, name, suffix string) HookFile {
		return HookFile{
			Name: n.prefix() + name, Path: filepath.Join(a.path(n), dir, name+suffix),
			SHA256: sums[dir+"/"+name+suffix], Disabled: suffix != "",
		}
	}
	if !c.Claude.declaresHooks() {
		for _, name := range c.Hooks {
			d.HookFiles = append(d.HookFiles, program("hooks", name, ""))
		}
	}
	for _, name := range c.DisabledHooks {
		d.HookFiles = append(d.HookFiles, program("hooks", name, disabledSuffix))
	}
	for _, name := range c.Tools {
		d.ToolFiles = append(d.ToolFiles, program("tools", name, ""))
	}
	slices.SortFunc(d.HookFiles, func(x, y HookFile) int { return cmp.Compare(x.Name, y.Name) })
	return d, nil
}
