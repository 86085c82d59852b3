package plugin

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/hookline-dev/hookline/internal/frontmatter"
	"github.com/hookline-dev/hookline/internal/fsx"
)

// A change of a store goes through a staging directory inside the plugins
// directory:
//
//	.staging-X/tree          the new plugin
//	.staging-X/journal.json  written when all of it is on the disk
//	.staging-X/old           the version being replaced, where the file system
//	                         cannot exchange two directories in one step
//
// The steps are: fill tree; write journal; exchange tree and the plugin's
// directory; write plugins.lock; remove the staging directory. recoverStaging
// finishes or undoes what a dead process left, by what it finds.

const (
	stagingPrefix = ".staging-"
	journalName   = "journal.json"
	treeName      = "tree"
	oldName       = "old"
)

type journalOp string

const (
	opInstall journalOp = "install"
	opRemove  journalOp = "remove"
)

// journal says what a staging directory is for.
type journal struct {
	Version int       `json:"version"`
	Op      journalOp `json:"op"`
	Name    string    `json:"name"`
	Entry   *Entry    `json:"entry,omitempty"` // of an install
}

// errStuck marks a failure whose undoing failed too. The staging directory then
// holds the only copy of the old version and stays, for the next operation to
// bring it back.
var errStuck = errors.New("undoing failed; the next operation will try again")

// undone gives err, with what kept the old state from being restored.
func undone(err, undoErr error) error {
	if undoErr == nil {
		return err
	}
	return errors.Join(err, fmt.Errorf("%w: %w", errStuck, undoErr))
}

// discard removes a staging directory at the end of an operation that gave err.
func (s *Store) discard(staging string, err error) error {
	if errors.Is(err, errStuck) {
		return err
	}
	s.at("clean up")
	if removeErr := removeAll(staging); err == nil && removeErr != nil {
		return fmt.Errorf("done, but tidying up failed: %w", removeErr)
	}
	return err
}

func (s *Store) newStaging(dir string) (string, error) {
	s.at("make staging")
	staging, err := os.MkdirTemp(dir, stagingPrefix)
	if err != nil {
		return "", fmt.Errorf("making a staging directory: %w", err)
	}
	return staging, nil
}

// commitInstall makes staging/tree the plugin that e describes. The caller
// holds the lock of the area. After an error the old state is whole.
func (s *Store) commitInstall(a area, staging string, e Entry) error {
	name, err := ParseName(e.Name)
	if err != nil {
		return err
	}
	if err := s.writeJournal(staging, journal{Version: lockVersion, Op: opInstall, Name: e.Name, Entry: &e}); err != nil {
		return err
	}
	before, err := readLock(a.lockPath())
	if err != nil {
		return err
	}
	target := a.path(name)
	undo, err := s.swapIn(staging, target)
	if err != nil {
		return fmt.Errorf("putting %s in place: %w", name, err)
	}
	s.at("swapped")
	before.put(e)
	err = fsx.SyncDir(a.plugins())
	if err == nil {
		err = before.write(a.lockPath())
	}
	if err != nil {
		return undone(err, undo())
	}
	s.at("locked")
	return nil
}

func (s *Store) writeJournal(staging string, j journal) error {
	data, err := json.Marshal(j)
	if err != nil {
		return fmt.Errorf("encoding the journal: %w", err)
	}
	s.at("write journal")
	if err := fsx.WriteFile(filepath.Join(staging, journalName), data, 0o600); err != nil {
		return err
	}
	s.at("journal written")
	return nil
}

// swapIn puts staging/tree at target and gives the way back.
func (s *Store) swapIn(staging, target string) (undo func() error, err error) {
	tree, old := filepath.Join(staging, treeName), filepath.Join(staging, oldName)
	if _, err := os.Lstat(target); errors.Is(err, fs.ErrNotExist) {
		if err := os.Rename(tree, target); err != nil {
			return nil, err
		}
		return func() error { return os.Rename(target, tree) }, nil
	}
	if !s.noExchange && exchange(tree, target) == nil {
		return func() error { return exchange(tree, target) }, nil
	}
	if err := os.Rename(target, old); err != nil {
		return nil, err
	}
	s.at("moved old away")
	if err := os.Rename(tree, target); err != nil {
		return nil, undone(err, os.Rename(old, target))
	}
	return func() error {
		return errors.Join(os.Rename(target, tree), os.Rename(old, target))
	}, nil
}

// commitRemove takes a plugin away. The caller holds the lock of the area.
func (s *Store) commitRemove(a area, staging string, n Name) error {
	lock, err := readLock(a.lockPath())
	if err != nil {
		return err
	}
	if err := s.writeJournal(staging, journal{Version: lockVersion, Op: opRemove, Name: n.String()}); err != nil {
		return err
	}
	old := filepath.Join(staging, oldName)
	moved := true
	if err := os.Rename(a.path(n), old); errors.Is(err, fs.ErrNotExist) {
		moved = false // only its record is there
	} else if err != nil {
		return fmt.Errorf("removing %s: %w", n, err)
	}
	s.at("moved away")
	if _, recorded := lock.find(n.String()); recorded {
		lock.drop(n.String())
		err := lock.write(a.lockPath())
		if err != nil && moved {
			err = undone(err, os.Rename(old, a.path(n)))
		}
		if err != nil {
			return err
		}
	}
	s.at("record dropped")
	return nil
}

// errLitter marks that a staging directory could not be removed. What it was
// for is settled by then.
var errLitter = errors.New("tidying up after an interrupted operation")

// sweep finishes or undoes what dead processes left. The caller holds the lock
// of the area, so that every staging directory is a leftover.
func (s *Store) sweep(ctx context.Context, a area) error {
	a.removeHalfWritten()
	for _, staging := range leftovers(a.plugins()) {
		if err := s.recoverStaging(ctx, a, staging); err != nil {
			return fmt.Errorf("finishing an interrupted operation (%s): %w", staging, err)
		}
		s.at("sweep")
		if err := removeLeftover(ctx, staging); err != nil {
			return fmt.Errorf("%w: %w", errLitter, err)
		}
	}
	return nil
}

// removeHalfWritten removes lock files that were not written to their end.
func (a area) removeHalfWritten() {
	entries, _ := os.ReadDir(a.root()) // a courtesy: what cannot be seen stays
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), "."+lockFileName+".") && strings.HasSuffix(e.Name(), ".tmp") {
			_ = os.Remove(filepath.Join(a.root(), e.Name()))
		}
	}
}

// removeLeftover removes a staging directory. A git that outlived the process
// that started it may still be making files there for a moment.
func removeLeftover(ctx context.Context, staging string) error {
	for wait := 10 * time.Millisecond; ; wait *= 2 {
		err := removeAll(staging)
		if err == nil || wait > time.Second {
			return err
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(wait):
		}
	}
}

// leftovers lists the staging directories in a plugins directory.
func leftovers(dir string) []string {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil
	}
	var list []string
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), stagingPrefix) {
			list = append(list, filepath.Join(dir, e.Name()))
		}
	}
	return list
}

// recoverStaging brings plugins.lock and the plugin's directory together again.
func (s *Store) recoverStaging(ctx context.Context, a area, staging string) error {
	data, err := frontmatter.ReadRegular(filepath.Join(staging, journalName), maxLockFile)
	if err != nil {
		return nil // it was not going to be used yet, or not any more
	}
	var j journal
	if json.Unmarshal(data, &j) != nil || j.Version != lockVersion {
		return nil
	}
	n, err := ParseName(j.Name)
	if err != nil {
		return nil
	}
	target, old := a.path(n), filepath.Join(staging, oldName)
	_, statErr := os.Lstat(target)
	missing := errors.Is(statErr, fs.ErrNotExist)
	switch {
	case j.Op == opRemove && missing:
		return changeLock(a.lockPath(), func(l *lockFile) { l.drop(n.String()) })
	case j.Op != opInstall || j.Entry == nil || j.Entry.Name != j.Name:
		return nil
	case missing && isDir(old):
		return os.Rename(old, target)
	case missing:
		return nil // a first install that did not get there
	}
	report, err := compare(ctx, target, *j.Entry)
	if err != nil {
		return err
	}
	if report.Clean() {
		return changeLock(a.lockPath(), func(l *lockFile) { l.put(*j.Entry) })
	}
	return nil
}

// settle is sweep for readers: it does nothing when there is nothing to do or
// when another process is at work.
func (s *Store) settle(ctx context.Context, a area) error {
	if len(leftovers(a.plugins())) == 0 || a.safe() != nil {
		return nil
	}
	release, ok := tryAcquire(a.plugins(), "tidying up")
	if !ok {
		return nil
	}
	defer release()
	if err := s.sweep(ctx, a); err != nil && !errors.Is(err, errLitter) {
		return err
	}
	return nil
}
