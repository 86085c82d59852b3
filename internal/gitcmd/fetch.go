package gitcmd

import (
	"context"
	"errors"
	"fmt"
	"strings"
)

const fetched = "refs/fetched/target"

// depth is how many commits of a branch are fetched.
type depth int

const (
	wholeHistory depth = 0
	newestOnly   depth = 1
)

// Fetch brings the commit that t stands for into the repository and gives its
// whole id. Only that commit is downloaded when the server allows it. A server
// that does not hand out single commits is asked for its branches and tags
// with their history, and the commit is looked for there; it is never replaced
// by another one: a commit that cannot be had gives a [*RefError].
func (r *Repo) Fetch(ctx context.Context, u URL, t Target) (commit string, err error) {
	if len(t.Commit) == 64 && !strings.HasPrefix(r.dir, "sha256") {
		if err := r.init(ctx, "sha256"); err != nil {
			return "", err
		}
	}
	ctx, cancel := r.deadline(ctx)
	defer cancel()
	ssh, err := r.sshEnv(ctx, u)
	if err != nil {
		return "", err
	}
	if t.Kind != Commit {
		if err := r.fetch(ctx, u, ssh, newestOnly, "+"+t.Ref+":"+fetched); err != nil {
			return "", err
		}
		return r.commitOf(ctx, fetched, t.Ref)
	}
	if IsCommit(t.Commit) {
		if commit, err = r.fetchCommit(ctx, u, ssh, t.Commit); err == nil || !refused(err) {
			return commit, err
		}
	}
	if err := r.fetch(ctx, u, ssh, wholeHistory, "+refs/heads/*:refs/fetched/heads/*", "+refs/tags/*:refs/fetched/tags/*"); err != nil {
		return "", err
	}
	return r.commitOf(ctx, t.Commit, t.Commit)
}

// fetchCommit asks for one commit without its history.
func (r *Repo) fetchCommit(ctx context.Context, u URL, ssh []string, id string) (string, error) {
	if err := r.fetch(ctx, u, ssh, newestOnly, id+":"+fetched); err != nil {
		return "", err
	}
	got, err := r.commitOf(ctx, fetched, id)
	if err != nil {
		return "", err
	}
	if got != id {
		return "", &RefError{Ref: id, Reason: "the id is not a commit's but a tag's; give the commit " + got + " or the tag's name"}
	}
	return got, nil
}

// refused reports whether the server would not hand out a single commit, as
// opposed to being out of reach.
func refused(err error) bool {
	e, ok := errors.AsType[*Error](err)
	if !ok || e.Exit < 0 {
		return false
	}
	for _, said := range []string{"not our ref", "unadvertised object", "couldn't find remote ref", "does not allow request"} {
		if strings.Contains(e.Stderr, said) {
			return true
		}
	}
	return false
}

// fetch runs git fetch with a cap on what it stores; shallow leaves the history out.
func (r *Repo) fetch(ctx context.Context, u URL, env []string, depth depth, refspecs ...string) error {
	ctx, stop := r.watchSize(ctx, r.client.maxDownload())
	defer stop()
	args := []string{"fetch", "--quiet", "--no-tags", "--no-recurse-submodules", "--no-write-fetch-head", "--no-auto-maintenance"}
	if depth != wholeHistory {
		args = append(args, fmt.Sprintf("--depth=%d", depth))
	}
	args = append(append(args, "--end-of-options", u.String()), refspecs...)
	if err := r.run(ctx, job{op: "fetching " + u.String(), args: args, t: u.Transport, env: env}); err != nil {
		return err
	}
	if limit := r.client.maxDownload(); diskUse(r.dir) > limit {
		return &Error{Op: "fetching " + u.String(), Exit: 0, Err: fmt.Errorf("%w (%d MiB)", ErrTooLarge, limit>>20)}
	}
	return nil
}

// commitOf gives the whole id of the commit that name stands for in the
// scratch repository. asked is what the person wrote.
func (r *Repo) commitOf(ctx context.Context, name, asked string) (string, error) {
	out, err := r.output(ctx, job{
		op:   "looking for " + asked,
		args: []string{"rev-parse", "--verify", "--quiet", "--end-of-options", name + "^{commit}"},
	}, 1<<10)
	commit := strings.TrimSpace(out)
	if err == nil && IsCommit(commit) {
		return commit, nil
	}
	if e, ok := errors.AsType[*Error](err); ok && e.Exit < 0 {
		return "", err
	}
	return "", &RefError{Ref: asked, Reason: "the repository has no such commit, or the id is too short to be unique"}
}
