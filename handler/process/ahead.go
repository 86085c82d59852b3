package process

import (
	"context"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/hookline-dev/hookline/handler/internal/stamp"
)

// Prewarmed is how [Ahead.Run] says that the process was there already.
const Prewarmed = "prewarmed"

// maxFutile is after how many processes in a row that did not wait for their input
// no more are started ahead of it, for as long as the files stay the same.
const maxFutile = 3

// Ahead runs one hook by processes that were started ahead of their input, so that a
// run does not wait for its interpreter to start. Each process still serves one run.
//
// What a program does before it reads its standard input happens when the process is
// started: once more than there are runs, and in the state of things at that time. It
// is meant for programs that read their input first.
//
// Set its fields before its first use and none after it; its methods may be called
// concurrently. It must not be copied after its first use.
type Ahead struct {
	// Pool keeps the processes.
	Pool *Pool
	// N is how many processes wait for a run at once.
	N int
	// Without names variables that differ from run to run and that a process does
	// without when it was started ahead: they are neither passed on nor compared.
	Without []string
	// Check, if not nil, is called before a process is started ahead, while the files
	// are known not to change; its error means that none is. What the run itself may
	// do is for the caller to check.
	Check func() error

	starting int // the pool's lock

	mu     sync.Mutex
	futile int       // processes in a row that did not wait
	off    stamp.Set // the files for which it was given up
	given  bool      // it was given up
}

// waiting is a process that waits for its input.
type waiting struct {
	owner   *Ahead
	process *Process
	spec    Spec // as the run would have it, without its input
	files   stamp.Set
	since   time.Time
	out     *outlet
}

// Run runs a process to its end as the function [Run] does, with a process that waits
// if there is one which was started as spec says, from files that have not changed
// since, and which has neither ended nor printed anything; otherwise with a new one.
// Then it sees to it that one waits for the next run. How is Prewarmed, or says why the
// process was a new one.
//
// Relative names of files are relative to spec.Dir. The time in [Phases] counts from
// the input.
func (a *Ahead) Run(ctx context.Context, spec Spec, files []string) (exit *Exit, how string, err error) {
	seen, err := stamp.Take(spec.Dir, files)
	if err != nil {
		exit, errRun := Run(ctx, spec)
		return exit, "not prewarmed: " + err.Error(), errRun
	}
	key := a.key(spec)
	exit, how = a.use(ctx, spec, key, seen)
	if exit == nil {
		if exit, err = Run(ctx, spec); err != nil {
			return nil, how, err
		}
	}
	a.fill(key, seen)
	return exit, how, nil
}

// Fill starts what waits for the next run, if that is as spec says, and returns at
// once. Nothing is started when the files cannot be read.
func (a *Ahead) Fill(spec Spec, files []string) error {
	seen, err := stamp.Take(spec.Dir, files)
	if err != nil {
		return err
	}
	a.fill(a.key(spec), seen)
	return nil
}

// key returns what a run and the process that waits for it have in common.
func (a *Ahead) key(spec Spec) Spec {
	spec.Stdin, spec.OnOutput = nil, nil
	spec.StdinLater = true
	spec.Args = slices.Clone(spec.Args)
	env := make([]string, 0, len(spec.Env))
	for _, kv := range spec.Env {
		name, _, _ := strings.Cut(kv, "=")
		if !slices.Contains(a.Without, name) {
			env = append(env, kv)
		}
	}
	if spec.Env != nil {
		spec.Env = env
	}
	return spec
}

// use runs a process that waits. The exit is nil when there is none of use, and how
// then says why.
func (a *Ahead) use(ctx context.Context, spec, key Spec, seen stamp.Set) (exit *Exit, how string) {
	how = "not prewarmed: no process waits"
	if a.givenUp(seen) {
		how = "not prewarmed: it does not wait for its input"
	}
	for w := a.Pool.take(a); w != nil; w = a.Pool.take(a) {
		if why := w.unfit(key, seen); why != "" {
			how = "not prewarmed: " + why
			a.Pool.drop(w)
			continue
		}
		if exit, ok := w.run(ctx, spec); ok {
			a.succeeded()
			return exit, Prewarmed
		}
		how = "not prewarmed: the process that waited had ended or printed something"
		a.failed(w)
		a.Pool.drop(w)
		if ctx.Err() != nil {
			break
		}
	}
	return nil, how
}

// unfit says why a process is not the one that a run would start, "" when it is.
func (w *waiting) unfit(key Spec, seen stamp.Set) string {
	switch {
	case !w.files.Equal(seen):
		return "a file has changed"
	case w.spec.Dir != key.Dir:
		return "the directory is another one"
	case !slices.Equal(w.spec.Env, key.Env):
		return "the environment is another one: " + firstDifference(w.spec.Env, key.Env)
	case w.spec.Wall != key.Wall:
		return "the sandbox is another one"
	case w.spec.Path != key.Path || !slices.Equal(w.spec.Args, key.Args):
		return "the command is another one"
	case w.spec.StdoutLimit != key.StdoutLimit || w.spec.StderrLimit != key.StderrLimit || w.spec.Grace != key.Grace || w.spec.Drain != key.Drain:
		return "the limits are other ones"
	}
	return ""
}

// firstDifference names the first variable in which two environments differ.
func firstDifference(a, b []string) string {
	for i, kv := range b {
		if i >= len(a) || a[i] != kv {
			return envName(kv)
		}
	}
	return envName(a[len(b)])
}

// run gives the process its input and waits for its end. It reports false when the
// process turned out not to wait any more, before it could have seen the input.
func (w *waiting) run(ctx context.Context, spec Spec) (*Exit, bool) {
	if w.process.ended() || !w.process.Govern(ctx) {
		return nil, false
	}
	if !w.out.open(spec.OnOutput) {
		return nil, false
	}
	fed := time.Now()
	if w.process.Feed(spec.Stdin) != nil {
		return nil, false
	}
	exit := *w.process.Wait()
	silent := exit.StdoutBytes == 0 && exit.StderrBytes == 0
	unread := exit.StdinBytes == 0 && len(spec.Stdin) > 0
	if !exit.Ended() && (w.process.over.Before(fed) || silent && unread) {
		return nil, false
	}
	exit.Duration = time.Since(fed)
	exit.Phases.Start, exit.Phases.Run = 0, max(exit.Duration-exit.Phases.Drain, 0)
	return &exit, true
}

// fillPause is how long after a run the next process is started. The answer of the run
// is then where it belongs, and what starts does not take a processor from it.
const fillPause = time.Millisecond

// fill starts what is missing, in the background, and no more than that: what a later run
// takes meanwhile is started by its own fill, as that run would have it.
func (a *Ahead) fill(key Spec, seen stamp.Set) {
	if a.givenUp(seen) {
		return
	}
	a.Pool.spawn(func() {
		time.Sleep(fillPause)
		for range a.N {
			if !a.Pool.reserve(a, a.N) {
				return
			}
			w := a.start(key, seen)
			if a.Pool.put(a, w) {
				continue
			}
			if w != nil {
				w.process.Kill(errIdle)
				w.process.Wait()
			}
			return
		}
	})
}

// start starts a process that waits. The files are looked at before, since nothing
// may run that the run before did not, and after, since what was started must be what
// was looked at.
func (a *Ahead) start(key Spec, seen stamp.Set) *waiting {
	if !seen.Current() || a.Check != nil && a.Check() != nil {
		return nil
	}
	w := &waiting{owner: a, spec: key, files: seen, since: time.Now(), out: &outlet{}}
	spec := key
	spec.OnOutput = w.out.write
	var err error
	if w.process, err = Start(a.Pool.base, spec); err != nil {
		return nil // the next run meets the same and reports it
	}
	if !seen.Current() {
		w.process.Kill(errIdle)
		w.process.Wait()
		return nil
	}
	return w
}

// failed notes that a process did not wait for its input.
func (a *Ahead) failed(w *waiting) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.futile++; a.futile >= maxFutile {
		a.off, a.given = w.files, true
	}
}

func (a *Ahead) succeeded() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.futile = 0
}

// givenUp reports whether the program, as it is, was found not to wait.
func (a *Ahead) givenUp(seen stamp.Set) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.given && !a.off.Equal(seen) {
		a.given, a.off, a.futile = false, nil, 0
	}
	return a.given
}

// outlet is where a process's output goes that was started ahead: nowhere until it
// has its input, and what comes before is remembered to have come.
type outlet struct {
	mu     sync.Mutex
	opened bool
	early  bool
	fn     func(Stream, []byte)
}

// write is the process's OnOutput.
func (o *outlet) write(s Stream, b []byte) {
	o.mu.Lock()
	if !o.opened {
		o.early = true
	}
	fn := o.fn
	o.mu.Unlock()
	if fn != nil {
		fn(s, b)
	}
}

// open lets the output through to fn from now on. It reports false when there was
// some before.
func (o *outlet) open(fn func(Stream, []byte)) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.early {
		return false
	}
	o.opened, o.fn = true, fn
	return true
}

// spoke reports whether there was output before the input.
func (o *outlet) spoke() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.early
}
