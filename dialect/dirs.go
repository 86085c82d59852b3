package dialect

import (
	"os"
	"path/filepath"
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
