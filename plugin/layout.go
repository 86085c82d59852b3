package plugin

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Layout is a family of directories that plugins are installed in.
type Layout string

// The layouts. The empty Layout means Hookline.
const (
	Hookline Layout = "hookline"
	Kodelet  Layout = "kodelet"
	// ClaudeCode is where Claude Code keeps skills and commands; plugins are not
	// installed in it.
	ClaudeCode Layout = "claude"
)

// ParseLayout reads the value of an option.
func ParseLayout(s string) (Layout, error) {
	switch l := Layout(s); l {
	case "", Hookline:
		return Hookline, nil
	case Kodelet:
		return l, nil
	}
	return "", fmt.Errorf("layout %q: use hookline or kodelet", s)
}

// dir gives the name of the layout's directory.
func (l Layout) dir() string {
	switch l {
	case Kodelet:
		return ".kodelet"
	case ClaudeCode:
		return ".claude"
	}
	return ".hookline"
}

// layoutsOf returns those in which things of a kind lie that no plugin brought.
func layoutsOf(kind string) []Layout {
	switch kind {
	case "skills":
		return []Layout{Hookline, Kodelet, ClaudeCode}
	case "commands":
		return []Layout{Hookline, ClaudeCode}
	}
	return []Layout{Hookline, Kodelet}
}

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
	Layout   Layout
}

// Levels lists the directories of one kind ("hooks", "recipes", "skills",
// "tools", or "commands" as Claude Code has them), the one whose names win
// first:
//
//	.hookline/<kind>, .kodelet/<kind>, .claude/<kind> (skills and commands)
//	.hookline/plugins/*/<kind>, .kodelet/plugins/*/<kind>
//	the same of the home directory
//
// An empty projectDir or homeDir is left out; a home directory that is the
// project too counts as the project. Only directories that exist are listed.
// Plugin directories that cannot be one, and links that lead out of the project
// or plugin, are passed over with a diagnostic. The hooks directory of a plugin
// whose hooks are declared in a Claude Code hooks.json is not listed: its
// executables are parts of those hooks.
func Levels(projectDir, homeDir, kind string) ([]Level, []Diagnostic) {
	var levels []Level
	plugins, diags := PluginDirs(projectDir, homeDir)
	for _, place := range places(projectDir, homeDir) {
		for _, layout := range layoutsOf(kind) {
			dir := filepath.Join(place.base, layout.dir(), kind)
			switch {
			case !isDir(dir):
			case place.location == Local && !staysInside(place.base, dir):
				diags = append(diags, ledAway(dir, "the project"))
			default:
				levels = append(levels, Level{Dir: dir, Location: place.location, Layout: layout})
			}
		}
		for _, l := range plugins {
			dir := filepath.Join(l.Dir, kind)
			switch {
			case l.Location != place.location || !isDir(dir) || (kind == "hooks" && claudeOwnsHooks(l.Dir)):
			case !staysInside(l.Dir, dir):
				diags = append(diags, ledAway(dir, "the plugin"))
			default:
				l.Dir = dir
				levels = append(levels, l)
			}
		}
	}
	return levels, diags
}

func ledAway(dir, from string) Diagnostic {
	return Diagnostic{SeverityWarning, dir, "passed over: a link that leads out of " + from}
}

// PluginDirs lists the directories of all plugins, in the order of Levels.
func PluginDirs(projectDir, homeDir string) ([]Level, []Diagnostic) {
	var levels []Level
	var diags []Diagnostic
	for _, place := range places(projectDir, homeDir) {
		for _, layout := range []Layout{Hookline, Kodelet} {
			root := filepath.Join(place.base, layout.dir(), "plugins")
			names, found := pluginDirs(root)
			diags = append(diags, found...)
			for _, n := range names {
				levels = append(levels, Level{Dir: filepath.Join(root, n.Dir()), Prefix: n.Prefix(), Plugin: n.String(), Location: place.location, Layout: layout})
			}
		}
	}
	return levels, diags
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

type place struct {
	base     string
	location Location
}

func places(projectDir, homeDir string) []place {
	var list []place
	if projectDir != "" {
		list = append(list, place{projectDir, Local})
	}
	if homeDir != "" && !(projectDir != "" && sameFile(projectDir, homeDir)) {
		list = append(list, place{homeDir, Global})
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
func pluginDirs(root string) ([]Name, []Diagnostic) {
	entries, err := os.ReadDir(root)
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return nil, nil
		}
		return nil, []Diagnostic{{SeverityError, root, "cannot be read: " + err.Error()}}
	}
	var names []Name
	var diags []Diagnostic
	for _, e := range entries {
		path := filepath.Join(root, e.Name())
		switch {
		case strings.HasPrefix(e.Name(), "."):
		case e.Type()&fs.ModeSymlink != 0:
			diags = append(diags, Diagnostic{SeverityWarning, path, "passed over: a plugin directory may not be a symlink; install the directory it points to"})
		case !e.IsDir():
		default:
			n, err := ParseDirName(e.Name())
			if err != nil {
				diags = append(diags, Diagnostic{SeverityWarning, path, "passed over: " + err.Error()})
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
