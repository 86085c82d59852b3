package trust

import (
	"os"
	"sync"
)

// Reader looks up how many hooks stand, and reads the store's file once for all of them, as
// long as it does not change. Who could have written it is looked at when it is read. It is
// safe for concurrent use.
type Reader struct {
	store *Store

	mu   sync.Mutex
	seen os.FileInfo // the file when it was read last
	last *view
}

// Reader returns a reader of the store, which has read nothing yet.
func (s *Store) Reader() *Reader { return &Reader{store: s} }

// view is what the store says. An error comes with a view that approves nothing.
func (r *Reader) view() (*view, error) {
	info, err := os.Lstat(r.store.Path())
	r.mu.Lock()
	defer r.mu.Unlock()
	// The file is replaced as a whole whenever it changes.
	if seen := r.seen; err == nil && seen != nil && os.SameFile(info, seen) && info.ModTime().Equal(seen.ModTime()) && info.Size() == seen.Size() && info.Mode() == seen.Mode() {
		return r.last, nil
	}
	r.seen = nil
	c, lerr := r.store.load()
	if lerr != nil {
		return &view{}, lerr
	}
	v := newView(c)
	if err == nil {
		r.seen, r.last = info, v
	}
	return v, nil
}

// view is what the store's file says, to be looked up for many hooks. It does not change.
type view struct {
	approvals map[string][]*Approval // by digest
	refusals  map[string][]Refusal   // by digest
	hooks     map[hookID][]*Approval
}

// hookID finds approvals of hooks in one file: by their definition, by their name, or all.
type hookID struct{ dialect, source, kind, text string }

const (
	byDefinition = "definition"
	byName       = "name"
	bySource     = "source"
)

func newView(c *content) *view {
	v := &view{map[string][]*Approval{}, map[string][]Refusal{}, map[hookID][]*Approval{}}
	for i := range c.Approvals {
		a := &c.Approvals[i]
		v.approvals[a.Digest] = append(v.approvals[a.Digest], a)
		for _, id := range []hookID{{a.Dialect, a.Source, byDefinition, a.Definition}, {a.Dialect, a.Source, byName, a.Name}, {a.Dialect, a.Source, bySource, ""}} {
			v.hooks[id] = append(v.hooks[id], a)
		}
	}
	for _, r := range c.Refusals {
		v.refusals[r.Digest] = append(v.refusals[r.Digest], r)
	}
	return v
}

// approval finds the approval of a digest in a root.
func (v *view) approval(root, digest string) *Approval {
	for _, a := range v.approvals[digest] {
		if sameRoot(a.Root, root) {
			return a
		}
	}
	return nil
}

func (v *view) refused(root, digest string) bool {
	for _, r := range v.refusals[digest] {
		if sameRoot(r.Root, root) {
			return true
		}
	}
	return false
}

// base finds the approval that a hook had before it changed: the newest of the same
// definition and source, one of the same name first; else the newest of the same name.
func (v *view) base(a Artifact, st State) *Approval {
	var best *Approval
	for _, b := range v.hooks[hookID{a.Dialect, st.Source, byDefinition, a.Definition}] {
		named, before := b.Name == a.Name, best != nil && best.Name == a.Name
		if sameRoot(b.Root, st.Root) && (best == nil || named && !before || named == before && b.Time.After(best.Time)) {
			best = b
		}
	}
	if best != nil {
		return best
	}
	return v.named(a, st)
}

// named finds the newest approval of a hook's name and source, by the name that it had before
// if there is none.
func (v *view) named(a Artifact, st State) (best *Approval) {
	for _, b := range v.hooks[hookID{a.Dialect, st.Source, byName, a.Name}] {
		if sameRoot(b.Root, st.Root) && (best == nil || b.Time.After(best.Time)) {
			best = b
		}
	}
	if best == nil && a.Earlier != "" {
		a.Name, a.Earlier = a.Earlier, ""
		return v.named(a, st)
	}
	return best
}

// adopted reports whether a hook was approved as it was before, or, of what cannot be
// read any more, anything in its source.
func (v *view) adopted(a Artifact, st State) bool {
	if v.base(a, st) != nil {
		return true
	}
	for _, b := range v.hooks[hookID{a.Dialect, st.Source, bySource, ""}] {
		if a.Broken && sameRoot(b.Root, st.Root) {
			return true
		}
	}
	return false
}

// supersedes reports whether one of the approvals, which are new, ends an old one: it is of
// the same content, or of the same hook with other files.
func (v *view) supersedes(old Approval) bool {
	if v.approval(old.Root, old.Digest) != nil {
		return true
	}
	for _, a := range v.hooks[hookID{old.Dialect, old.Source, byDefinition, old.Definition}] {
		if (a.Name == old.Name || a.earlier != "" && a.earlier == old.Name) && sameRoot(a.Root, old.Root) {
			return true
		}
	}
	return false
}
