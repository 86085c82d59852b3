package main

import (
	"context"
	"fmt"
	"slices"

	"github.com/hookline-dev/hookline/discovery"
	"github.com/hookline-dev/hookline/internal/fsx"
	"github.com/hookline-dev/hookline/trust"
)

// maxShared bounds a file of shared approvals.
const maxShared = 16 << 20

// shareTrust exports or imports approvals.
func shareTrust(ctx context.Context, a *app, o trustOptions) error {
	switch {
	case len(o.names) > 0:
		return usagef("--export and --import are about the whole project, and take no names")
	case o.yes || len(o.digests) > 0 || o.exportTo != "" && o.importFrom != "":
		return usagef("--export, --import, --yes and --digest each say what is meant: name one of them")
	case o.exportTo != "":
		return a.exportTrust(ctx, o.exportTo)
	}
	return a.importTrust(ctx, o)
}

// exportTrust writes the approvals of what came with the project into a file, or to the
// output, and names what is not approved.
func (a *app) exportTrust(ctx context.Context, file string) error {
	w, artifacts, err := a.shareable(ctx)
	if err != nil {
		return err
	}
	defer w.Close()
	reader := trust.NewStore(discovery.TrustDir(w.Dirs)).Reader()
	var approved []trust.Shared
	for _, art := range artifacts {
		rep, err := reader.Status(art)
		switch {
		case unreadable(&rep, err):
			a.warnf("left out: %s cannot be approved: %s", escaped(art.Name), err)
		case err != nil:
			return err
		case rep.Status != trust.StatusApproved || len(rep.Uncovered) > 0:
			a.warnf("left out: %s is not approved", escaped(art.Name))
		case art.Level == "project":
			approved = append(approved, trust.ShareOf(art, rep.State))
		}
	}
	data, err := trust.EncodeShared(approved)
	if err != nil {
		return err
	}
	if file == "-" {
		_, err = a.out.Write(data)
		return err
	}
	if err := fsx.WriteFile(a.inDir(file), data, 0o644); err != nil {
		return fmt.Errorf("write the approvals: %w", err)
	}
	a.warnf("%s in %s", count(len(approved), "approval", "approvals"), escaped(file))
	return nil
}

// importTrust approves what a file of shared approvals names and is here as it was there. It
// fails when something that needs an approval has none afterwards, or when something that was
// approved is not here.
func (a *app) importTrust(ctx context.Context, o trustOptions) error {
	if v := trust.InsideAgent(a.getenv); v != "" {
		return usagef("--import approves what a file says; %s says that an agent started this, which could have written it", v)
	}
	shared, err := a.readShared(ctx, o.importFrom)
	if err != nil {
		return err
	}
	w, artifacts, err := a.shareable(ctx)
	if err != nil {
		return err
	}
	defer w.Close()
	t := a.newTrusting(w, o)
	faults, used := 0, make([]bool, len(shared))
	for _, art := range artifacts {
		art.Seen = t.seen
		rep, err := t.reader.Status(art)
		if unreadable(&rep, err) {
			faults++
			a.warnf("not approved: %s cannot be: %s", escaped(art.Name), err)
			continue
		}
		if err != nil {
			return err
		}
		want := trust.ShareOf(art, rep.State)
		i := slices.Index(shared, want)
		covered := i >= 0
		if covered {
			used[i] = true
		}
		if why := t.importOne(&rep, covered); why != "" {
			faults++
			a.warnf("not approved: %s (%s), %s", escaped(art.Name), escaped(rep.State.Source), why)
		}
	}
	if err := t.write(ctx); err != nil {
		return err
	}
	for i, s := range shared {
		if !used[i] {
			faults++
			a.warnf("not here: what was approved as %s (%s)", escaped(s.Name), escaped(s.Source))
		}
	}
	if faults > 0 {
		a.warnf("Who has read it can approve it with 'hookline trust', and write the file anew with 'hookline trust --export'.")
		return errSilent
	}
	return nil
}

// importOne takes an artifact that a file covers, and says why one is not to be approved.
func (t *trusting) importOne(rep *trust.Report, covered bool) (why string) {
	art := rep.Artifact
	approved := rep.Status == trust.StatusApproved && len(rep.Uncovered) == 0
	switch {
	case !covered && art.Level == "project":
		return "which the file does not cover as it is now"
	case !covered && !approved:
		return "which is not part of the project that others have: 'hookline trust' approves it"
	case rep.Status == trust.StatusRefused:
		return "since you refused it: 'hookline untrust' forgets that"
	case t.o.coveredOnly && len(art.Unseen) > 0:
		t.notCovered(art)
		return "since an approval does not cover all that it runs"
	case art.Replaces != "" && !t.o.replace:
		return "since it would take the place of your hook " + escaped(art.Replaces) + ": --replace says that it may"
	case approved && !(covered && t.widens(rep)):
		t.again(*rep)
	default:
		t.take(art, rep.State.Digest)
	}
	return ""
}

// shareable opens the directory and lists all of it that needs an approval.
func (a *app) shareable(ctx context.Context) (*workspace, []trust.Artifact, error) {
	w, err := a.open(ctx)
	if err != nil {
		return nil, nil, err
	}
	artifacts, err := w.artifacts(ctx, nil)
	if err != nil {
		w.Close()
		return nil, nil, err
	}
	return w, artifacts, nil
}

// readShared reads a file of shared approvals, or the input.
func (a *app) readShared(ctx context.Context, file string) ([]trust.Shared, error) {
	data, err := a.readInput(ctx, file, maxShared)
	if err != nil {
		return nil, fmt.Errorf("read the approvals: %w", err)
	}
	shared, err := trust.DecodeShared(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", escaped(file), err)
	}
	return shared, nil
}
