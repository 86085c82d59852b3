package process

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

const (
	busyFirst    = time.Millisecond       // back-off of a file being written, doubled
	busyTotal    = 100 * time.Millisecond // and given up after this
	exhaustedMin = 5 * time.Millisecond   // pause before the one retry when out of
	exhaustedVar = 15 * time.Millisecond  // descriptors or processes, with jitter
)

// launch starts the program, with the retries that help. It returns before
// anybody watches the context.
func launch(ctx context.Context, spec Spec) (*Process, error) {
	if ctx.Err() != nil {
		return nil, fmt.Errorf("starting %s: %w", strconv.Quote(spec.Path), context.Cause(ctx))
	}
	p := &Process{
		spec:    spec,
		began:   time.Now(),
		drained: make(chan struct{}),
		gone:    make(chan struct{}),
		done:    make(chan struct{}),
	}
	if spec.Env == nil {
		p.spec.Env, _ = Environ(os.Environ(), nil, EnvPolicy{})
	}
	path, fail := resolve(&p.spec)
	if fail != nil {
		return nil, fail
	}
	mark := newMark()
	env := childEnv(p.spec.Env, spec.Dir, mark.String())
	startWatcher()

	var waited time.Duration
	busy, retried := busyFirst, false
	for {
		err := p.attempt(path, env, mark)
		var pause time.Duration
		switch reason := classify(err); {
		case err == nil:
			return p, nil
		case reason == ReasonBusy && waited+busy <= busyTotal:
			pause = busy
			busy *= 2
		case reason == ReasonExhausted && !retried:
			pause = exhaustedMin + rand.N(exhaustedVar)
			retried = true
		default:
			return nil, explain(&p.spec, path, reason, err)
		}
		select {
		case <-time.After(pause):
			waited += pause
		case <-ctx.Done():
			return nil, fmt.Errorf("starting %s: %w", strconv.Quote(spec.Path), context.Cause(ctx))
		}
	}
}

// attempt makes the pipes and starts the program once. When it fails nothing
// is left open.
func (p *Process) attempt(path string, env []string, mark mark) (err error) {
	var theirs files
	defer func() {
		theirs.close()
		if err != nil {
			p.closeStdin()
		}
	}()
	stdin, err := p.openStdin(&theirs)
	if err != nil {
		return err
	}
	errR, errW, err := outputPipe()
	if err != nil {
		return err
	}
	theirs.add(errW)
	var outR outputEnd
	outW := p.spec.StdoutFile
	if outW == nil {
		if outR, outW, err = outputPipe(); err != nil {
			errR.close()
			return err
		}
		theirs.add(outW)
	}
	defer func() {
		if err == nil {
			return
		}
		errR.close()
		if p.spec.StdoutFile == nil {
			outR.close()
		}
	}()

	sys, err := newTree(mark)
	if err != nil {
		return err
	}
	err = p.start(path, &os.ProcAttr{
		Dir:   p.spec.Dir,
		Env:   env,
		Files: []*os.File{stdin, outW, errW},
		Sys:   sysProcAttr(),
	})
	if err != nil {
		sys.release()
		return err
	}
	_ = mark.put(p.cmd.Pid) // what cannot be marked has its environment
	p.fillStdin()
	p.started = time.Now()
	p.tree = sys
	p.read(outR, errR)
	return nil
}

// start starts the program, within the spec's wall if there is one.
func (p *Process) start(path string, attr *os.ProcAttr) (err error) {
	argv := append([]string{p.spec.Path}, p.spec.Args...)
	if p.spec.Wall != nil {
		path, argv = p.spec.Wall.Command(path, argv, attr.Sys)
	}
	f := func() (err error) {
		p.cmd, err = os.StartProcess(path, argv, attr)
		return err
	}
	if p.spec.Wall == nil {
		return f()
	}
	entered := false
	p.release, err = p.spec.Wall.Start(func() error { entered = true; return f() })
	if err != nil && !entered {
		return &sandboxError{err}
	}
	return err
}

// openStdin returns the process's end of its standard input, and sets up ours.
func (p *Process) openStdin(theirs *files) (*os.File, error) {
	p.stdin, p.input = nil, nil
	if p.spec.StdinFile != nil {
		return p.spec.StdinFile, nil
	}
	if len(p.spec.Stdin) == 0 && !p.spec.StdinLater {
		f, err := os.Open(os.DevNull)
		if err != nil {
			return nil, err
		}
		theirs.add(f)
		return f, nil
	}
	r, w, err := inputPipe()
	if err != nil {
		return nil, err
	}
	theirs.add(r)
	if p.spec.StdinLater {
		p.stdin = &feeder{file: w.open()}
	} else {
		p.input = &w
	}
	return r, nil
}

// closeStdin undoes openStdin's part of ours.
func (p *Process) closeStdin() {
	if p.stdin != nil {
		p.stdin.file.Close()
	}
	if p.input != nil {
		p.input.close()
	}
}

// fillStdin writes what the pipe takes of an input that is there, while our copy of the
// process's end is open. It comes after the mark, so that a process which reads first has
// started nothing without it.
func (p *Process) fillStdin() {
	if p.input == nil {
		return
	}
	n := p.input.prefill(p.spec.Stdin)
	p.prefilled = int64(n)
	if n == len(p.spec.Stdin) {
		p.input.close() // no writer needed
		return
	}
	p.rest = p.spec.Stdin[n:]
	p.stdin = &feeder{file: p.input.open()}
}

// read sets up the readers, and starts what runs beside the supervisor: those
// that it does not pump, and the writer if input is left to write.
func (p *Process) read(outEnd, errEnd outputEnd) {
	var n *notifier
	if p.spec.OnOutput != nil {
		n = &notifier{fn: p.spec.OnOutput}
	}
	newReader := func(f *os.File, s Stream, lim int) *reader {
		return &reader{
			file: f, stream: s, drain: span(p.spec.Drain, defaultDrain), notify: n,
			capture: &capture{limit: limit(lim), tail: s == Stderr}, through: p.spec.Through,
		}
	}
	p.pumped = p.canPump()
	stderr := errEnd.open(p.pumped)
	p.err = newReader(stderr, Stderr, p.spec.StderrLimit)
	pipes := []*os.File{stderr}
	if p.spec.StdoutFile == nil {
		stdout := outEnd.open(p.pumped && !p.spec.StdoutPipe)
		pipes = append(pipes, stdout)
		if p.spec.StdoutPipe {
			p.stdout = stdout
		} else {
			p.out = newReader(stdout, Stdout, p.spec.StdoutLimit)
		}
	}
	p.tree.adopt(p.cmd, pipes...)
	if !p.pumped {
		p.readStreams()
	}
	if p.rest != nil {
		p.stdin.began = p.started
		p.stdin.write(p.rest)
		p.rest = nil
	}
}

// readStreams has a goroutine for each stream.
func (p *Process) readStreams() {
	p.reading.Store(1)
	if p.out != nil {
		p.reading.Store(2)
		go p.runReader(p.out)
	}
	go p.runReader(p.err)
}

func (p *Process) runReader(r *reader) {
	r.run()
	if p.reading.Add(-1) == 0 {
		close(p.drained)
	}
}

// files are closed together.
type files struct {
	list [3]*os.File
	n    int
}

func (f *files) add(file *os.File) {
	f.list[f.n] = file
	f.n++
}

func (f *files) close() {
	for _, file := range f.list[:f.n] {
		file.Close()
	}
}

// childEnv returns env with PWD and the run's mark.
func childEnv(env []string, dir, token string) []string {
	out := make([]string, 0, len(env)+2)
	for _, kv := range env {
		if outer, ok := strings.CutPrefix(kv, runVariable+"="); ok {
			token = outer + ":" + token
			continue
		}
		if dir != "" && strings.HasPrefix(kv, "PWD=") {
			continue // the caller's own; a shell finds out a relative one itself
		}
		out = append(out, kv)
	}
	if filepath.IsAbs(dir) {
		out = append(out, "PWD="+dir)
	}
	return append(addSystemEnv(out), runVariable+"="+token)
}
