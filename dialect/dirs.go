package dialect

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
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
	// ManagedPrograms the one in which other programs have theirs, such as /etc.
	Managed, ManagedPrograms string
	// Settings is a further settings file of the person for this run, absolute, or the text
	// of one; Plugins are directories of further plugins.
	Settings string
	Plugins  []string
	// Sources are the levels of which files are read beside the administrator's: user,
	// project and local; nil is all.
	Sources []string
}

// Sessions is where Hookline's own agent keeps its sessions, "" without a state directory.
func (d Dirs) Sessions() string { return Join(d.State, "sessions") }

// Reads reports whether files of a level are read.
func (d Dirs) Reads(level string) bool {
	return d.Sources == nil || level == ManagedLevel || slices.Contains(d.Sources, level)
}

// InPlace reports whether what names a file is the JSON that it would hold.
func InPlace(text string) bool { return strings.HasPrefix(strings.TrimSpace(text), "{") }

// sources are the levels that Sources may name.
var sources = []string{"user", "project", "local"}

// CheckSources refuses a level that Sources cannot name.
func CheckSources(levels []string) error {
	for _, level := range levels {
		if !slices.Contains(sources, level) {
			return fmt.Errorf("there is no level %q; there are %s", level, strings.Join(sources, ", "))
		}
	}
	return nil
}

// Read returns the directories of the project and of the person as far as files of them
// are read, "" else.
func (d Dirs) Read() (project, home string) {
	if d.Reads("project") {
		project = d.Project
	}
	if d.Reads("user") {
		home = d.Home
	}
	return project, home
}

// Join joins a path below a directory that may not be there, and is "" then.
func Join(base string, below ...string) string {
	if base == "" {
		return ""
	}
	return filepath.Join(append([]string{base}, below...)...)
}

// SameFile reports whether two paths lead to the same file or directory.
func SameFile(a, b string) bool {
	ia, err1 := os.Stat(a)
	ib, err2 := os.Stat(b)
	return err1 == nil && err2 == nil && os.SameFile(ia, ib)
}
