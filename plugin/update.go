package plugin

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"

	"github.com/hookline-dev/hookline/internal/gitcmd"
)

// UpdateStatus is what became of a plugin in an update.
type UpdateStatus string

// The statuses.
const (
	Updated   UpdateStatus = "updated"
	Unchanged UpdateStatus = "unchanged" // the source has nothing new
	Pinned    UpdateStatus = "pinned"    // it was added by commit
	Declined  UpdateStatus = "declined"  // Approve said no
	Available UpdateStatus = "available" // dry run: an update is there
)

// UpdateOptions says how to update. The zero value updates everything, and
// refuses what needs approval.
type UpdateOptions struct {
	GlobalOnly      bool
	LocalOnly       bool
	ContinueOnError bool
	DryRun          bool
	Progress        func(Progress)
	// Approve is asked before hooks that are new or changed become active,
	// before files that somebody changed are overwritten, and before a tag that
	// was moved is followed. Without it such updates fail with
	// [ErrNeedsApproval].
	Approve func(Diff) (bool, error)
}

// UpdateResult is one plugin of an update.
type UpdateResult struct {
	Name      string       `json:"name"`
	Location  Location     `json:"location"`
	Status    UpdateStatus `json:"status"`
	Ref       string       `json:"ref"`
	OldCommit string       `json:"old_commit"`
	NewCommit string       `json:"new_commit"`
	// Modified are the files that somebody changed, removed or added since the
	// plugin was installed, whatever its source has; sorted. An update overwrites
	// them, and says so in Diff too.
	Modified []string `json:"modified"`
	Diff     Diff     `json:"diff"` // empty unless something changed
	Plugin   Plugin   `json:"-"`    // as installed; empty when nothing was
}

// Update asks the sources of installed plugins for what their refs stand for
// now, and installs that. Without names it updates all that are recorded. A
// name that is not installed gives a [*NotInstalledError], and nothing is
// updated. The error joins one for each plugin that failed.
func (s *Store) Update(ctx context.Context, names []string, o UpdateOptions) ([]UpdateResult, error) {
	wanted, err := parseNames(names)
	if err != nil {
		return nil, err
	}
	plans, err := s.updatable(ctx, wanted, o)
	if err != nil {
		return nil, err
	}
	var results []UpdateResult
	var failures []error
	for _, p := range plans {
		r, err := s.updateOne(ctx, p.area, p.name, o)
		if err != nil {
			failures = append(failures, &installError{Plugin: p.name.String(), Err: err})
			if o.ContinueOnError && ctx.Err() == nil {
				continue
			}
			break
		}
		results = append(results, r)
	}
	return results, errors.Join(failures...)
}

// updatable finds what to update.
func (s *Store) updatable(ctx context.Context, wanted []Name, o UpdateOptions) ([]removal, error) {
	found := make(map[Name]bool)
	var plans []removal
	for _, a := range s.areas() {
		if (o.GlobalOnly && a.location != Global) || (o.LocalOnly && a.location != Local) {
			continue
		}
		if err := s.settle(ctx, a); err != nil {
			return nil, err
		}
		lock, err := readLock(a.lockPath())
		if err != nil {
			return nil, err
		}
		for _, n := range a.all(lock) {
			_, recorded := lock.find(n.String())
			switch {
			case len(wanted) == 0 && recorded, slices.Contains(wanted, n):
				found[n] = true
				plans = append(plans, removal{a, n})
			}
		}
	}
	if missing := without(wanted, found); len(missing) > 0 {
		return nil, &NotInstalledError{Names: missing}
	}
	return plans, nil
}

func (s *Store) updateOne(ctx context.Context, a area, n Name, o UpdateOptions) (UpdateResult, error) {
	if err := a.safe(); err != nil {
		return UpdateResult{}, err
	}
	release, err := acquire(ctx, a.plugins(), "plugin update "+n.String(), func(holder string) {
		if o.Progress != nil {
			o.Progress(Progress{Plugin: n.String(), Stage: StageWait, Detail: holder})
		}
	})
	if err != nil {
		return UpdateResult{}, err
	}
	defer release()
	if err := s.sweep(ctx, a); err != nil {
		return UpdateResult{}, err
	}
	j, err := s.updateJob(a, n, o)
	if err != nil {
		return UpdateResult{}, err
	}
	r := UpdateResult{Name: n.String(), Location: a.location, Ref: j.old.Ref, OldCommit: j.old.Commit, NewCommit: j.old.Commit}
	if r.Modified, err = j.modified(ctx); err != nil {
		return UpdateResult{}, err
	}
	if status, done, err := j.upToDate(ctx); err != nil || done {
		r.Status = status
		return r, err
	}
	installed, err := j.runIn(ctx)
	r.Diff, r.Plugin = installed.Diff, installed.Plugin
	switch {
	case errors.Is(err, ErrDeclined):
		r.Status = Declined
		return r, nil
	case err != nil:
		return UpdateResult{}, err
	}
	r.NewCommit = installed.Commit
	switch {
	case len(r.Diff.Files) == 0 && r.NewCommit == r.OldCommit:
		r.Status = Unchanged
	case o.DryRun:
		r.Status = Available
	default:
		r.Status = Updated
	}
	return r, nil
}

// updateJob makes the install that an update is.
func (s *Store) updateJob(a area, n Name, o UpdateOptions) (*job, error) {
	lock, err := readLock(a.lockPath())
	if err != nil {
		return nil, err
	}
	e, ok := lock.find(n.String())
	if !ok {
		return nil, fmt.Errorf("where %s comes from is not recorded; add it again with --force", n)
	}
	src, err := a.sourceOf(e)
	if err != nil {
		return nil, fmt.Errorf("the recorded source of %s: %w", n, err)
	}
	j := &job{
		store: s, area: a, src: src, update: true,
		opts: InstallOptions{Force: true, DryRun: o.DryRun, Progress: o.Progress, Approve: o.Approve, Global: a.location == Global},
	}
	return j, j.findOld()
}

// upToDate answers without a download when there is nothing to do. A plugin
// whose directory is gone is never up to date.
func (j *job) upToDate(ctx context.Context) (status UpdateStatus, done bool, err error) {
	if j.src.Kind != GitSource || j.oldPath == "" {
		return "", false, nil
	}
	if j.old.RefKind == string(gitcmd.Commit) {
		return Pinned, true, nil
	}
	u, err := gitcmd.ParseURL(j.src.Address)
	if err != nil {
		return "", false, err
	}
	dir, err := os.MkdirTemp("", "plugin-")
	if err != nil {
		return "", false, fmt.Errorf("making a temporary directory: %w", err)
	}
	defer os.RemoveAll(dir)
	repo, err := j.store.client().Scratch(ctx, dir)
	if err != nil {
		return "", false, err
	}
	j.report(StageResolve, u.String())
	t, err := repo.Resolve(ctx, u, j.src.Ref)
	if err != nil {
		return "", false, err
	}
	if t.Commit == j.old.Commit && t.Kind == gitcmd.TargetKind(j.old.RefKind) {
		return Unchanged, true, nil
	}
	return "", false, nil
}

// runIn runs the job in the store, or, in a dry run, beside it.
func (j *job) runIn(ctx context.Context) (InstallResult, error) {
	if !j.opts.DryRun {
		return j.run(ctx, j.area.plugins())
	}
	dir, err := os.MkdirTemp("", "plugin-")
	if err != nil {
		return InstallResult{}, fmt.Errorf("making a temporary directory: %w", err)
	}
	defer os.RemoveAll(dir)
	return j.run(ctx, dir)
}
