package trust

import (
	"cmp"
	"errors"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"sync"
)

// GateOptions configure a SessionGate.
type GateOptions struct {
	// Store holds the approvals; without one nothing of a project is approved.
	Store *Store
	// Copies, when its directory is set, keeps what was allowed, so that it can run
	// from there after a change; see SessionGate.Mirror.
	Copies Copies
	// TrustProject runs hooks of the project that nobody approved, save for those
	// that would take the place of stronger ones. It is for machines that are thrown
	// away, such as those of continuous integration.
	TrustProject bool
	// TrustNames runs hooks of these names as TrustProject runs all.
	TrustNames []string
	// OnOverride is called for each content that runs because of one of them, once,
	// so that it can be put on record. It must not call the gate.
	OnOverride func(a Artifact, v Verdict)
}

// SessionGate decides for one session. It is safe for concurrent use.
//
// Up to Seal, what is trusted is looked at as it is. From then on content that was
// not there before runs only when it is approved, whatever its level: the session's
// own model may have written it. Approvals that are given meanwhile count.
type SessionGate struct {
	opts GateOptions

	mu       sync.Mutex
	sealed   bool
	baseline map[string]struct{}          // roots and digests that were allowed before the seal
	allowed  map[string]State             // by hook: what may run
	files    map[string]map[string]string // by path and hook: the digest that may run
	told     map[string]struct{}
	reader   *Reader          // of the store, nil without one
	problems map[string]error // by root: why approvals could not be read
	copyErr  error
}

var _ Gate = (*SessionGate)(nil)

// NewGate returns the gate of a session.
func NewGate(o GateOptions) *SessionGate {
	g := &SessionGate{
		opts: o, baseline: map[string]struct{}{}, allowed: map[string]State{}, files: map[string]map[string]string{},
		told: map[string]struct{}{}, problems: map[string]error{},
	}
	if o.Store != nil {
		g.reader = o.Store.Reader()
	}
	return g
}

// The reasons of verdicts. All but those of files that cannot be read begin with
// "untrusted".
const (
	whyUnapproved = "untrusted"
	whyChanged    = "untrusted: changed since it was approved"
	whySession    = "untrusted: changed since the session started"
	whyRefused    = "untrusted: refused"
	whyReplaces   = "untrusted: it would take the place of "
)

// Seal ends the start of the session. Call it when all hooks were found for the
// first time.
func (g *SessionGate) Seal() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.sealed = true
}

// Problem returns why approvals could not be read, nil when they could. Nothing is
// approved then.
func (g *SessionGate) Problem() error {
	g.mu.Lock()
	defer g.mu.Unlock()
	var errs []error
	for _, root := range slices.Sorted(maps.Keys(g.problems)) {
		err := g.problems[root]
		if !slices.ContainsFunc(errs, func(e error) bool { return e.Error() == err.Error() }) {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

// KeepProblem returns why copies of what was allowed could not be kept, nil when they
// could. What was allowed still runs, from where it lies, and is looked at before and
// after each run.
func (g *SessionGate) KeepProblem() error {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.copyErr
}

// Check says whether a hook may run as it is now.
func (g *SessionGate) Check(a Artifact) Verdict {
	st, err := readState(a)
	g.mu.Lock()
	defer g.mu.Unlock()
	id := hookKey(a)
	if err != nil {
		_, held := g.allowed[id]
		v := Verdict{Why: "untrusted: " + err.Error(), AllowedBefore: held}
		if p, err := a.place(); err == nil {
			g.adopt(&v, a, State{Root: p.real, Source: p.name(a.Source)})
		} else {
			v.InForce = !foreign(a.Level) // by its level alone, wherever it lies
		}
		return v
	}
	v := g.judge(a, &st)
	v.Digest = st.Digest
	if !v.Allowed {
		g.adopt(&v, a, st)
	}
	content := contentKey(st)
	if v.Allowed {
		g.allow(a.Seen, id, st)
		if !g.sealed {
			g.baseline[content] = struct{}{}
		}
		if _, told := g.told[content]; v.Override && !told && g.opts.OnOverride != nil {
			g.told[content] = struct{}{}
			a.Seen = nil
			g.opts.OnOverride(a, v)
		}
		return v
	}
	before, had := g.allowed[id]
	v.AllowedBefore = had && before.Digest != st.Digest && g.stands(a, before)
	if had && !v.AllowedBefore {
		g.disallow(id) // the approval ended
	}
	return v
}

// judge decides about an artifact in a state.
func (g *SessionGate) judge(a Artifact, st *State) Verdict {
	if a.Level == levelManaged {
		if why := g.writers(a, *st); why != "" {
			return Verdict{Why: "untrusted: " + why}
		}
		return Verdict{Allowed: true}
	}
	stored, err := g.stored(a.Seen, st.Root)
	if delete(g.problems, st.Root); err != nil {
		g.problems[st.Root] = err
	}
	if b := stored.approval(st.Root, st.Digest); b != nil {
		return Verdict{Allowed: true, MayWrite: b.MayWrite}
	}
	_, before := g.baseline[contentKey(*st)]
	fresh := g.sealed && !before
	older, newly := stored.earlier(a, *st)
	switch {
	case stored.refused(st.Root, st.Digest):
		return Verdict{Why: whyRefused}
	case older != nil && fresh:
		return Verdict{Why: whySession}
	case older != nil:
		st.by = older.Digest
		return Verdict{Allowed: true, Uncovered: newly, MayWrite: older.MayWrite}
	case a.Replaces != "":
		return Verdict{Why: whyReplaces + a.Replaces}
	case a.Level == levelUser && st.runs == "":
		if why := g.writers(a, *st); why != "" {
			return Verdict{Why: "untrusted: " + why}
		}
		if fresh {
			return Verdict{Why: whySession}
		}
		return Verdict{Allowed: true}
	case g.trusts(a) && fresh:
		return Verdict{Why: whySession}
	case g.trusts(a):
		return Verdict{Allowed: true, Override: true, Why: "nobody approved it; the session was told to run it"}
	case stored.base(a, *st) != nil:
		return Verdict{Why: whyChanged}
	case a.Level == levelUser:
		return Verdict{Why: "untrusted: " + st.runs}
	}
	return Verdict{Why: whyUnapproved}
}

// adopt says of a hook that may not run whether it was in force. What a person refused
// for good is out of force by their own word, save for a hook of their own.
func (g *SessionGate) adopt(v *Verdict, a Artifact, st State) {
	stored, err := g.stored(a.Seen, st.Root)
	if base := stored.base(a, st); base != nil {
		v.Approved = base.Definition
	}
	v.Project = a.Level == levelUser && st.runs != ""
	v.InForce = !foreign(a.Level) || v.Why != whyRefused && (stored.adopted(a, st) || err != nil)
}

// Redefined reports whether a person approved a hook with another definition; when approvals
// cannot be read, every hook may have been.
func (g *SessionGate) Redefined(a Artifact, definition func() string) bool {
	p, err := a.place()
	if err != nil {
		return true
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	stored, err := g.stored(a.Seen, p.real)
	if err != nil {
		return true
	}
	st := State{Root: p.real, Source: p.name(a.Source)}
	if stored.named(a, st) == nil {
		return false // its definition, if it was approved, is what it is
	}
	a.Definition = definition()
	base := stored.base(a, st)
	return base != nil && base.Definition != a.Definition
}

// borrows says which file of the project a hook of the person runs, or what it runs that
// may be one, "" when there is nothing: the hook is defined elsewhere, and the file lies in
// the root. That the person wrote down its name, or how to find it, says nothing about what
// a project keeps there.
func borrows(a Artifact, st State) string {
	if st.Source == "" || !filepath.IsAbs(filepath.FromSlash(st.Source)) {
		return ""
	}
	for _, f := range st.Files {
		if f.Digest != "" && !filepath.IsAbs(filepath.FromSlash(f.Path)) {
			return "it runs " + f.Path + " of the project"
		}
	}
	if a.Computed != "" {
		return "it may run any file of the project: " + a.Computed
	}
	return ""
}

// trusts reports whether a hook runs although nobody approved it.
func (g *SessionGate) trusts(a Artifact) bool {
	return g.opts.TrustProject || slices.Contains(g.opts.TrustNames, a.Name)
}

// stands reports whether what was allowed before still may run, though something
// else is there now.
func (g *SessionGate) stands(a Artifact, before State) bool {
	if a.Level == levelManaged || a.Level == levelUser && before.runs == "" || g.trusts(a) {
		return true
	}
	stored, _ := g.stored(a.Seen, before.Root)
	return stored.approval(before.Root, cmp.Or(before.by, before.Digest)) != nil
}

// stored reads the approvals that count in a root. The result is never nil.
func (g *SessionGate) stored(s *Seen, root string) (*view, error) {
	if g.opts.Store == nil {
		return &view{}, nil
	}
	if _, err := LookOnce(s, "store outside", root, func() (struct{}, error) { return struct{}{}, g.opts.Store.outside(root) }); err != nil {
		return &view{}, err
	}
	return g.reader.view()
}

// writers says why somebody else could have written a file of a hook.
func (g *SessionGate) writers(a Artifact, st State) string {
	files := []string{a.Source}
	for _, f := range st.Files {
		files = append(files, f.Abs)
	}
	for _, path := range files {
		if why, _ := LookOnce(a.Seen, "writers", path, func() (string, error) { return writers(path), nil }); why != "" {
			return why
		}
	}
	return ""
}

// allow records what may run.
func (g *SessionGate) allow(s *Seen, id string, st State) {
	if old, known := g.allowed[id]; known && old.Digest == st.Digest {
		return
	}
	g.disallow(id)
	g.allowed[id] = st
	for _, f := range st.Files {
		if f.Digest == "" {
			continue
		}
		for _, path := range s.paths(f.Abs) {
			if g.files[path] == nil {
				g.files[path] = map[string]string{}
			}
			g.files[path][id] = f.Digest
		}
		if g.opts.Copies.Dir != "" && f.Size <= maxHeld {
			g.hold(s, f)
		}
	}
}

// maxHeld bounds a file of which a copy is made as soon as it is allowed.
const maxHeld = 8 << 20

func (g *SessionGate) disallow(id string) {
	for _, f := range g.allowed[id].Files {
		for _, path := range (*Seen)(nil).paths(f.Abs) {
			delete(g.files[path], id)
		}
	}
	delete(g.allowed, id)
}

// errNotAllowed is the error of content that the gate does not allow.
var errNotAllowed = errors.New("this content was not approved")

// hookKey tells hooks apart, whatever their content is.
func hookKey(a Artifact) string {
	return strings.Join([]string{a.Level, a.Root, a.Dialect, a.Source, a.Name, a.Definition}, "\x00")
}

func contentKey(st State) string { return st.Root + "\x00" + st.Digest }
