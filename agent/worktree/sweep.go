package worktree

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/go-json-experiment/json"
)

// making is the worktree that is being made. There is one at a time.
type making struct {
	Path   string `json:"path"`
	Branch string `json:"branch"`
	marker
}

// makingFile is where it stands, in the git directory of the repository.
const makingFile = "hookline-making.json"

// announce writes down what is about to be made, so that what a killed process leaves
// is known to be ours.
func (r *repository) announce(mk making) error {
	data, err := json.Marshal(mk)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(r.common, makingFile), data, 0o666)
}

// announced takes it back.
func (r *repository) announced() { _ = os.Remove(filepath.Join(r.common, makingFile)) }

// sweep clears away what a killed process has left in the folder: a worktree that was
// half made, others that were half removed, and entries whose directory is gone.
// Nobody of ours is at work on one while the repository is held, and what others make
// is let alone.
func (r *repository) sweep(ctx context.Context, folder string) {
	var left making
	if data, err := os.ReadFile(filepath.Join(r.common, makingFile)); err == nil {
		_ = json.Unmarshal(data, &left) // one that is torn says nothing
	}
	for _, dir := range r.entries() {
		path := r.pathOf(dir)
		if path == "" || filepath.Dir(path) != folder {
			continue
		}
		locked, _ := os.ReadFile(filepath.Join(dir, "locked"))
		_, err := os.Lstat(path)
		switch {
		// What cannot be cleared is in the way only of its own name.
		case errors.Is(err, fs.ErrNotExist) && locked == nil:
			_ = r.discard(ctx, path)
		case path == left.Path && strings.TrimSpace(string(locked)) == "initializing":
			_ = r.discard(ctx, path)
			if tip, err := r.Git(ctx, "looking for the branch "+left.Branch, "rev-parse", "--verify", "--quiet", "refs/heads/"+left.Branch); err == nil && left.OwnBranch && tip == left.Base {
				_ = r.deleteBranch(ctx, left.Branch)
			}
		case path == left.Path && readMarker(dir).Base == "":
			_ = writeMarker(dir, left.marker) // it was made, and that is all
		case readMarker(dir).Removing:
			r.finishRemoval(ctx, dir, path)
		}
	}
	r.announced()
}

// finishRemoval goes on with a removal that was cut off. Files that came to it since
// are kept.
func (r *repository) finishRemoval(ctx context.Context, dir, path string) {
	at := r.m.git.In(path)
	if top, err := at.Path(ctx, "--show-toplevel"); err != nil || top != path {
		_ = r.forget(ctx, path) // what is left of the directory is not a checkout any more
		return
	}
	status, err := at.Git(ctx, "looking for changes in "+path, statusArgs...)
	if err == nil && onlyDeleted(status) {
		_ = r.discard(ctx, path)
		return
	}
	mk := readMarker(dir)
	mk.Removing = false
	_ = writeMarker(dir, mk)
}

// onlyDeleted reports whether git status, called with statusArgs, tells of nothing but
// files that are gone.
func onlyDeleted(status string) bool {
	for record := range strings.SplitSeq(status, "\x00") {
		if record != "" && !strings.HasPrefix(record, " D ") {
			return false
		}
	}
	return true
}

// discard takes away a worktree with all that is in it, and what git knows of it.
func (r *repository) discard(ctx context.Context, path string) error {
	if err := os.RemoveAll(path); err != nil {
		return fmt.Errorf("removing %s: %w", path, err)
	}
	return r.forget(ctx, path)
}

// forget takes away what git knows of a worktree that is not there any more.
func (r *repository) forget(ctx context.Context, path string) error {
	for _, dir := range r.entries() {
		if r.pathOf(dir) != path {
			continue
		}
		if _, err := r.Git(ctx, "forgetting "+path, "worktree", "remove", "--force", "--force", "--end-of-options", path); err != nil {
			// An entry that git cannot read any more is of no use to it either.
			if gone := os.RemoveAll(dir); gone != nil {
				return errors.Join(err, gone)
			}
		}
	}
	return nil
}

// entries lists the git directories of all worktrees.
func (r *repository) entries() []string {
	list, err := os.ReadDir(filepath.Join(r.common, "worktrees"))
	if err != nil {
		return nil
	}
	var out []string
	for _, e := range list {
		out = append(out, filepath.Join(r.common, "worktrees", e.Name()))
	}
	return out
}

// pathOf is the directory of the worktree whose git directory is dir, "" when it
// can't be told.
func (r *repository) pathOf(dir string) string {
	data, err := os.ReadFile(filepath.Join(dir, "gitdir"))
	if err != nil {
		return ""
	}
	path := filepath.FromSlash(strings.TrimRight(string(data), "\r\n"))
	if !filepath.IsAbs(path) {
		path = filepath.Join(dir, path)
	}
	return filepath.Dir(path)
}
