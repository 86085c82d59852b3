package worktree

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/hookline-dev/hookline/hook"
	"github.com/hookline-dev/hookline/internal/fsx"
	"github.com/hookline-dev/hookline/internal/gitcmd"
)

// End says what became of a worktree.
type End struct {
	// Removed says that it is gone.
	Removed bool
	// Why says why it was kept.
	Why string
}

// ChangedError says that a worktree holds work that its removal would lose.
type ChangedError struct{ Path, Why string }

// Error names the worktree and what is in it.
func (e *ChangedError) Error() string { return fmt.Sprintf("%s is kept: %s", e.Path, e.Why) }

// Changes says in a few words what the removal of a worktree would lose, "" for
// nothing.
func (m *Manager) Changes(ctx context.Context, w *Worktree) (string, error) {
	if w.ByHook {
		if w.Print == "" || fingerprint(ctx, w.Path) != w.Print {
			return "its files are not as the hook left them, or it cannot be told", ctx.Err()
		}
		return "", nil
	}
	at := m.git.In(w.Path)
	gitDir, err := at.Path(ctx, "--git-dir")
	if err != nil {
		return "", err
	}
	return changes(ctx, at, w, gitDir)
}

// statusArgs ask git for everything that is not committed.
var statusArgs = []string{"status", "--porcelain", "-z", "--untracked-files=normal", "--ignore-submodules=none"}

// changes looks for files, commits, a change of branch and further worktrees.
func changes(ctx context.Context, at *gitcmd.Checkout, w *Worktree, gitDir string) (string, error) {
	mk := readMarker(gitDir)
	if !gitcmd.IsCommit(mk.Base) {
		return "it was made by somebody else", nil
	}
	var found []string
	if _, err := os.Lstat(filepath.Join(gitDir, "locked")); err == nil {
		found = append(found, "it is locked")
	}
	status, err := at.Git(ctx, "looking for changes in "+w.Path, statusArgs...)
	if err != nil {
		return "", err
	}
	if n := countStatus(status); n > 0 {
		found = append(found, plural(n, "changed file"))
	}
	n, err := lostCommits(ctx, at, w, mk.Base)
	if err != nil {
		return "", err
	}
	if n > 0 {
		found = append(found, plural(n, "new commit"))
	}
	head, err := at.Git(ctx, "looking for the branch of "+w.Path, "rev-parse", "--symbolic-full-name", "HEAD")
	if err != nil {
		return "", err
	}
	if head != "refs/heads/"+w.Branch {
		found = append(found, "another branch or commit is checked out")
	}
	list, err := at.Git(ctx, "listing worktrees", "worktree", "list", "--porcelain")
	for line := range strings.Lines(list) {
		if path, ok := strings.CutPrefix(strings.TrimRight(line, "\r\n"), "worktree "); ok && strings.HasPrefix(filepath.FromSlash(path), w.Path+string(filepath.Separator)) {
			found = append(found, "the worktree "+path+" lies in it")
		}
	}
	return strings.Join(found, ", "), err
}

// lostCommits counts the commits that nothing else leads to.
func lostCommits(ctx context.Context, at *gitcmd.Checkout, w *Worktree, base string) (int, error) {
	args := []string{"rev-list", "--count", "HEAD"}
	if _, err := at.Git(ctx, "looking for the branch "+w.Branch, "rev-parse", "--verify", "--quiet", "refs/heads/"+w.Branch); err == nil {
		args = append(args, "refs/heads/"+w.Branch)
	}
	args = append(args, "--not", base, "--exclude="+w.Branch, "--branches", "--tags", "--remotes")
	count, err := at.Git(ctx, "looking for commits in "+w.Path, args...)
	if err != nil {
		return 0, err
	}
	return strconv.Atoi(count)
}

// countStatus counts the files in what git status prints with -z; a file that was
// renamed has two names.
func countStatus(out string) (n int) {
	records := strings.Split(strings.TrimSuffix(out, "\x00"), "\x00")
	for i := 0; i < len(records); i++ {
		if len(records[i]) < 3 {
			continue
		}
		n++
		if strings.ContainsAny(records[i][:2], "RC") {
			i++
		}
	}
	return n
}

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// Finish ends the use of a worktree: it is removed when nothing would be lost, and
// kept otherwise. The error is for a removal that failed; the worktree is then kept.
func (m *Manager) Finish(ctx context.Context, w *Worktree, fire Fire) (End, error) {
	err := m.Remove(ctx, w, KeepChanges, fire)
	if changed, ok := errors.AsType[*ChangedError](err); ok {
		m.Release(w)
		return End{Why: changed.Why}, nil
	}
	if err != nil {
		m.Release(w)
		return End{Why: err.Error()}, err
	}
	return End{Removed: true}, nil
}

// Release ends the use of a worktree that stays.
func (m *Manager) Release(w *Worktree) {
	if w.using != nil {
		_ = w.using.Unlock() // the lock ends with the file
		w.using = nil
	}
}

// Changes says what becomes of work in a worktree that is nowhere else.
type Changes bool

// What becomes of it.
const (
	KeepChanges    Changes = false
	DiscardChanges Changes = true
)

// Remove removes a worktree and the branch that was made for it, after
// WorktreeRemove was fired. With KeepChanges one that holds work stays, with a
// *ChangedError.
func (m *Manager) Remove(ctx context.Context, w *Worktree, work Changes, fire Fire) error {
	discard := work == DiscardChanges
	if w.ByHook {
		return m.removeByHook(ctx, w, discard, fire)
	}
	if err := m.removable(ctx, w, discard); err != nil { // before hooks take anything down
		return err
	}
	if _, err := fire(ctx, &hook.WorktreeRemove{WorktreePath: w.Path}); err != nil {
		return fmt.Errorf("removing the worktree %s: %w", w.Path, err)
	}
	r, err := m.open(ctx)
	if err != nil {
		return err
	}
	defer r.close()
	return r.remove(ctx, w, discard)
}

// removable looks whether a worktree that git has made can be removed.
func (m *Manager) removable(ctx context.Context, w *Worktree, discard bool) error {
	r, err := m.open(ctx)
	if err != nil {
		return err
	}
	defer r.close()
	gitDir, err := m.git.In(w.Path).Path(ctx, "--git-dir")
	if err != nil {
		return err
	}
	if err := r.alone(ctx, w, gitDir); err != nil {
		return err
	}
	if err := m.use(ctx, w); err != nil || discard {
		return err
	}
	why, err := changes(ctx, m.git.In(w.Path), w, gitDir)
	return errors.Join(err, changedError(w, why))
}

func changedError(w *Worktree, why string) error {
	if why == "" {
		return nil
	}
	return &ChangedError{Path: w.Path, Why: why}
}

// removeByHook lets the hooks remove what one of them has made.
func (m *Manager) removeByHook(ctx context.Context, w *Worktree, discard bool, fire Fire) error {
	if !discard {
		if why, err := m.Changes(ctx, w); err != nil || why != "" {
			return errors.Join(err, changedError(w, why))
		}
	}
	out, err := fire(ctx, &hook.WorktreeRemove{WorktreePath: w.Path})
	if err != nil {
		return fmt.Errorf("removing the worktree %s: %w", w.Path, err)
	}
	if _, err := os.Lstat(w.Path); errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if why := failure(&out); why != "" {
		return fmt.Errorf("removing the worktree %s: the hook failed and the directory is left: %s", w.Path, why)
	}
	return &ChangedError{Path: w.Path, Why: "a hook has made it, and no hook removed it"}
}

// failure says how a hook failed, "" when none did.
func failure(out *hook.Outcome) string {
	for _, r := range out.Runs {
		name := "a hook"
		if r.Hook != nil && r.Hook.Name != "" {
			name = r.Hook.Name
		}
		switch {
		case r.Err != nil:
			return name + ": " + r.Err.Error()
		case r.Report != nil && r.Report.ExitCode != nil && *r.Report.ExitCode != 0:
			return fmt.Sprintf("%s: exit %d: %s", name, *r.Report.ExitCode, strings.TrimSpace(r.Report.Stderr))
		case r.Decision == hook.DecisionDeny:
			return name + ": " + r.Reason
		}
	}
	return ""
}

// remove removes a worktree that git has made. What was looked at before is looked
// at again: nobody else begins to work in it while the repository is held.
func (r *repository) remove(ctx context.Context, w *Worktree, discard bool) error {
	at := r.m.git.In(w.Path)
	gitDir, err := at.Path(ctx, "--git-dir")
	if err != nil {
		return err
	}
	if gitDir == r.common {
		return fmt.Errorf("%s is not a worktree any more", w.Path)
	}
	if err := r.alone(ctx, w, gitDir); err != nil {
		return err
	}
	mk := readMarker(gitDir)
	if !discard {
		if why, err := changes(ctx, at, w, gitDir); err != nil || why != "" {
			return errors.Join(err, changedError(w, why), r.m.use(ctx, w))
		}
	}
	if err := r.delete(ctx, w, gitDir, mk, discard); err != nil {
		return err
	}
	if !mk.OwnBranch {
		return nil
	}
	return r.deleteBranch(ctx, w.Branch)
}

// deleteBranch deletes a branch, if it is there.
func (r *repository) deleteBranch(ctx context.Context, branch string) error {
	if !r.hasBranch(ctx, branch) {
		return nil
	}
	_, err := r.Git(ctx, "deleting the branch "+branch, "branch", "--quiet", "-D", "--end-of-options", branch)
	return err
}

// alone ends our own use of a worktree that nobody else works in.
func (r *repository) alone(ctx context.Context, w *Worktree, gitDir string) error {
	r.m.Release(w)
	all, err := fsx.TryLock(filepath.Join(gitDir, usedFile))
	if err == nil {
		if err = all.Unlock(); err == nil {
			return nil
		}
	}
	if errors.Is(err, fsx.ErrLocked) {
		err = nil
	}
	return errors.Join(err, &ChangedError{Path: w.Path, Why: "another session works in it"}, r.m.use(ctx, w))
}

// delete has git remove a worktree. That it has begun is written down first, so that
// what is left when the process is killed is known for what it is.
func (r *repository) delete(ctx context.Context, w *Worktree, gitDir string, mk marker, discard bool) error {
	was := mk
	mk.Removing = true
	if err := writeMarker(gitDir, mk); err != nil {
		return err
	}
	args := []string{"worktree", "remove"}
	if discard {
		args = append(args, "--force", "--force")
	}
	_, err := r.Git(ctx, "removing "+w.Path, append(args, "--end-of-options", w.Path)...)
	switch {
	case err == nil:
		return nil
	case discard:
		return r.discard(ctx, w.Path)
	}
	err = errors.Join(err, writeMarker(gitDir, was), r.m.use(ctx, w))
	if e, ok := errors.AsType[*gitcmd.Error](err); ok && e.Exit > 0 {
		return &ChangedError{Path: w.Path, Why: "git does not remove it: " + e.Stderr}
	}
	return err
}
