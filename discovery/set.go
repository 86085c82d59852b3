package discovery

import (
	"slices"
	"strings"

	"github.com/hookline-dev/hookline/diag"
	"github.com/hookline-dev/hookline/dialect"
	"github.com/hookline-dev/hookline/hook"
)

// What finders and their callers have in common; see package dialect.
type (
	Dirs    = dialect.Dirs
	Found   = dialect.Found
	Hosting = dialect.Hosting
	Status  = dialect.Status
)

// The statuses of a hook.
const (
	Active    = dialect.Active
	Shadowed  = dialect.Shadowed
	Disabled  = dialect.Disabled
	Untrusted = dialect.Untrusted
	Broken    = dialect.Broken
)

// Set is what was found.
type Set struct {
	Hooks       []Found
	Diagnostics []diag.Diagnostic
}

// registrations returns the registrations of one group in the order in which they
// run: those in force, and those that are not approved, which are reported where
// they would have run.
func (s *Set) registrations(group string) []hook.Registration {
	return s.inForce(func(f *Found) bool { return f.Group == group })
}

func (s *Set) inForce(of func(*Found) bool) []hook.Registration {
	var out []hook.Registration
	for i := range s.Hooks {
		f := &s.Hooks[i]
		if of(f) && f.Registration != nil && (f.Status == Active || f.Status == Untrusted || f.Status == Broken) {
			out = append(out, *f.Registration)
		}
	}
	return out
}

// Names returns the names of all hooks, sorted, each once.
func (s *Set) Names() []string {
	var out []string
	for i := range s.Hooks {
		out = append(out, s.Hooks[i].FullName())
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// ByName returns the hooks of a name: all of a worker's, or the one of a full name. A
// plugin's hook is found by org/repo/name and by org@repo/name.
func (s *Set) ByName(name string) []Found {
	var out []Found
	for i := range s.Hooks {
		if n := s.Hooks[i].Name; n == name || n == pluginSpelling(name) || s.Hooks[i].FullName() == name {
			out = append(out, s.Hooks[i])
		}
	}
	return out
}

// pluginSpelling turns org@repo/name into org/repo/name.
func pluginSpelling(name string) string { return strings.Replace(name, "@", "/", 1) }
