package trust

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"
)

// How says in what way an approval was given.
const (
	HowAsked   = "asked"   // the person was shown the content and said yes
	HowCommand = "command" // a command line that said yes to what was there
	HowDigest  = "digest"  // a command line that named the digest
	HowImport  = "import"  // a file of shared approvals that named the digest
)

// ApproveOptions say what is being approved.
type ApproveOptions struct {
	// Digests, when not nil, are the only digests that may be approved. Use it for
	// the digest that the person has seen, so that what changed since is refused.
	Digests []string
	// Replace allows a hook to take the place of a stronger one of its name.
	Replace bool
	// MayWrite lets hooks that run what no approval covers write what others may.
	MayWrite bool
	// How says in what way the approval was given.
	How string
}

// DigestError is the error of content that is not what was meant.
type DigestError struct {
	Name, Digest string
}

func (e *DigestError) Error() string {
	return fmt.Sprintf("%s is %s now, which is not what was to be approved: look at it again", strconv.Quote(e.Name), e.Digest)
}

// ReplacesError is the error of a hook that would take the place of a stronger one
// without having been approved for that.
type ReplacesError struct {
	Name, Replaces string
}

func (e *ReplacesError) Error() string {
	return fmt.Sprintf("%s would take the place of %s: approve it as a replacement if that is meant", strconv.Quote(e.Name), strconv.Quote(e.Replaces))
}

// Approve approves artifacts as they are now and returns their approvals. Either all
// of them are approved, in one change of the store, or, on an error, none: DigestError,
// ReplacesError, or one of reading the files or the store. An earlier approval of a hook
// with the same definition ends, so that content from before has to be approved again.
func (s *Store) Approve(ctx context.Context, o ApproveOptions, artifacts ...Artifact) ([]Approval, error) {
	b := s.newBatch()
	for _, a := range artifacts {
		if err := b.add(o, a); err != nil {
			return nil, err
		}
	}
	return b.approvals, b.write(ctx)
}

// Renew makes earlier approvals ones of what is there now, each as it was given: those by
// earlier rules, which cover the same files today, and those of hooks beside which the person
// had something written. All are changed or, on an error, none.
func (s *Store) Renew(ctx context.Context, reports ...Report) error {
	b := s.newBatch()
	for _, r := range reports {
		o := ApproveOptions{Digests: []string{r.State.Digest}, Replace: true, How: r.Approval.How, MayWrite: r.Approval.MayWrite}
		if err := b.add(o, r.Artifact); err != nil {
			return err
		}
	}
	return b.write(ctx)
}

// batch is what is approved at once. What many hooks have in common is looked at once.
type batch struct {
	store     *Store
	seen      *Seen
	kept      map[string]bool // digests of files whose content the store has
	time      time.Time
	approvals []Approval
}

func (s *Store) newBatch() *batch {
	return &batch{store: s, seen: &Seen{}, kept: map[string]bool{}, time: s.now().UTC()}
}

// add makes the approval of an artifact.
func (b *batch) add(o ApproveOptions, a Artifact) error {
	s := b.store
	if err := s.placed(); err != nil {
		return err
	}
	a.Seen = b.seen
	st, err := readState(a)
	if err != nil {
		return fmt.Errorf("approving %s: %w", strconv.Quote(a.Name), err)
	}
	if o.Digests != nil && !slices.Contains(o.Digests, st.Digest) {
		return &DigestError{Name: a.Name, Digest: st.Digest}
	}
	if a.Replaces != "" && !o.Replace {
		return &ReplacesError{a.Name, a.Replaces}
	}
	if _, err := LookOnce(b.seen, "store outside", st.Root, func() (struct{}, error) { return struct{}{}, s.outside(st.Root) }); err != nil {
		return err
	}
	if err := s.keep(st, b.kept); err != nil {
		return fmt.Errorf("approving %s: %w", strconv.Quote(a.Name), err)
	}
	b.approvals = append(b.approvals, Approval{
		Root: st.Root, Name: a.Name, Dialect: a.Dialect, Source: st.Source, Digest: st.Digest, Definition: a.Definition,
		Replaces: a.Replaces, Capabilities: a.Capabilities, Files: st.Files, Time: b.time, How: o.How, Rules: Rules,
		MayWrite: o.MayWrite && a.Confined, earlier: a.Earlier,
	})
	return nil
}

// write puts the approvals into the store.
func (b *batch) write(ctx context.Context) error {
	if len(b.approvals) == 0 {
		return nil
	}
	fresh := newView(&content{Approvals: b.approvals})
	return b.store.update(ctx, func(c *content) error {
		c.Approvals = append(slices.DeleteFunc(c.Approvals, fresh.supersedes), b.approvals...)
		c.Refusals = slices.DeleteFunc(c.Refusals, func(r Refusal) bool { return fresh.approval(r.Root, r.Digest) != nil })
		return nil
	})
}

// Refuse remembers that the person does not want to be asked about content again.
// An approval of it ends.
func (s *Store) Refuse(ctx context.Context, artifacts ...Artifact) error {
	var all []Refusal
	for _, a := range artifacts {
		st, err := readState(a)
		if err != nil {
			return fmt.Errorf("refusing %s: %w", strconv.Quote(a.Name), err)
		}
		if err := s.outside(st.Root); err != nil {
			return err
		}
		all = append(all, Refusal{Root: st.Root, Name: a.Name, Digest: st.Digest, Time: s.now().UTC()})
	}
	return s.update(ctx, func(c *content) error {
		for _, r := range all {
			c.Approvals = slices.DeleteFunc(c.Approvals, func(a Approval) bool { return a.Digest == r.Digest && sameRoot(a.Root, r.Root) })
			c.Refusals = append(slices.DeleteFunc(c.Refusals, func(old Refusal) bool { return old.Digest == r.Digest && sameRoot(old.Root, r.Root) }), r)
		}
		return nil
	})
}

// Revoke ends approvals and forgets refusals of the artifacts' hooks, whatever
// content they were about, and returns the approvals that ended. The hooks' files
// need not be there any more.
func (s *Store) Revoke(ctx context.Context, artifacts ...Artifact) ([]Approval, error) {
	type hook struct{ root, dialect, source, name string }
	var ids []hook
	for _, a := range artifacts {
		p, err := newPlace(a.Root)
		if err != nil {
			return nil, fmt.Errorf("revoking %s: %w", strconv.Quote(a.Name), err)
		}
		ids = append(ids, hook{p.real, a.Dialect, p.name(a.Source), a.Name})
		if a.Earlier != "" {
			ids = append(ids, hook{p.real, a.Dialect, p.name(a.Source), a.Earlier})
		}
	}
	return s.RevokeIf(ctx, func(a Approval) bool {
		return slices.ContainsFunc(ids, func(id hook) bool {
			return sameRoot(id.root, a.Root) && id.dialect == a.Dialect && id.source == a.Source && id.name == a.Name
		})
	})
}

// RevokeIf ends the approvals that which chooses and returns them. Refusals of the
// same names are forgotten with them.
func (s *Store) RevokeIf(ctx context.Context, which func(Approval) bool) ([]Approval, error) {
	var ended []Approval
	err := s.update(ctx, func(c *content) error {
		c.Approvals = slices.DeleteFunc(c.Approvals, func(a Approval) bool {
			gone := which(a)
			if gone {
				ended = append(ended, a)
			}
			return gone
		})
		c.Refusals = slices.DeleteFunc(c.Refusals, func(r Refusal) bool {
			return which(Approval{Root: r.Root, Name: r.Name, Digest: r.Digest})
		})
		return nil
	})
	if err != nil {
		return nil, err
	}
	s.forget()
	return ended, nil
}

// errInside is the error of a store that the project could have supplied.
var errInside = errors.New("the trust store lies inside the project, which could have brought it along")

// outside fails when the store lies inside a project. The home directory may hold
// it: nobody clones that.
func (s *Store) outside(root string) error {
	if contains(root, s.dir) && !isHome(root) {
		return &unsafeStoreError{s.Path(), errInside.Error()}
	}
	return nil
}
