package permission

import (
	"fmt"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/hookline-dev/hookline/internal/toolrule"
)

// Config is what a [Checker] starts with. The zero Config asks about everything
// that doesn't only read.
type Config struct {
	// Mode is the permission mode at the start.
	Mode Mode
	// Rules are the rules of all scopes, in any order. The caller leaves out what
	// the person didn't approve: see [Settings.Untrusted].
	Rules []Entry
	// ProjectDir is the root of the project: the first working directory.
	ProjectDir string
	// Home is the person's home directory.
	Home string
	// Directories are working directories beyond the project.
	Directories []string
	// ReadOnlyTools names tools of the host that change nothing and may run
	// without asking, beyond those that the package knows.
	ReadOnlyTools []string
	// Protected are files and directories that are asked about like the built-in
	// protected names: the trust store, directories of hooks and plugins.
	Protected []string
	// ProtectedNames are further names that are: of a directory or file wherever it lies,
	// or two of them joined by a slash. Dialects bring those of their hosts.
	ProtectedNames []string
	// NoBypass refuses bypassPermissions, as managed settings can.
	NoBypass bool
	// Store keeps the answers that are to outlive the session; nil keeps them in
	// the session only.
	Store Store
	// OnMode, when not nil, is called when the mode has become another one.
	OnMode func()
}

// Checker decides about tool calls. It is safe for concurrent use: a decision
// is made on the rules as they were when it began.
type Checker struct {
	cfg   Config
	mu    sync.Mutex // serialises Apply
	state atomic.Pointer[state]
}

// state is what can change during a session. It is never changed in place.
type state struct {
	mode    Mode
	entries []Entry // ordered by scope
	dirs    []string
}

// New returns a checker. It fails on a mode that isn't known or not permitted.
func New(cfg Config) (*Checker, error) {
	mode, err := ParseMode(string(cfg.Mode))
	if err != nil {
		return nil, err
	}
	if mode == ModeBypass && cfg.NoBypass {
		return nil, fmt.Errorf("permission mode %s: %w", mode, ErrBypassDisabled)
	}
	c := &Checker{cfg: cfg}
	s := &state{mode: mode, entries: slices.Clone(cfg.Rules), dirs: slices.Clone(cfg.Directories)}
	s.sort()
	c.state.Store(s)
	return c, nil
}

func (s *state) sort() {
	slices.SortStableFunc(s.entries, func(a, b Entry) int { return int(a.Scope) - int(b.Scope) })
}

// Mode returns the current mode.
func (c *Checker) Mode() Mode { return c.state.Load().mode }

// Rules returns the current rules, the strongest scope first.
func (c *Checker) Rules() []Entry { return slices.Clone(c.state.Load().entries) }

// ChangeRules takes rules out of force and puts others into force, as a settings file
// that has changed does. Rules that are alike are one: what was added during the session
// stays when it is not among those to remove.
func (c *Checker) ChangeRules(remove, add []Entry) {
	c.mu.Lock()
	defer c.mu.Unlock()
	old := c.state.Load()
	next := &state{mode: old.mode, dirs: old.dirs}
	among := func(list []Entry, e Entry) bool {
		return slices.ContainsFunc(list, func(o Entry) bool {
			return o.Behavior == e.Behavior && o.Scope == e.Scope && o.File == e.File && o.Rule.Equal(e.Rule)
		})
	}
	for _, e := range old.entries {
		if !among(remove, e) {
			next.entries = append(next.entries, e)
		}
	}
	for _, e := range add {
		if !among(next.entries, e) {
			next.entries = append(next.entries, e)
		}
	}
	next.sort()
	c.state.Store(next)
}

// Hidden returns what says of a file, by its absolute path, that a deny rule forbids
// reading it, so that a search leaves it out; nil when there is no such rule.
func (c *Checker) Hidden() func(path string) bool {
	var rules []Rule
	for _, e := range c.state.Load().entries {
		if e.Behavior == Deny && toolrule.Reads(e.Rule.Tool()) && e.Rule.Content() != "" {
			rules = append(rules, e.Rule)
		}
	}
	if rules == nil {
		return nil
	}
	call := toolrule.Call{Tool: "Read", Cwd: c.cfg.ProjectDir, ProjectDir: c.cfg.ProjectDir, Home: c.cfg.Home}.Analyzed()
	return func(path string) bool {
		return slices.ContainsFunc(rules, func(r Rule) bool { return r.rule.MatchPath(path, call).Answer != toolrule.No })
	}
}

// Directories returns the working directories: the project and those added.
func (c *Checker) Directories() []string {
	return c.roots(c.state.Load())
}

// roots lists the working directories of a state.
func (c *Checker) roots(s *state) []string {
	var out []string
	for _, d := range append([]string{c.cfg.ProjectDir}, s.dirs...) {
		if d != "" {
			out = append(out, filepath.Clean(d))
		}
	}
	return out
}
