package gitcmd

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// ErrNoRepository: the directory lies in no git repository.
var ErrNoRepository = errors.New("this is not a git repository")

// Checkout runs git in a directory of a repository that a person works in. Unlike
// a Repo it has the whole configuration of the repository, since files would come
// out wrong without its filters and line endings; hooks of the repository, its
// file system monitor and background maintenance stay off. It may be used by
// several goroutines at once.
type Checkout struct {
	client *Client
	dir    string
}

// In returns the checkout at dir, which need not be its top.
func (c *Client) In(dir string) *Checkout { return &Checkout{client: c, dir: dir} }

const (
	checkoutOutput = 4 << 20
	lockTries      = 12
	lockWait       = 25 * time.Millisecond
)

// Git runs git and returns what it printed, without its last line break. op says
// what is being done, for the error. A run that met a lock of another git is tried
// again for a few seconds. When the context ends, git is asked to end and to clean
// up, and killed when it does not.
func (c *Checkout) Git(ctx context.Context, op string, args ...string) (string, error) {
	for try := 0; ; try++ {
		out, err := c.once(ctx, op, args)
		if err == nil || try == lockTries || !locked(err) {
			return out, err
		}
		timer := time.NewTimer(min(lockWait<<try, 500*time.Millisecond))
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return "", &Error{Op: op, Exit: -1, Err: context.Cause(ctx)}
		}
	}
}

// once runs git a single time.
func (c *Checkout) once(ctx context.Context, op string, args []string) (string, error) {
	program, err := c.client.program()
	if err != nil {
		return "", err
	}
	all := []string{}
	for _, kv := range []string{
		"core.hooksPath=" + filepath.Join(os.TempDir(), "hookline-no-hooks-"+rand.Text()),
		"core.fsmonitor=false", "gc.auto=0", "maintenance.auto=false", "core.quotePath=false",
	} {
		all = append(all, "-c", kv)
	}
	out, stderr := &head{limit: checkoutOutput}, &tail{limit: stderrKept}
	cmd := exec.CommandContext(ctx, program, append(all, args...)...)
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = c.dir, environment(os.Environ(), personal), out, stderr
	cmd.WaitDelay = killGrace
	ownGroup(cmd)
	endGently(cmd)
	if err := cmd.Run(); err != nil {
		failed := failure(ctx, op, err, stderr)
		if e, ok := errors.AsType[*Error](failed); ok && strings.Contains(e.Stderr, "not a git repository") {
			e.Err, e.Hint = ErrNoRepository, ""
		}
		return "", failed
	}
	if out.over {
		return "", &Error{Op: op, Err: errors.New("git printed more than expected")}
	}
	return strings.TrimSuffix(strings.TrimSuffix(out.buf.String(), "\n"), "\r"), nil
}

// locked reports whether git gave up because another git holds a lock.
func locked(err error) bool {
	e, ok := errors.AsType[*Error](err)
	if !ok || e.Exit <= 0 {
		return false
	}
	s := strings.ToLower(e.Stderr)
	return strings.Contains(s, ".lock': file exists") || strings.Contains(s, "could not lock config file") || strings.Contains(s, "unable to lock ref")
}

// Commit returns the id of the commit that is checked out. A repository without
// one gives a [*RefError].
func (c *Checkout) Commit(ctx context.Context) (string, error) {
	out, err := c.Git(ctx, "looking for the commit that is checked out", "rev-parse", "--verify", "--quiet", "HEAD^{commit}")
	if e, ok := errors.AsType[*Error](err); ok && e.Exit == 1 {
		return "", &RefError{Ref: "HEAD", Reason: "the repository has no commit yet"}
	}
	if err == nil && !IsCommit(out) {
		err = fmt.Errorf("git answered %q instead of a commit id", out)
	}
	return out, err
}

// Path asks git for one of its directories, such as --git-dir, --git-common-dir or
// --show-toplevel, and returns it absolute and with links resolved.
func (c *Checkout) Path(ctx context.Context, which string) (string, error) {
	out, err := c.Git(ctx, "looking for the repository of "+c.dir, "rev-parse", which)
	if err != nil {
		return "", err
	}
	out = filepath.FromSlash(out)
	if !filepath.IsAbs(out) {
		out = filepath.Join(c.dir, out)
	}
	real, err := filepath.EvalSymlinks(out)
	if err != nil {
		return "", fmt.Errorf("looking for the repository of %s: %w", c.dir, err)
	}
	return real, nil
}
