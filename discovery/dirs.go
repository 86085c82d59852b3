package discovery

import (
	"os"
	"path/filepath"
	"runtime"

	"github.com/hookline-dev/hookline/dialect"
	"github.com/hookline-dev/hookline/dialect/all"
)

// DefaultDirs finds the directories for work in cwd. getenv is os.Getenv or a
// stand-in. Directories that the environment names count only when absolute, and
// state is never kept inside the project, where the project could supply it. Without
// dialects it is those of all that mark a project.
func DefaultDirs(cwd string, getenv func(string) string, dialects ...dialect.Dialect) Dirs {
	if len(dialects) == 0 {
		dialects = all.Dialects()
	}
	d := Dirs{Home: home(getenv)}
	d.Project = FindProject(cwd, d.Home, dialects)
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
		d.Managed, d.ManagedPrograms = "/Library/Application Support/Hookline", "/Library/Application Support"
	case "windows":
		d.Config = own("AppData", "AppData", "Roaming")
		d.State = own("LocalAppData", "AppData", "Local")
		d.Cache = filepath.Join(d.State, "cache")
		if pd := getenv("ProgramData"); filepath.IsAbs(pd) {
			d.Managed = filepath.Join(pd, "Hookline")
		}
		if pf := getenv("ProgramFiles"); filepath.IsAbs(pf) {
			d.ManagedPrograms = pf
		}
	default:
		d.Config = own("XDG_CONFIG_HOME", ".config")
		d.State = own("XDG_STATE_HOME", ".local", "state")
		// Tools of all kinds write to ~/.cache, and Landlock grants a directory as a whole.
		d.Cache = own("XDG_DATA_HOME", ".local", "share")
		d.Managed, d.ManagedPrograms = "/etc/hookline", "/etc"
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

// FindProject returns the nearest directory at or above cwd that is a project, cwd
// itself when there is none. What makes a project are .git, .hookline and the directories
// of dialects. They are looked at by name only: a pointer in one of them, such as a .git
// file, is not followed. The home directory is a project only for work in it directly:
// hooks of the person live there.
func FindProject(cwd, home string, dialects []dialect.Dialect) string {
	markers := []string{".git", ".hookline"}
	for _, d := range dialects {
		for _, l := range d.Places().Layouts {
			markers = append(markers, l.Dir)
		}
	}
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
