package worktree

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/go-json-experiment/json"

	"github.com/hookline-dev/hookline/internal/fsx"
	"github.com/hookline-dev/hookline/internal/gitcmd"
)

// branchPrefix begins the names of the branches.
const branchPrefix = "worktree-"

// repository is the project's repository while it is being changed.
type repository struct {
	*gitcmd.Checkout
	m      *Manager
	common string // its git directory, with links resolved
	lock   *fsx.Held
}

// open takes the repository for a change. Close it.
func (m *Manager) open(ctx context.Context) (*repository, error) {
	m.mu.Lock()
	r := &repository{Checkout: m.git.In(m.project), m: m}
	var err error
	if r.common, err = r.Path(ctx, "--git-common-dir"); err != nil {
		m.mu.Unlock()
		if errors.Is(err, gitcmd.ErrNoRepository) {
			err = ErrNoRepository
		}
		return nil, err
	}
	if r.lock, err = fsx.Lock(ctx, filepath.Join(r.common, "hookline-worktrees.lock")); err != nil {
		m.mu.Unlock()
		return nil, fmt.Errorf("waiting for another program that changes worktrees: %w", err)
	}
	return r, nil
}

func (r *repository) close() {
	_ = r.lock.Unlock() // the lock ends with the file
	r.m.mu.Unlock()
}

// create lets git make a worktree.
func (m *Manager) create(ctx context.Context, name, from string) (*Worktree, error) {
	r, err := m.open(ctx)
	if err != nil {
		return nil, err
	}
	defer r.close()
	folder, err := r.folder(ctx)
	if err != nil {
		return nil, err
	}
	r.sweep(ctx, folder)
	w := &Worktree{Name: name, Path: filepath.Join(folder, name), Branch: branchPrefix + name}
	if entries, err := os.ReadDir(w.Path); err == nil && len(entries) > 0 {
		w.Reused = true
		return w, r.m.use(ctx, w)
	} else if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	if err := r.add(ctx, w, from); err != nil {
		return nil, err
	}
	return w, r.m.use(ctx, w)
}

// folder makes the directory of the project's worktrees, without following links
// out of the project, and keeps it out of git's status.
func (r *repository) folder(ctx context.Context) (string, error) {
	project, err := filepath.EvalSymlinks(r.m.project)
	if err != nil {
		return "", err
	}
	root, err := os.OpenRoot(project)
	if err != nil {
		return "", err
	}
	defer root.Close()
	rel := filepath.Join(".claude", "worktrees")
	if err := root.MkdirAll(rel, 0o777); err != nil {
		return "", fmt.Errorf("making %s: %w", filepath.Join(project, rel), err)
	}
	folder, err := filepath.EvalSymlinks(filepath.Join(project, rel))
	if err != nil {
		return "", err
	}
	if inside, err := filepath.Rel(project, folder); err != nil || !filepath.IsLocal(inside) {
		return "", fmt.Errorf("%s leads to %s, out of the project", filepath.Join(project, rel), folder)
	}
	_, err = r.Git(ctx, "asking whether git ignores "+folder, "check-ignore", "--quiet", "--", filepath.Join(folder, "any"))
	if e, ok := errors.AsType[*gitcmd.Error](err); ok && e.Exit == 1 {
		f, err := root.OpenFile(filepath.Join(rel, ".gitignore"), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
		if errors.Is(err, fs.ErrExist) {
			return folder, nil // somebody's own rules
		}
		if err != nil {
			return "", err
		}
		_, err = f.WriteString("# Worktrees of sessions and subagents are none of this repository's files.\n*\n")
		return folder, errors.Join(err, f.Close())
	}
	return folder, nil // ignored already, or git says why not when it makes the worktree
}

// marker is what is kept about a worktree in its own git directory, which git
// removes along with it.
type marker struct {
	// Base is the commit that it started from.
	Base string `json:"base"`
	// OwnBranch says that the branch was made with it.
	OwnBranch bool `json:"ownBranch"`
	// Removing says that its removal has begun.
	Removing bool `json:"removing,omitzero"`
}

// Files in the git directory of a worktree: the marker, and what everybody who works
// in it holds a lock of.
const (
	markerFile = "hookline.json"
	usedFile   = "hookline.lock"
)

func readMarker(gitDir string) (mk marker) {
	if data, err := os.ReadFile(filepath.Join(gitDir, markerFile)); err == nil {
		_ = json.Unmarshal(data, &mk) // one that is torn says nothing
	}
	return mk
}

func writeMarker(gitDir string, mk marker) error {
	data, err := json.Marshal(mk)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(gitDir, markerFile), data, 0o666)
}

// add makes the directory and, when it is not there, the branch. After a failure
// neither is left.
func (r *repository) add(ctx context.Context, w *Worktree, from string) error {
	base, err := r.base(ctx, from)
	if err != nil {
		return err
	}
	own := !r.hasBranch(ctx, w.Branch)
	if err := r.announce(making{Path: w.Path, Branch: w.Branch, marker: marker{Base: base, OwnBranch: own}}); err != nil {
		return err
	}
	defer r.announced()
	args := []string{"worktree", "add"}
	if own {
		args = append(args, "--no-track", "-b", w.Branch, "--end-of-options", w.Path, base)
	} else {
		args = append(args, "--end-of-options", w.Path, w.Branch)
	}
	if _, err = r.Git(ctx, "checking out "+w.Path, args...); err == nil {
		var gitDir string
		if gitDir, err = r.m.git.In(w.Path).Path(ctx, "--git-dir"); err == nil {
			err = writeMarker(gitDir, marker{Base: base, OwnBranch: own})
		}
	}
	if err == nil {
		return nil
	}
	last, cancel := afterwards(ctx)
	defer cancel()
	if undo := r.discard(last, w.Path); undo != nil {
		err = errors.Join(err, undo)
	}
	if own {
		err = errors.Join(err, r.deleteBranch(last, w.Branch))
	}
	return err
}

// base is the commit to start from: what is checked out where the caller works, if
// that is this repository, else in the project.
func (r *repository) base(ctx context.Context, from string) (string, error) {
	if from != "" && from != r.m.project {
		at := r.m.git.In(from)
		if common, err := at.Path(ctx, "--git-common-dir"); err == nil && common == r.common {
			return at.Commit(ctx)
		}
	}
	return r.Commit(ctx)
}

func (r *repository) hasBranch(ctx context.Context, branch string) bool {
	_, err := r.Git(ctx, "looking for the branch "+branch, "rev-parse", "--verify", "--quiet", "refs/heads/"+branch)
	return err == nil
}

// use says that somebody works in a worktree, which must be one of this repository.
func (m *Manager) use(ctx context.Context, w *Worktree) error {
	at := m.git.In(w.Path)
	top, err := at.Path(ctx, "--show-toplevel")
	var gitDir, ours, theirs string
	if err == nil {
		gitDir, err = at.Path(ctx, "--git-dir")
	}
	if err == nil {
		theirs, err = at.Path(ctx, "--git-common-dir")
	}
	if err == nil {
		ours, err = m.git.In(m.project).Path(ctx, "--git-common-dir")
	}
	if err != nil {
		return err
	}
	if top != w.Path || ours != theirs || gitDir == ours {
		return fmt.Errorf("%s is there and is not a worktree of this repository; take another name or move it away", w.Path)
	}
	if w.using, err = fsx.TryShare(filepath.Join(gitDir, usedFile)); err != nil {
		return fmt.Errorf("%s is being removed: %w", w.Path, err)
	}
	return nil
}
