package gitcmd

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"time"
)

// Client runs git. The zero value is ready to use. It may be used by several
// goroutines at once.
type Client struct {
	// Path is the git program; empty means the git found in PATH.
	Path string
	// Timeout bounds one operation over the network, such as a Fetch. Zero
	// means five minutes.
	Timeout time.Duration
	// MaxDownload bounds the bytes a Fetch may store. Zero means 512 MiB.
	MaxDownload int64
}

const (
	defaultTimeout  = 5 * time.Minute
	defaultDownload = 512 << 20
	stderrKept      = 16 << 10
	killGrace       = 2 * time.Second
)

func (c *Client) timeout() time.Duration {
	if c.Timeout > 0 {
		return c.Timeout
	}
	return defaultTimeout
}

func (c *Client) maxDownload() int64 {
	if c.MaxDownload > 0 {
		return c.MaxDownload
	}
	return defaultDownload
}

func (c *Client) program() (string, error) {
	if c.Path != "" {
		return c.Path, nil
	}
	path, err := exec.LookPath("git")
	if errors.Is(err, exec.ErrNotFound) {
		return "", ErrNoGit
	}
	if err != nil {
		return "", fmt.Errorf("looking for git: %w", err)
	}
	return path, nil
}

// job is one run of git.
type job struct {
	op     string // for the error
	args   []string
	t      Transport // zero: no transport may be used
	env    []string  // added to the environment
	stdout io.Writer
}

// run starts git in the repository r and waits for it.
func (r *Repo) run(ctx context.Context, j job) error {
	cmd, stderr, err := r.command(ctx, j)
	if err != nil {
		return err
	}
	if err := cmd.Run(); err != nil {
		return failure(ctx, j.op, err, stderr)
	}
	return nil
}

// output is run that gives what git printed, at most limit bytes of it.
func (r *Repo) output(ctx context.Context, j job, limit int) (string, error) {
	out := &head{limit: limit}
	j.stdout = out
	if err := r.run(ctx, j); err != nil {
		return "", err
	}
	if out.over {
		return "", &Error{Op: j.op, Exit: 0, Err: errors.New("git printed more than expected")}
	}
	return out.buf.String(), nil
}

func (r *Repo) command(ctx context.Context, j job) (*exec.Cmd, *tail, error) {
	program, err := r.client.program()
	if err != nil {
		return nil, nil, err
	}
	args := append(settings(r.noHooks(), j.t), "--git-dir="+r.dir)
	cmd := exec.CommandContext(ctx, program, append(args, j.args...)...)
	cmd.Dir = r.root
	cmd.Env = environment(os.Environ(), nil, append(foreign(j.t), j.env...)...)
	cmd.Stdout = j.stdout
	stderr := &tail{limit: stderrKept}
	cmd.Stderr = stderr
	cmd.WaitDelay = killGrace
	ownGroup(cmd)
	return cmd, stderr, nil
}

// failure explains why git ended badly.
func failure(ctx context.Context, op string, err error, stderr *tail) error {
	e := &Error{Op: op, Exit: -1, Err: err, Stderr: clean(stderr.String())}
	if ctx.Err() != nil {
		e.Err = context.Cause(ctx)
		e.Stderr = ""
		return e
	}
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		e.Exit = exit.ExitCode()
	}
	e.Hint = hint(e.Stderr)
	return e
}

// head keeps the first limit bytes of what is written to it.
type head struct {
	buf   bytes.Buffer
	limit int
	over  bool
}

func (h *head) Write(p []byte) (int, error) {
	if keep := h.limit - h.buf.Len(); len(p) > keep {
		h.over = true
		h.buf.Write(p[:keep])
	} else {
		h.buf.Write(p)
	}
	return len(p), nil
}

// tail keeps the last limit bytes of what is written to it.
type tail struct {
	buf   []byte
	limit int
}

func (t *tail) Write(p []byte) (int, error) {
	t.buf = append(t.buf, p...)
	if extra := len(t.buf) - t.limit; extra > 0 {
		t.buf = append(t.buf[:0], t.buf[extra:]...)
	}
	return len(p), nil
}

func (t *tail) String() string { return strings.ToValidUTF8(string(t.buf), "\ufffd") }
