package plugin

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/hookline-dev/hookline/diag"
	"github.com/hookline-dev/hookline/internal/gitcmd"
)

// Stage is a step of an operation that progress is told of.
type Stage string

// The stages.
const (
	StageWait    Stage = "wait"    // another process changes the store
	StageResolve Stage = "resolve" // asking the server what the ref stands for
	StageFetch   Stage = "fetch"   // downloading
	StageCheck   Stage = "check"   // looking for what must be refused
	StageCopy    Stage = "copy"    // writing files
	StageInstall Stage = "install" // putting the plugin in place
	StageDone    Stage = "done"
)

// Progress is one report of how far an operation is.
type Progress struct {
	Plugin string
	Stage  Stage
	Detail string // the address, the holder of the lock, ...
}

// InstallOptions says how to install. The zero value installs locally.
type InstallOptions struct {
	Global          bool // into the home directory
	Force           bool // replace a plugin of that name
	ContinueOnError bool // go on with the next source after a failure
	DryRun          bool // fetch and check, and change nothing
	// Progress, when not nil, is called from the goroutine of the operation.
	Progress func(Progress)
	// Approve, when not nil, is asked before hooks that are new or changed
	// become active. False, or an error, leaves everything as it was. The
	// store is locked meanwhile.
	Approve func(Diff) (bool, error)
}

// InstallResult is a plugin that was installed or, in a dry run, would be.
type InstallResult struct {
	Plugin
	RefKind     string // default, branch, tag or commit; empty for a directory
	Content     Content
	Diff        Diff
	Diagnostics []diag.Diagnostic
	DryRun      bool
}

// Install installs plugins, one after the other. Without ContinueOnError it
// stops at the first failure; what was installed before stays. The results are
// those of the sources that worked, the error joins one for each
// that did not. Errors inside are, among others, [*RefusedError],
// [*ExistsError], [*BusyError], and [ErrDeclined].
func (s *Store) Install(ctx context.Context, sources []Source, o InstallOptions) ([]InstallResult, error) {
	l := Local
	if o.Global {
		l = Global
	}
	a, err := s.target(l)
	if err != nil {
		return nil, err
	}
	var results []InstallResult
	var failures []error
	for _, src := range sources {
		result, err := s.installOne(ctx, a, src, o)
		if err != nil {
			failures = append(failures, &installError{Plugin: src.Name.String(), Err: err})
			if o.ContinueOnError && ctx.Err() == nil {
				continue
			}
			break
		}
		results = append(results, result)
	}
	return results, errors.Join(failures...)
}

// job is one install or update on its way.
type job struct {
	store   *Store
	area    area
	src     Source
	old     Entry  // record of the version being replaced; zero when there is none
	oldPath string // directory being replaced; empty when there is none
	update  bool   // approval is required, not only asked for
	opts    InstallOptions

	staging string
	target  gitcmd.Target
	hint    string
}

func (j *job) report(stage Stage, detail string) {
	if j.opts.Progress != nil {
		j.opts.Progress(Progress{Plugin: j.src.Name.String(), Stage: stage, Detail: detail})
	}
}

func (s *Store) installOne(ctx context.Context, a area, src Source, o InstallOptions) (InstallResult, error) {
	if _, err := parseDirName(src.Name.Dir()); err != nil {
		return InstallResult{}, err
	}
	if o.DryRun {
		return s.rehearse(ctx, a, src, o)
	}
	release, err := acquire(ctx, a.plugins(), "plugin add "+src.Name.String(), func(holder string) {
		if o.Progress != nil {
			o.Progress(Progress{Plugin: src.Name.String(), Stage: StageWait, Detail: holder})
		}
	})
	if err != nil {
		return InstallResult{}, err
	}
	defer release()
	if err := s.sweep(ctx, a); err != nil {
		return InstallResult{}, err
	}
	j := job{store: s, area: a, src: src, opts: o}
	if err := j.findOld(); err != nil {
		return InstallResult{}, err
	}
	return j.run(ctx, a.plugins())
}

// rehearse does everything but the change, outside the store.
func (s *Store) rehearse(ctx context.Context, a area, src Source, o InstallOptions) (InstallResult, error) {
	dir, err := os.MkdirTemp("", "plugin-")
	if err != nil {
		return InstallResult{}, fmt.Errorf("making a temporary directory: %w", err)
	}
	defer os.RemoveAll(dir)
	j := job{store: s, area: a, src: src, opts: o}
	if err := j.findOld(); err != nil {
		return InstallResult{}, err
	}
	return j.run(ctx, dir)
}

// findOld looks for an installed version and refuses to replace it unasked.
func (j *job) findOld() error {
	lock, err := readLock(j.area.lockPath())
	if err != nil {
		return err
	}
	j.old, _ = lock.find(j.src.Name.String())
	path, exists := j.area.has(j.src.Name)
	if !exists {
		return nil
	}
	if !j.opts.Force {
		return &ExistsError{Plugin: j.src.Name.String(), Path: path, Source: j.old.where()}
	}
	if path != j.area.path(j.src.Name) {
		return &RefusedError{Plugin: j.src.Name.String(), Reason: fmt.Sprintf("it differs from the installed %s only in upper and lower case; remove that one first", filepath.Base(path))}
	}
	if info, err := os.Lstat(path); err != nil || !info.IsDir() {
		return fmt.Errorf("%s is not a directory; move it away first", path)
	}
	j.oldPath = path
	return nil
}

// run gathers, checks and commits. Everything it makes is below a directory in
// parent that is gone when it returns.
func (j *job) run(ctx context.Context, parent string) (result InstallResult, err error) {
	j.staging, err = j.store.newStaging(parent)
	if err != nil {
		return InstallResult{}, err
	}
	defer func() { err = j.store.discard(j.staging, err) }()
	files, commit, err := j.gather(ctx)
	if err != nil {
		return InstallResult{}, err
	}
	tree := filepath.Join(j.staging, treeName)
	content, diags, err := Scan(tree)
	if err != nil {
		return InstallResult{}, err
	}
	if content.empty() {
		return InstallResult{}, &emptyError{Plugin: j.src.Name.String(), Hint: j.hint}
	}
	entry := Entry{
		Name: j.src.Name.String(), Kind: j.src.Kind, Source: j.area.recordedSource(j.src), Dir: j.src.Dir, Ref: j.src.Ref,
		ResolvedRef: j.target.Ref, RefKind: string(j.target.Kind), Commit: commit, InstalledAt: j.store.now(), Files: files,
	}
	result = InstallResult{
		Plugin:  newPlugin(j.area, j.src.Name, content, &entry),
		RefKind: entry.RefKind, Content: rebase(content, tree, j.area.path(j.src.Name)), Diagnostics: rebaseDiagnostics(diags, tree, j.area.path(j.src.Name)),
		DryRun: j.opts.DryRun,
	}
	disabled, err := j.diff(ctx, &result.Diff, entry)
	if err != nil {
		return InstallResult{}, err
	}
	result.Diff.Granted = result.Granted
	if j.opts.DryRun {
		return result, nil
	}
	if err := j.approve(result.Diff); err != nil {
		return InstallResult{}, err
	}
	if err := carryDisabled(tree, &entry, disabled); err != nil {
		return InstallResult{}, err
	}
	j.report(StageInstall, j.area.path(j.src.Name))
	if err := ctx.Err(); err != nil {
		return InstallResult{}, context.Cause(ctx)
	}
	if err := j.store.commitInstall(j.area, j.staging, entry); err != nil {
		return InstallResult{}, err
	}
	j.report(StageDone, j.area.path(j.src.Name))
	return result, nil
}

// diff fills d and gives the hooks that are switched off in the old version.
func (j *job) diff(ctx context.Context, d *Diff, e Entry) (disabled []string, err error) {
	*d = Diff{
		Name: e.Name, Location: j.area.location, Source: e.where(), Ref: e.Ref, NewCommit: e.Commit,
		OldCommit: j.old.Commit, New: j.oldPath == "",
	}
	if j.old.where() != e.where() {
		d.OldSource = j.old.where()
	}
	d.TagMoved = !d.New && e.RefKind == string(gitcmd.Tag) && j.old.RefKind == e.RefKind && j.old.ResolvedRef == e.ResolvedRef &&
		d.OldSource == "" && j.old.Commit != e.Commit
	var before []File
	if !d.New {
		if before, err = digestTree(ctx, j.oldPath); err != nil {
			return nil, err
		}
		disabled = disabledIn(before, e.Files)
		if d.Modified, err = j.modified(ctx); err != nil {
			return nil, err
		}
	}
	d.Files = diffTrees(j.oldPath, filepath.Join(j.staging, treeName), before, e.Files, disabled)
	return disabled, nil
}

// modified lists the files of the version being replaced that are not as they were
// installed. A directory that is gone has none: there is nothing to overwrite.
func (j *job) modified(ctx context.Context) ([]string, error) {
	if j.old.Name == "" || j.oldPath == "" {
		return nil, nil
	}
	r, err := compare(ctx, j.oldPath, j.old)
	if err != nil {
		return nil, fmt.Errorf("comparing %s with its record: %w", j.old.Name, err)
	}
	files := slices.Concat(r.Modified, r.Mode, r.Missing, r.Extra)
	slices.Sort(files)
	return files, nil
}

// disabledIn lists the hooks of the new version that are switched off in the old.
func disabledIn(before, after []File) []string {
	there := make(map[string]bool, len(before))
	for _, f := range before {
		there[f.Path] = true
	}
	var off []string
	for _, f := range after {
		if isHookPath(f.Path) && there[f.Path+disabledSuffix] && !there[f.Path] {
			off = append(off, f.Path)
		}
	}
	return off
}

// carryDisabled keeps hooks switched off over an update.
func carryDisabled(tree string, e *Entry, disabled []string) error {
	for _, p := range disabled {
		path := filepath.Join(tree, filepath.FromSlash(p))
		if _, err := os.Lstat(path + disabledSuffix); err == nil {
			continue // the new version ships a file of that name
		}
		if err := os.Rename(path, path+disabledSuffix); err != nil {
			return fmt.Errorf("keeping %s switched off: %w", p, err)
		}
	}
	e.Disabled = disabled
	return nil
}

func (j *job) approve(d Diff) error {
	if !d.needsApproval() {
		return nil
	}
	if j.opts.Approve == nil {
		if j.update {
			return fmt.Errorf("%s: %w", d.why(), ErrNeedsApproval)
		}
		return nil
	}
	ok, err := j.opts.Approve(d)
	if err != nil {
		return fmt.Errorf("asking for approval: %w", err)
	}
	if !ok {
		return ErrDeclined
	}
	return nil
}
