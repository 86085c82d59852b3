package discovery

import (
	"os"
	"path/filepath"
	"runtime"

	"github.com/hookline-dev/hookline/dialect"
	"github.com/hookline-dev/hookline/dialect/all"
	"github.com/hookline-dev/hookline/internal/owndirs"
)

// DefaultDirs finds the directories for work in cwd. getenv is os.Getenv or a
// stand-in. Directories that the environment names count only when absolute, and
// state is never kept inside the project, where the project could supply it. Without
// dialects it is those of all that mark a project.
func DefaultDirs(cwd string, getenv func(string) string, dialects ...dialect.Dialect) Dirs {
	if len(dialects) == 0 {
		dialects = all.Dialects()
	}
	own := owndirs.Find(getenv)
	d := Dirs{Home: own.Home, Config: own.Config, State: own.State, Cache: own.Cache}
	d.Project = findProject(cwd, d.Home, dialects)
	switch runtime.GOOS {
	case "darwin":
		d.Managed, d.ManagedPrograms = "/Library/Application Support/Hookline", "/Library/Application Support"
	case "windows":
		if pd := getenv("ProgramData"); filepath.IsAbs(pd) {
			d.Managed = filepath.Join(pd, "Hookline")
		}
		if pf := getenv("ProgramFiles"); filepath.IsAbs(pf) {
			d.ManagedPrograms = pf
		}
	default:
		d.Managed, d.ManagedPrograms = "/etc/hookline", "/etc"
	}
	return d
}

// findProject returns the nearest directory at or above cwd that is a project, cwd
// itself when there is none. What makes a project are .git, .hookline and the directories
// of dialects. They are looked at by name only: a pointer in one of them, such as a .git
// file, is not followed. The home directory is a project only for work in it directly:
// hooks of the person live there.
func findProject(cwd, home string, dialects []dialect.Dialect) string {
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
