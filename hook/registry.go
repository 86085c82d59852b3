package hook

import (
	"cmp"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// The ranks of groups that no dialect has; each dialect has its own. Hooks of the
// embedding program come first, so that what they change is what file hooks see.
const (
	RankManaged = -100
	RankGo      = 0
)

// AsyncMode says whether a hook runs in the background from its start.
type AsyncMode uint8

// The modes.
const (
	AsyncNo     AsyncMode = iota
	AsyncYes              // nobody waits; the result is delivered late
	AsyncRewake           // as AsyncYes, and a deny wakes an idle agent
)

// Registration is a hook in a registry.
type Registration struct {
	Event   Event
	Handler Handler

	// Name, Dialect and Source (file:line) say what the hook is and where it comes
	// from.
	Name, Dialect, Source string
	// Scope is the level at which it was found, such as user or project.
	Scope string

	// Matcher chooses by subject; nil matches all.
	Matcher Matcher
	// Condition chooses by the whole input; nil lets all through.
	Condition Condition

	// Group orders and joins hooks; nil is the registry's default group, which is
	// sequential. Within a group, higher priorities run first, then registration
	// order.
	Group    *Group
	Priority int

	// Timeout is a deadline from the start of the run; 0 is none. The clock stands
	// still while a person is being asked (see PauseClock).
	Timeout time.Duration
	// OnFailure says what a failure counts as.
	OnFailure FailurePolicy
	// Observe marks a hook that cannot decide or change anything. It runs even
	// after a deny has ended the event.
	Observe bool
	// Guard marks a hook that must have seen the final input: it runs once more
	// when a later hook changed what it looked at.
	Guard bool
	// Once runs the hook only until its first success in a session.
	Once bool
	// Async runs the hook in the background; AsyncTimeout bounds it, 0 means
	// DefaultAsyncTimeout.
	Async        AsyncMode
	AsyncTimeout time.Duration

	// AgentID limits the hook to one agent; RemoveScope removes all of an agent's.
	AgentID string
	// MainOnly keeps the hook out of subagents.
	MainOnly bool
	// Summaries lets a hook of SubagentStop hear of the summaries of compactions too, which
	// its format counts among subagents.
	Summaries bool
	// Inactive, when not empty, says why the hook is known but does not run, for
	// instance because nobody approved it. It is reported where it would have run.
	Inactive string
	// Unseen says in words what the hook can run that no approval covers, such as a
	// package that it downloads; nil when everything is covered, or approved by nobody.
	Unseen []string
}

// Concerns reports whether an input is of the registration's event and its matcher does not
// leave it out.
func (r *Registration) Concerns(in Input) bool {
	if r.Event != in.Event() {
		return false
	}
	return r.Matcher == nil || r.Event.spec().Subject == "" || r.Matcher.Match(in.Subject()) != MatchNo
}

// Info describes a registration in records. It does not change.
type Info struct {
	Name    string
	Dialect string
	Source  string
	Scope   string
	Group   string
	Flow    Flow
	Event   Event
	Matcher string
	Timeout time.Duration
	Policy  FailurePolicy // in force, never FailDefault
	Observe bool
	Guard   bool
	Unseen  []string // see Registration.Unseen
}

// entry is a registration in force.
type entry struct {
	Registration
	info   *Info
	seq    int
	goFunc inProcess // nil for other handlers
	ident  string
	gone   *atomic.Bool
}

// Registry holds registrations. It is safe for concurrent use: changing it builds
// a new snapshot, and an event that is being dispatched keeps the one it started
// with. The zero Registry is empty and ready for use.
type Registry struct {
	mu      sync.Mutex
	entries []*entry
	groups  []*Group
	def     *Group
	seq     int
	snap    atomic.Pointer[snapshot]
}

// NewRegistry returns an empty registry.
func NewRegistry() *Registry { return &Registry{} }

// Group makes a group. Groups of the same rank run in the order in which they
// were made.
func (r *Registry) Group(name string, flow Flow, rank int) *Group {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.newGroup(name, flow, rank)
}

func (r *Registry) newGroup(name string, flow Flow, rank int) *Group {
	g := &Group{name: name, flow: flow, rank: rank, seq: len(r.groups)}
	r.groups = append(r.groups, g)
	return g
}

// Handle removes a registration.
type Handle struct {
	reg *Registry
	e   *entry
}

// Remove removes the registration. Events that are being dispatched may still run
// it. Removing twice does nothing.
func (h *Handle) Remove() { h.reg.remove(func(e *entry) bool { return e == h.e }) }

// Info describes the registration.
func (h *Handle) Info() *Info { return h.e.info }

// ErrNoHandler is the error of a registration without a handler.
var ErrNoHandler = errors.New("registration has no handler")

// Add adds a registration. It fails when the event is unknown or there is no
// handler.
func (r *Registry) Add(reg Registration) (*Handle, error) {
	hs, err := r.AddAll([]Registration{reg})
	if err != nil {
		return nil, err
	}
	return hs[0], nil
}

// AddAll adds registrations at once: all of them or, on an error, none.
func (r *Registry) AddAll(regs []Registration) ([]*Handle, error) {
	for i := range regs {
		if err := regs[i].check(); err != nil {
			return nil, err
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	out := make([]*Handle, len(regs))
	for i := range regs {
		e := r.newEntry(regs[i])
		r.entries = append(r.entries, e)
		out[i] = &Handle{r, e}
	}
	r.snap.Store(newSnapshot(r.entries))
	return out, nil
}

func (reg *Registration) check() error {
	switch {
	case !reg.Event.Valid():
		return fmt.Errorf("register %q: %v is not an event", reg.Name, reg.Event)
	case reg.Handler == nil && reg.Inactive == "":
		return fmt.Errorf("register %q for %v: %w", reg.Name, reg.Event, ErrNoHandler)
	case reg.Timeout < 0 || reg.AsyncTimeout < 0:
		return fmt.Errorf("register %q for %v: negative timeout", reg.Name, reg.Event)
	}
	return nil
}

func (r *Registry) newEntry(reg Registration) *entry {
	if reg.Group == nil {
		if r.def == nil {
			r.def = r.newGroup("go", Sequential, RankGo)
		}
		reg.Group = r.def
	}
	r.seq++
	if reg.Name == "" {
		reg.Name = fmt.Sprintf("%v#%d", reg.Event, r.seq)
	}
	e := &entry{Registration: reg, seq: r.seq, gone: new(atomic.Bool)}
	e.info = &Info{
		Name: reg.Name, Dialect: reg.Dialect, Source: reg.Source, Scope: reg.Scope, Group: reg.Group.name, Flow: reg.Group.flow,
		Event: reg.Event, Timeout: reg.Timeout, Policy: reg.OnFailure, Observe: reg.Observe, Guard: reg.Guard,
		Unseen: reg.Unseen,
	}
	if reg.Matcher != nil {
		e.info.Matcher = reg.Matcher.String()
	}
	if e.info.Policy == FailDefault {
		e.info.Policy = max(reg.Event.spec().OnFailure, FailOpen)
	}
	e.goFunc, _ = reg.Handler.(inProcess)
	if id, ok := reg.Handler.(Identifier); ok {
		e.ident = id.Identity()
	}
	return e
}

func (r *Registry) remove(which func(*entry) bool) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	before := len(r.entries)
	kept := make([]*entry, 0, before)
	for _, e := range r.entries {
		if which(e) {
			e.gone.Store(true)
		} else {
			kept = append(kept, e)
		}
	}
	if len(kept) == before {
		return 0
	}
	r.entries = kept
	r.snap.Store(newSnapshot(kept))
	return before - len(kept)
}

// RemoveScope removes the registrations of one agent and returns how many there
// were. Call it after the agent's SubagentStop has fired.
func (r *Registry) RemoveScope(agentID string) int {
	if agentID == "" {
		return 0
	}
	return r.remove(func(e *entry) bool { return e.AgentID == agentID })
}

// RemoveGroup removes the registrations of a group and returns how many there
// were.
func (r *Registry) RemoveGroup(g *Group) int {
	return r.remove(func(e *entry) bool { return e.Registration.Group == g })
}

// Replace removes the registrations of a group and adds others in one step: no
// event sees the group half full.
func (r *Registry) Replace(g *Group, regs []Registration) error {
	for i := range regs {
		if err := regs[i].check(); err != nil {
			return err
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	kept := make([]*entry, 0, len(r.entries)+len(regs))
	for _, e := range r.entries {
		if e.Registration.Group == g {
			e.gone.Store(true)
		} else {
			kept = append(kept, e)
		}
	}
	for i := range regs {
		regs[i].Group = g
		kept = append(kept, r.newEntry(regs[i]))
	}
	r.entries = kept
	r.snap.Store(newSnapshot(kept))
	return nil
}

// Has reports whether any registration is for the event.
func (r *Registry) Has(ev Event) bool { return r.Count(ev) > 0 }

// Count returns how many registrations are for the event.
func (r *Registry) Count(ev Event) int {
	s := r.snap.Load()
	if s == nil || !ev.Valid() || s.events[ev] == nil {
		return 0
	}
	return len(s.events[ev].entries)
}

// Len returns how many registrations there are.
func (r *Registry) Len() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.entries)
}

// Infos describes all registrations in the order in which they run.
func (r *Registry) Infos() []*Info {
	s := r.snap.Load()
	if s == nil {
		return nil
	}
	var out []*Info
	for _, t := range s.events {
		if t == nil {
			continue
		}
		for _, e := range t.entries {
			out = append(out, e.info)
		}
	}
	return out
}

// order sorts entries as they run: by group, then priority, then registration.
func order(a, b *entry) int {
	ga, gb := a.Registration.Group, b.Registration.Group
	return cmp.Or(cmp.Compare(ga.rank, gb.rank), cmp.Compare(ga.seq, gb.seq),
		-cmp.Compare(a.Priority, b.Priority), cmp.Compare(a.seq, b.seq))
}

// caller returns file:line of the code that called into this package.
func caller() string {
	var pcs [8]uintptr
	n := runtime.Callers(3, pcs[:])
	frames := runtime.CallersFrames(pcs[:n])
	f, _ := frames.Next()
	if f.File == "" {
		return ""
	}
	return fmt.Sprintf("%s:%d", f.File, f.Line)
}

func sorted(entries []*entry) []*entry {
	out := slices.Clone(entries)
	slices.SortStableFunc(out, order)
	return out
}
