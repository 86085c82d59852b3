package discovery

import (
	"os"
	"path/filepath"
	"runtime"
)

// Dirs are the directories in which hooks, settings and state live. Every one is
// absolute; "" is a place that does not exist here.
type Dirs struct {
	// Project is the project that the session works in.
	Project string
	// Home is the person's home directory.
	Home string
	// Config, State and Cache are Hookline's own directories of the person.
	Config, State, Cache string
	// Managed is Hookline's directory of the machine's administrator, and
	// ManagedClaude that of the claude dialect.
	Managed, ManagedClaude string
}

// DefaultDirs finds the directories for work in cwd. getenv is os.Getenv or a
// stand-in. Directories that the environment names count only when absolute, and
// state is never kept inside the project, where the project could supply it.
func DefaultDirs(cwd string, getenv func(string) string) Dirs {
	d := Dirs{Home: home(getenv)}
	d.Project = FindProject(cwd, d.Home)
	own := func(env string, below ...string) string {
		if v := getenv(env); filepath.IsAbs(v) {
			return filepath.Join(v, "hookline")
		}
		if d.Home == "" {
			return ""
		}
		return filepath.Join(append([]string{d.Home}, append(below, "hookline")...)...)
	}
	switch runtime.GOOS {
	case "darwin":
		d.Config = own("XDG_CONFIG_HOME", "Library", "Application Support")
		d.State = own("XDG_STATE_HOME", "Library", "Application Support")
		d.Cache = own("XDG_CACHE_HOME", "Library", "Caches")
		d.Managed, d.ManagedClaude = "/Library/Application Support/Hookline", "/Library/Application Support/ClaudeCode"
	case "windows":
		d.Config = own("AppData", "AppData", "Roaming")
		d.State = own("LocalAppData", "AppData", "Local")
		d.Cache = filepath.Join(d.State, "cache")
		if pd := getenv("ProgramData"); filepath.IsAbs(pd) {
			d.Managed = filepath.Join(pd, "Hookline")
		}
		if pf := getenv("ProgramFiles"); filepath.IsAbs(pf) {
			d.ManagedClaude = filepath.Join(pf, "ClaudeCode")
		}
	default:
		d.Config = own("XDG_CONFIG_HOME", ".config")
		d.State = own("XDG_STATE_HOME", ".local", "state")
		d.Cache = own("XDG_CACHE_HOME", ".cache")
		d.Managed, d.ManagedClaude = "/etc/hookline", "/etc/claude-code"
	}
	return d
}

func home(getenv func(string) string) string {
	name := "HOME"
	if runtime.GOOS == "windows" {
		name = "USERPROFILE"
	}
	if v := getenv(name); filepath.IsAbs(v) {
		return filepath.Clean(v)
	}
	return ""
}

// markers are what makes a directory a project. They are looked at by name only: a
// pointer in one of them, such as a .git file, is not followed.
var markers = []string{".git", ".hookline", ".claude", ".kodelet", ".omp", ".pi"}

// FindProject returns the nearest directory at or above cwd that is a project, cwd
// itself when there is none. The home directory is a project only for work in it
// directly: hooks of the person live there.
func FindProject(cwd, home string) string {
	for dir := cwd; ; dir = filepath.Dir(dir) {
		if dir == home && dir != cwd {
			return cwd
		}
		for _, m := range markers {
			if _, err := os.Lstat(filepath.Join(dir, m)); err == nil {
				return dir
			}
		}
		if dir == filepath.Dir(dir) {
			return cwd
		}
	}
}
