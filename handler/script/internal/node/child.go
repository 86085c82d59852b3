package node

import (
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"time"
)

// drainTime is how long output that outlives its process may stay silent
// before it counts as ended: a daemon that a hook left behind must not hold
// the hook's answer.
const drainTime = time.Second

// killGrace is the time between the signal of a timeout and SIGKILL.
const killGrace = 2 * time.Second

// chunkSize is how much of a stream one read hands over.
const chunkSize = 64 << 10

// A child is a running program and our ends of its pipes.
type child struct {
	proc   *exec.Cmd
	group  processGroup
	stdin  *os.File
	output [3]*os.File // by descriptor; 1 and 2 are used
	done   chan struct{}

	mu     sync.Mutex // held while signalling, so that the id is still ours
	exited bool
	code   int
	signal string
}

type spawnArgs struct {
	File, Argv0, Cwd string
	Args             []string
	Env              map[string]string
	Verbatim         bool
	Stdio            []string
}

type childID struct {
	ID int
}

func (p *Primitives) addChildOps(ops map[string]operation) {
	ops["node.child.start"] = op(p.childStart)
	ops["node.child.spawnSync"] = op(p.spawnSync)
	ops["node.child.wait"] = waitOp(p.childWait)
	ops["node.child.read"] = waitOp(p.childRead)
	ops["node.child.write"] = waitOp(p.childWrite)
	ops["node.child.end"] = waitOp(func(_ context.Context, a childID) (any, error) {
		if c, ok := lookup(p, p.children, a.ID); ok && c.stdin != nil {
			_ = c.stdin.Close()
		}
		return nil, nil
	})
	ops["node.child.kill"] = op(func(_ context.Context, a struct {
		ID     int
		Signal string
	},
	) (any, error) {
		c, ok := lookup(p, p.children, a.ID)
		if !ok {
			return false, nil
		}
		return c.kill(a.Signal)
	})
	ops["node.child.killPid"] = op(p.killPid)
}

func (p *Primitives) childStart(_ context.Context, a spawnArgs) (any, error) {
	c, err := p.start(a)
	if err != nil {
		return nil, err
	}
	id, ok := register(p, p.children, c)
	if !ok {
		c.end()
		return nil, errClosed
	}
	return map[string]int{"id": id, "pid": c.proc.Process.Pid}, nil
}

// start runs a program in a process group of its own.
func (p *Primitives) start(a spawnArgs) (*child, error) {
	if !p.opts.Grants.Exec {
		return nil, denied("exec", a.File)
	}
	if p.ctx.Err() != nil {
		return nil, errClosed
	}
	if info, err := os.Stat(a.Cwd); err != nil || !info.IsDir() {
		return nil, newErrno("ENOENT", "spawn "+a.File, a.File)
	}
	path, err := findProgram(a.File, a.Cwd, a.Env)
	if err != nil {
		return nil, systemError(err, "spawn "+a.File, a.File, "")
	}
	argv0 := a.File
	if a.Argv0 != "" {
		argv0 = a.Argv0
	}
	cmd := &exec.Cmd{Path: path, Args: append([]string{argv0}, a.Args...), Dir: a.Cwd, Env: environ(a.Env)}
	if err := prepare(cmd, a.Verbatim); err != nil {
		return nil, err
	}
	c := &child{proc: cmd, done: make(chan struct{})}
	theirs, err := c.connect(a.Stdio)
	if err == nil {
		err = cmd.Start()
	}
	for _, f := range theirs {
		_ = f.Close()
	}
	if err != nil {
		c.closePipes()
		return nil, systemError(err, "spawn "+a.File, a.File, "")
	}
	c.group = groupOf(cmd.Process)
	p.wg.Go(c.reap)
	return c, nil
}

// environ lists the variables in a fixed order.
func environ(env map[string]string) []string {
	list := make([]string, 0, len(env))
	for name, value := range env {
		if name != "" && !strings.ContainsAny(name, "=\x00") && !strings.Contains(value, "\x00") {
			list = append(list, name+"="+value)
		}
	}
	slices.Sort(list)
	return list
}

// connect makes the pipes and returns the child's ends, to be closed after
// the start.
func (c *child) connect(stdio []string) (theirs []*os.File, err error) {
	kind := func(i int) string {
		if i < len(stdio) {
			return stdio[i]
		}
		return "pipe"
	}
	// What is not a pipe is nil, which os/exec opens as the null device; the
	// host's own input and output are never handed down.
	if kind(0) == "pipe" {
		r, w, err := os.Pipe()
		if err != nil {
			return theirs, err
		}
		c.proc.Stdin, c.stdin, theirs = r, w, append(theirs, r)
	}
	for fd := 1; fd <= 2; fd++ {
		if kind(fd) == "ignore" {
			continue
		}
		r, w, err := os.Pipe()
		if err != nil {
			return theirs, err
		}
		c.output[fd], theirs = r, append(theirs, w)
		if fd == 1 {
			c.proc.Stdout = w
		} else {
			c.proc.Stderr = w
		}
	}
	return theirs, nil
}

// reap waits for the end and notes it.
func (c *child) reap() {
	awaitExit(c.proc.Process.Pid)
	c.mu.Lock()
	if !reapsUnderLock {
		c.mu.Unlock()
	}
	_ = c.proc.Wait() // the state says more than the error
	if !reapsUnderLock {
		c.mu.Lock()
	}
	c.exited = true
	c.code, c.signal = exitOf(c.proc.ProcessState)
	c.group.release()
	c.mu.Unlock()
	// What is left in the pipes can still be read; a pipe that somebody else
	// holds open ends when it has been silent for a while.
	for _, f := range c.output {
		if f != nil {
			_ = f.SetReadDeadline(time.Now().Add(drainTime))
		}
	}
	close(c.done)
}

// kill signals the process group. It reports whether there was one to signal.
func (c *child) kill(signal string) (bool, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.exited {
		return false, nil
	}
	return c.group.signal(signal)
}

// end kills the group, waits for the process and closes the pipes.
func (c *child) end() {
	_, _ = c.kill("SIGKILL")
	<-c.done
	c.closePipes()
}

func (c *child) closePipes() {
	if c.stdin != nil {
		_ = c.stdin.Close()
	}
	for _, f := range c.output {
		if f != nil {
			_ = f.Close()
		}
	}
}

// readChunk reads what is there, or fails at the end: the pipe is closed, or
// the process has ended and nothing came for a while.
// The end of ctx ends the wait too, where pipes have deadlines.
func (c *child) readChunk(ctx context.Context, fd int, buf []byte) (int, error) {
	f := c.output[fd]
	stop := context.AfterFunc(ctx, func() { _ = f.SetReadDeadline(time.Now()) })
	defer stop()
	for again := true; ; again = false {
		n, err := f.Read(buf)
		if n > 0 {
			return n, nil
		}
		if !errors.Is(err, os.ErrDeadlineExceeded) {
			return 0, io.EOF
		}
		if ctx.Err() != nil {
			_ = f.SetReadDeadline(time.Time{}) // another read may follow
			return 0, context.Cause(ctx)
		}
		// The deadline that reap set may have passed while nobody was reading.
		if !again {
			return 0, io.EOF
		}
		_ = f.SetReadDeadline(time.Now().Add(drainTime))
	}
}

func (p *Primitives) childWait(ctx context.Context, a childID) (any, error) {
	c, ok := lookup(p, p.children, a.ID)
	if !ok {
		return nil, newErrno("ESRCH", "wait", "")
	}
	select {
	case <-c.done:
		return map[string]any{"code": c.code, "signal": c.signal}, nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

func (p *Primitives) childRead(ctx context.Context, a struct{ ID, Fd int }) (any, error) {
	c, ok := lookup(p, p.children, a.ID)
	if !ok || a.Fd < 1 || a.Fd > 2 || c.output[a.Fd] == nil {
		return nil, newErrno("EBADF", "read", "")
	}
	buf := make([]byte, chunkSize)
	n, err := c.readChunk(ctx, a.Fd, buf)
	if ctx.Err() != nil && err != nil {
		return nil, context.Cause(ctx)
	}
	if err != nil {
		_ = c.output[a.Fd].Close()
		return nil, nil // the end
	}
	return buf[:n], nil
}

func (p *Primitives) childWrite(ctx context.Context, a struct {
	ID   int
	Data []byte
},
) (any, error) {
	c, ok := lookup(p, p.children, a.ID)
	if !ok || c.stdin == nil {
		return nil, newErrno("EPIPE", "write", "")
	}
	stop := context.AfterFunc(ctx, func() { _ = c.stdin.SetWriteDeadline(time.Now()) })
	defer stop()
	if _, err := c.stdin.Write(a.Data); err != nil {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		if errors.Is(err, os.ErrClosed) {
			return nil, newErrno("EPIPE", "write", "")
		}
		return nil, systemError(err, "write", "", "")
	}
	return nil, nil
}

// killPid signals any process by id, which the exec grant allows anyway; "0"
// asks whether it is there.
func (p *Primitives) killPid(_ context.Context, a struct {
	Pid    int
	Signal string
},
) (any, error) {
	if !p.opts.Grants.Exec {
		return nil, denied("exec", "kill")
	}
	if a.Pid == os.Getpid() && a.Signal != "0" {
		return nil, newErrno("EPERM", "kill", "")
	}
	for _, c := range p.childList() {
		if pid := c.proc.Process.Pid; pid == a.Pid || pid == -a.Pid {
			ok, err := c.kill(a.Signal)
			if err == nil && !ok {
				err = newErrno("ESRCH", "kill", "")
			}
			return true, err
		}
	}
	if a.Pid <= 0 {
		return nil, newErrno("ESRCH", "kill", "")
	}
	if err := signalPid(a.Pid, a.Signal); err != nil {
		return nil, systemError(err, "kill", "", "")
	}
	return true, nil
}

func (p *Primitives) childList() []*child {
	p.mu.Lock()
	defer p.mu.Unlock()
	list := make([]*child, 0, len(p.children))
	for _, c := range p.children {
		list = append(list, c)
	}
	return list
}

func (p *Primitives) closeChildren() {
	list := takeAll(p, p.children)
	for _, c := range list {
		_, _ = c.kill("SIGKILL")
	}
	for _, c := range list {
		c.end()
	}
}
