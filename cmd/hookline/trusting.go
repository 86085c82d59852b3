package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/hookline-dev/hookline/dialect"
	"github.com/hookline-dev/hookline/discovery"
	"github.com/hookline-dev/hookline/trust"
)

// trusting is one call of trust. What nobody is asked about is approved at its end, all at
// once or not at all.
type trusting struct {
	*app
	o      trustOptions
	cannot []*discovery.Found // files that would be hooks if they were executable
	store  *trust.Store
	reader *trust.Reader
	seen   *trust.Seen // what the files of all hooks are, nil when somebody is asked

	asked, refused int
	approve        []trust.Artifact
	digests        []string // of approve
	renew          []trust.Report
}

func (a *app) newTrusting(w *workspace, o trustOptions) *trusting {
	t := &trusting{app: a, o: o, store: trust.NewStore(discovery.TrustDir(w.Dirs))}
	for i := range w.Set().Hooks {
		if h := &w.Set().Hooks[i]; h.Why == dialect.NotExecutable {
			t.cannot = append(t.cannot, h)
		}
	}
	t.reader = t.store.Reader()
	if o.yes || len(o.digests) > 0 || o.importFrom != "" {
		t.seen = &trust.Seen{}
	}
	return t
}

// one decides about an artifact, or asks.
func (t *trusting) one(ctx context.Context, art trust.Artifact) error {
	art.Seen = t.seen
	rep, err := t.reader.Status(art)
	art.Seen = nil
	if unreadable(&rep, err) {
		t.refuse("%s cannot be approved: %s", escaped(art.Name), err)
		return nil
	}
	if err != nil {
		return err
	}
	if rep.Status == trust.StatusApproved && len(rep.Uncovered) == 0 && !t.widens(&rep) {
		t.again(rep)
		return nil
	}
	if why := t.cannotRun(art); why != "" {
		if len(t.o.names) > 0 {
			t.refused++ // otherwise it may be a file that others read
		}
		t.warnf("%s is not approved: %s", escaped(art.Name), why)
		return nil
	}
	if t.o.coveredOnly && len(art.Unseen) > 0 {
		t.refuse("%s is not approved: an approval does not cover all that it runs", escaped(art.Name))
		t.notCovered(art)
		return nil
	}
	t.asked++
	if len(rep.Uncovered) > 0 {
		t.warnf("%s is approved without these files, which an approval covers today: %s", escaped(art.Name), escaped(strings.Join(rep.Uncovered, ", ")))
	}
	if art.Replaces != "" && !t.o.replace && t.seen != nil { // which says nothing about those behind it
		t.refuse("%s is not approved: %s; --replace says that it may", escaped(art.Name), &trust.ReplacesError{Name: art.Name, Replaces: art.Replaces})
		return nil
	}
	switch digest := rep.State.Digest; {
	case t.seen == nil:
		return t.ask(ctx, art)
	case len(t.o.digests) > 0 && !slices.Contains(t.o.digests, digest):
		return &trust.DigestError{Name: art.Name, Digest: digest}
	default:
		t.take(art, digest)
	}
	return nil
}

// widens reports whether a hook that is approved is meant and may write more from now on.
func (t *trusting) widens(rep *trust.Report) bool {
	meant := len(t.o.digests) == 0 || slices.Contains(t.o.digests, rep.State.Digest)
	return t.o.allowWrites && meant && rep.Artifact.Confined && !rep.Approval.MayWrite
}

func (t *trusting) refuse(format string, args ...any) {
	t.refused++
	t.warnf(format, args...)
}

// take has an artifact approved at the end, as it is now.
func (t *trusting) take(art trust.Artifact, digest string) {
	t.approve, t.digests = append(t.approve, art), append(t.digests, digest)
}

// again has an approval by earlier rules made one of today at the end.
func (t *trusting) again(rep trust.Report) {
	if rep.Approval.Rules < trust.Rules {
		t.renew = append(t.renew, rep)
	}
}

// write approves what was taken, and says so.
func (t *trusting) write(ctx context.Context) error {
	if err := t.store.Renew(ctx, t.renew...); err != nil {
		return err
	}
	approve := trust.ApproveOptions{Digests: t.digests, Replace: t.o.replace, How: trust.HowCommand, MayWrite: t.o.allowWrites}
	switch {
	case t.o.importFrom != "":
		approve.How = trust.HowImport
	case len(t.o.digests) > 0:
		approve.How = trust.HowDigest
	}
	if _, err := t.store.Approve(ctx, approve, t.approve...); err != nil {
		return err
	}
	for i, art := range t.approve {
		t.printf("%s  %s\n", t.digests[i], escaped(art.Name))
		t.notCovered(art)
		t.confined(art, t.o)
	}
	return nil
}

// cannotRun says why a hook could not run as it is, and would be another one when it can: an
// approval covers the execute bit.
func (t *trusting) cannotRun(art trust.Artifact) string {
	if slices.ContainsFunc(t.cannot, func(h *discovery.Found) bool { return h.Name == art.Name && h.Artifact.Source == art.Source }) {
		return dialect.NotExecutable
	}
	return ""
}

// ask shows one hook, asks, and approves what was shown.
func (t *trusting) ask(ctx context.Context, art trust.Artifact) error {
	desc, err := trust.Describe(art)
	if err != nil {
		return fmt.Errorf("read %s: %w", art.Name, err)
	}
	if err := trust.RenderDescription(t.err, desc, trust.Shown(t.asks)); err != nil {
		return err
	}
	if art.Replaces != "" && !t.o.replace {
		t.warnf("It would take the place of your hook %s: --replace says that it may.", art.Replaces)
	}
	if art.Confined && t.o.allowWrites {
		t.warnf("With this approval it may write what others may.")
	}
	ok, err := t.confirm(ctx, "Approve "+escaped(art.Name)+"?")
	if err != nil || !ok {
		return err
	}
	approve := trust.ApproveOptions{Digests: []string{desc.State.Digest}, Replace: t.o.replace, How: trust.HowAsked, MayWrite: t.o.allowWrites}
	_, err = t.store.Approve(ctx, approve, art)
	if _, ok := errors.AsType[*trust.ReplacesError](err); ok {
		t.refuse("%s is not approved: %s; --replace says that it may", escaped(art.Name), err)
		return nil
	}
	if err != nil {
		return err
	}
	t.printf("%s  %s\n", desc.State.Digest, escaped(art.Name))
	return nil
}
