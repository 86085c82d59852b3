package gitcmd

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// Repo is a bare scratch repository that commits are fetched into. It is not
// safe for use by several goroutines at once.
type Repo struct {
	client *Client
	root   string // everything of this Repo is below it
	dir    string // the git directory
}

// Scratch makes an empty repository below root, a directory that exists and
// that the caller removes.
func (c *Client) Scratch(ctx context.Context, root string) (*Repo, error) {
	r := &Repo{client: c, root: root}
	if err := r.init(ctx, "sha1"); err != nil {
		return nil, err
	}
	return r, nil
}

func (r *Repo) init(ctx context.Context, format string) error {
	r.dir = filepath.Join(r.root, format+".git")
	return r.run(ctx, job{
		op:   "making a scratch repository",
		args: []string{"init", "--quiet", "--bare", "--template=", "--object-format=" + format, "--end-of-options", r.dir},
	})
}

func (r *Repo) noHooks() string { return filepath.Join(r.root, "no-hooks") }

// TargetKind says what a ref turned out to be.
type TargetKind string

// The kinds of targets.
const (
	Default TargetKind = "default" // no ref asked: the default branch
	Branch  TargetKind = "branch"
	Tag     TargetKind = "tag"
	Commit  TargetKind = "commit"
)

// Target is what a ref means on the server.
type Target struct {
	Kind TargetKind
	Ref  string // full name: HEAD, refs/heads/x, refs/tags/x; empty for a commit
	// Commit is the commit id that the ref stands for now. For Kind Commit it
	// is what was asked, and may be abbreviated; Fetch gives it whole.
	Commit string
}

// Resolve asks the server what ref stands for. An empty ref is the default
// branch. A name that is both a branch and a tag means the branch, as it does
// to git clone; refs/tags/x, or tags/x, says the tag. A whole commit id needs
// no question and makes none. A ref that is not there gives a [*RefError].
func (r *Repo) Resolve(ctx context.Context, u URL, ref string) (Target, error) {
	if err := ValidateRef(ref); err != nil {
		return Target{}, err
	}
	if IsCommit(ref) {
		return Target{Kind: Commit, Commit: ref}, nil
	}
	ctx, cancel := r.deadline(ctx)
	defer cancel()
	wanted := candidates(ref)
	args := []string{"ls-remote", "--quiet", "--end-of-options", u.String()}
	for _, t := range wanted {
		args = append(args, t.Ref)
		if t.Kind == Tag {
			args = append(args, t.Ref+"^{}")
		}
	}
	ssh, err := r.sshEnv(ctx, u)
	if err != nil {
		return Target{}, err
	}
	out, err := r.output(ctx, job{op: "asking " + u.String() + " for its refs", args: args, t: u.Transport, env: ssh}, 1<<20)
	if err != nil {
		return Target{}, err
	}
	found := parseRefs(out)
	for _, t := range wanted {
		commit, ok := found[t.Ref+"^{}"]
		if !ok {
			commit, ok = found[t.Ref]
		}
		if ok {
			t.Commit = commit
			return t, nil
		}
	}
	switch {
	case ref == "":
		return Target{}, &RefError{Ref: "HEAD", Reason: "the repository is empty: it has no default branch with a commit"}
	case shortCommit.Get().MatchString(ref):
		return Target{Kind: Commit, Commit: ref}, nil
	}
	return Target{}, &RefError{Ref: ref, Reason: "the repository has no branch, tag or commit of that name"}
}

// candidates lists what a ref may stand for, best first.
func candidates(ref string) []Target {
	short := strings.TrimPrefix(ref, "refs/")
	switch {
	case ref == "":
		return []Target{{Kind: Default, Ref: "HEAD"}}
	case strings.HasPrefix(ref, "refs/heads/"):
		return []Target{{Kind: Branch, Ref: ref}}
	case strings.HasPrefix(ref, "refs/tags/"):
		return []Target{{Kind: Tag, Ref: ref}}
	}
	list := []Target{{Kind: Branch, Ref: "refs/heads/" + ref}, {Kind: Tag, Ref: "refs/tags/" + ref}}
	switch {
	case strings.HasPrefix(short, "heads/"):
		list = append(list, Target{Kind: Branch, Ref: "refs/" + short})
	case strings.HasPrefix(short, "tags/"):
		list = append(list, Target{Kind: Tag, Ref: "refs/" + short})
	}
	return list
}

func parseRefs(out string) map[string]string {
	found := make(map[string]string)
	for line := range strings.Lines(out) {
		commit, name, ok := strings.Cut(strings.TrimRight(line, "\r\n"), "\t")
		if ok && IsCommit(commit) {
			found[name] = commit
		}
	}
	return found
}

// sshEnv keeps ssh from asking, with the user's own ssh command if there is one.
func (r *Repo) sshEnv(ctx context.Context, u URL) ([]string, error) {
	if u.Transport != SSH && u.Transport != HTTPS {
		return nil, nil
	}
	own, err := r.output(ctx, job{op: "reading the git configuration", args: []string{"config", "--default", "", "--get", "core.sshCommand"}}, 64<<10)
	if err != nil {
		return nil, err
	}
	return []string{"GIT_SSH_COMMAND=" + batchSSH(own)}, nil
}

func (r *Repo) deadline(ctx context.Context) (context.Context, context.CancelFunc) {
	limit := r.client.timeout()
	return context.WithTimeoutCause(ctx, limit, fmt.Errorf("%w: more than %s", ErrTimeout, limit))
}

// watchSize ends ctx with ErrTooLarge when the repository grows past limit.
// The returned function stops the watch and waits for it.
func (r *Repo) watchSize(ctx context.Context, limit int64) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		tick := time.NewTicker(100 * time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
				if diskUse(r.dir) > limit {
					cancel(fmt.Errorf("%w (%d MiB)", ErrTooLarge, limit>>20))
					return
				}
			}
		}
	}()
	return ctx, func() {
		cancel(nil)
		<-done
	}
}

func diskUse(dir string) (total int64) {
	// Files come and go while git works: what cannot be seen counts nothing.
	_ = filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err != nil {
			if d != nil && d.IsDir() {
				return fs.SkipDir
			}
			return nil
		}
		if info, err := d.Info(); err == nil && info.Mode().IsRegular() {
			total += info.Size()
		}
		return nil
	})
	return total
}

// Remove deletes the repository's files.
func (r *Repo) Remove() error {
	return os.RemoveAll(r.root)
}
