package plugin

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/hookline-dev/hookline/diag"
	"github.com/hookline-dev/hookline/internal/fsx"
)

// Layout is a family of directories in which a host keeps things: .hookline and, for
// the hosts that dialects come from, theirs.
type Layout struct {
	// Name is its name in flags and listings, and Dir its directory in a project and in
	// the home directory.
	Name, Dir string
	// Kinds are the kinds of things that lie in it and that no plugin brought, such as
	// hooks and skills; nil is every kind.
	Kinds []string
	// Plugins says that plugins are installed in it.
	Plugins bool
}

// Hookline is the layout of Hookline itself.
func Hookline() Layout { return Layout{Name: "hookline", Dir: ".hookline", Plugins: true} }

func (l Layout) has(kind string) bool { return l.Kinds == nil || slices.Contains(l.Kinds, kind) }

// Places are where plugins and what lies beside them are looked for.
type Places struct {
	// ProjectDir is the project and HomeDir the person's directory; "" is none.
	ProjectDir, HomeDir string
	// Named are directories of further plugins, the person's own, which come first. A
	// plugin is called like its directory.
	Named []string
	// Layouts are those of other hosts, which come behind Hookline's own.
	Layouts []Layout
}

// Layout finds a layout by its name, "" being Hookline's own.
func (p Places) Layout(name string) (Layout, error) {
	if name == "" {
		return Hookline(), nil
	}
	var known []string
	for _, l := range p.layouts() {
		if l.Plugins && l.Name == name {
			return l, nil
		}
		if l.Plugins {
			known = append(known, l.Name)
		}
	}
	return Layout{}, fmt.Errorf("layout %q: use %s", name, strings.Join(known, " or "))
}

func (p Places) layouts() []Layout { return append([]Layout{Hookline()}, p.Layouts...) }

// Location says whether a plugin is the project's or the user's.
type Location string

// The locations.
const (
	Local  Location = "local"
	Global Location = "global"
)

// Level is a directory that things of one kind are found in.
type Level struct {
	Dir      string // absolute when the directories given to Levels are
	Prefix   string // org/repo/ for what comes from a plugin, else empty
	Plugin   string // org/repo, or empty
	Location Location
	// Layout names the layout, and Rank says where it stands among others, from 0.
	Layout string
	Rank   int
	// Project is the project's directory, for what lies directly in it, else empty.
	Project string
}

// Levels lists the directories of one kind ("hooks", "recipes", "skills",
// "tools", or "commands" as Claude Code has them), the one whose names win
// first:
//
//	those of Named plugins
//	.hookline/<kind> and the directories of other layouts that have the kind
//	.hookline/plugins/*/<kind> and those of other layouts that hold plugins
//	the same of the home directory
//
// A home directory that is the project too counts as the project. Only directories
// that exist are listed. Plugin directories that cannot be one, and links that lead
// out of the project or plugin, are passed over with a diagnostic. The hooks directory
// of a plugin whose hooks are declared in a Claude Code hooks.json is not listed: its
// executables are parts of those hooks.
func (p Places) Levels(kind string) ([]Level, []diag.Diagnostic) { return p.Look().Levels(kind) }

// Look is what there is of places and plugins at one moment, for several kinds.
type Look struct {
	places  Places
	bases   []place
	plugins []Level
	diags   []diag.Diagnostic
}

// Look looks at the places and the plugins in them.
func (p Places) Look() *Look {
	l := &Look{places: p, bases: p.bases()}
	l.plugins, l.diags = p.installed(l.bases)
	return l
}

// Levels lists the directories of one kind as Places.Levels does.
func (look *Look) Levels(kind string) ([]Level, []diag.Diagnostic) {
	var levels []Level
	p, diags := look.places, slices.Clone(look.diags)
	ofPlugin := func(l Level) {
		dir := filepath.Join(l.Dir, kind)
		switch {
		case !isDir(dir) || (kind == "hooks" && claudeOwnsHooks(l.Dir)):
		case !staysInside(l.Dir, dir):
			diags = append(diags, ledAway(dir, "the plugin"))
		default:
			l.Dir = dir
			levels = append(levels, l)
		}
	}
	for _, l := range p.named() {
		ofPlugin(l)
	}
	for _, at := range look.bases {
		for rank, layout := range p.layouts() {
			dir := filepath.Join(at.base, layout.Dir, kind)
			switch {
			case !layout.has(kind) || absent(dir):
			case at.location == Local && !lost(dir) && !staysInside(at.base, dir):
				diags = append(diags, ledAway(dir, "the project"))
			default:
				l := Level{Dir: dir, Location: at.location, Layout: layout.Name, Rank: rank}
				if at.location == Local {
					l.Project = at.base
				}
				levels = append(levels, l)
			}
		}
		for _, l := range look.plugins {
			if l.Location == at.location {
				ofPlugin(l)
			}
		}
	}
	return levels, diags
}

// absent reports whether nothing is there. What is not a directory, or cannot be looked at,
// is there: whoever reads it says what is wrong.
func absent(dir string) bool {
	_, err := os.Stat(dir)
	return errors.Is(fsx.LinkFault(dir, err), fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR)
}

// lost reports whether a directory that is not absent is behind a link that leads nowhere:
// whoever reads it says that.
func lost(dir string) bool {
	_, err := os.Stat(dir)
	return errors.Is(err, fs.ErrNotExist)
}

func ledAway(dir, from string) diag.Diagnostic {
	return diag.Diagnostic{Severity: diag.Warning, Path: dir, Message: "passed over: a link that leads out of " + from}
}

// PluginDirs lists the directories of all plugins, in the order of Levels.
func (p Places) PluginDirs() ([]Level, []diag.Diagnostic) {
	look := p.Look()
	return look.PluginDirs(), look.diags
}

// PluginDirs lists the directories of all plugins, in the order of Levels.
func (look *Look) PluginDirs() []Level { return append(look.places.named(), look.plugins...) }

func (p Places) named() []Level {
	var levels []Level
	for _, dir := range p.Named {
		name := filepath.Base(dir)
		levels = append(levels, Level{Dir: dir, Prefix: name + "/", Plugin: name, Location: Global})
	}
	return levels
}

func (p Places) installed(bases []place) ([]Level, []diag.Diagnostic) {
	var levels []Level
	var diags []diag.Diagnostic
	for _, at := range bases {
		for rank, layout := range p.layouts() {
			if !layout.Plugins {
				continue
			}
			root := filepath.Join(at.base, layout.Dir, "plugins")
			names, found := pluginDirs(root)
			diags = append(diags, found...)
			for _, n := range names {
				levels = append(levels, Level{Dir: filepath.Join(root, n.Dir()), Prefix: n.prefix(), Plugin: n.String(), Location: at.location, Layout: layout.Name, Rank: rank})
			}
		}
	}
	return levels, diags
}

// DirsIn returns the directories of the plugins that a directory means: itself, or those of
// its children that are plugins. It is an error when there are none.
func DirsIn(dir string) ([]string, error) {
	content, _, err := Scan(dir)
	if err != nil || !content.empty() {
		return []string{dir}, err
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var out []string
	for _, e := range entries {
		child := filepath.Join(dir, e.Name())
		if !e.IsDir() {
			continue
		}
		if content, _, err := Scan(child); err == nil && !content.empty() {
			out = append(out, child)
		}
	}
	if len(out) == 0 {
		return nil, errors.New("there is no plugin in it")
	}
	return out, nil
}

// Allows reports whether a file found at path below the level may be read: a
// symlink must not lead out of the level's directory, except in a directory
// that is the user's own.
func (l Level) Allows(path string) bool {
	if l.Location == Global && l.Plugin == "" {
		return true
	}
	return staysInside(l.Dir, path)
}

// AllowsDir is Allows for a directory that is known by what it holds, which may lie
// anywhere in the project when the level does.
func (l Level) AllowsDir(path string) bool {
	return l.Allows(path) || l.Project != "" && staysInside(l.Project, path)
}

// place is the project or the home directory.
type place struct {
	base     string
	location Location
}

func (p Places) bases() []place {
	var list []place
	if p.ProjectDir != "" {
		list = append(list, place{p.ProjectDir, Local})
	}
	if p.HomeDir != "" && !(p.ProjectDir != "" && sameFile(p.ProjectDir, p.HomeDir)) {
		list = append(list, place{p.HomeDir, Global})
	}
	return list
}

func sameFile(a, b string) bool {
	if a == b {
		return true
	}
	x, err := os.Stat(a)
	if err != nil {
		return false
	}
	y, err := os.Stat(b)
	return err == nil && os.SameFile(x, y)
}

// pluginDirs lists the plugins of a plugins directory by the order of their
// directories' names. Names starting with a dot are the store's own.
func pluginDirs(root string) ([]Name, []diag.Diagnostic) {
	entries, err := os.ReadDir(root)
	if err = fsx.LinkFault(root, err); err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return nil, nil
		}
		return nil, []diag.Diagnostic{{Severity: diag.Error, Path: root, Message: "cannot be read: " + err.Error()}}
	}
	var names []Name
	var diags []diag.Diagnostic
	for _, e := range entries {
		path := filepath.Join(root, e.Name())
		switch {
		case strings.HasPrefix(e.Name(), "."):
		case e.Type()&fs.ModeSymlink != 0:
			diags = append(diags, diag.Diagnostic{Severity: diag.Warning, Path: path, Message: "passed over: a plugin directory may not be a symlink; install the directory it points to"})
		case !e.IsDir():
		default:
			n, err := parseDirName(e.Name())
			if err != nil {
				diags = append(diags, diag.Diagnostic{Severity: diag.Warning, Path: path, Message: "passed over: " + err.Error()})
				continue
			}
			names = append(names, n)
		}
	}
	return names, diags
}

func isDir(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}
