// Package owndirs knows which directories of a person are Hookline's own. It imports the
// standard library only, since the client of the bridge finds its engine there.
package owndirs

import (
	"path/filepath"
	"runtime"
)

// Dirs are a person's home directory, and Hookline's own below it or where the environment
// says. Each is absolute, or "" where there is none.
type Dirs struct{ Home, Config, State, Cache string }

// Find finds the directories. getenv is os.Getenv or a stand-in; what it names counts only
// when it is absolute.
func Find(getenv func(string) string) Dirs {
	d := Dirs{Home: home(getenv)}
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
	case "windows":
		d.Config = own("AppData", "AppData", "Roaming")
		d.State = own("LocalAppData", "AppData", "Local")
		d.Cache = filepath.Join(d.State, "cache")
	default:
		d.Config = own("XDG_CONFIG_HOME", ".config")
		d.State = own("XDG_STATE_HOME", ".local", "state")
		// Tools of all kinds write to ~/.cache, and Landlock grants a directory as a whole.
		d.Cache = own("XDG_DATA_HOME", ".local", "share")
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
