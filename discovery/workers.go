package discovery

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"sync"

	"github.com/hookline-dev/hookline/dialect/claude"
	"github.com/hookline-dev/hookline/handler/command"
	"github.com/hookline-dev/hookline/handler/worker"
	"github.com/hookline-dev/hookline/hook"
)

// workerPool holds the workers of settings files: entries with the same command
// share one process, which starts at its first call.
type workerPool struct {
	mu      sync.Mutex
	running map[string]*worker.Worker
	closed  bool
}

// worker makes the handler of an entry of type worker.
func (l *Loader) worker(spec claude.CommandSpec) (hook.Handler, error) {
	var unknown []string // they stay as they are
	path, args := command.Expand(spec.Command, spec.Vars, &unknown), make([]string, len(spec.Args))
	for i, arg := range spec.Args {
		args[i] = command.Expand(arg, spec.Vars, &unknown)
	}
	if spec.Args == nil {
		sh, err := exec.LookPath("sh")
		if err != nil {
			return nil, fmt.Errorf("a worker without args needs a shell: %w", err)
		}
		path, args = sh, []string{"-c", "exec " + spec.Command}
	}
	static := spec.Env(&hook.Call{Input: spec.Entry.Event.Spec().New()})
	h := &workerHook{pool: l.workers, event: spec.Entry.Event, spec: worker.Spec{
		Name: spec.Entry.Label(), Path: path, Args: args, Dir: l.opts.Dirs.Project, Env: slices.Concat(l.env, static),
		Host: l.opts.Hosting.WorkerHost, OnLog: l.opts.Hosting.OnWorkerLog,
	}}
	l.made[spec.Entry] = h
	return h, nil
}

// get returns the running worker of a spec, started when it is needed first.
func (p *workerPool) get(ctx context.Context, spec worker.Spec) (*worker.Worker, error) {
	key := workerKey(spec)
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return nil, worker.ErrClosed
	}
	if w := p.running[key]; w != nil {
		return w, nil
	}
	w, err := worker.Start(ctx, spec)
	if err != nil {
		return nil, err
	}
	p.running[key] = w
	return w, nil
}

func workerKey(spec worker.Spec) string {
	return strings.Join(append([]string{spec.Path}, spec.Args...), "\x00") + "\x01" + strings.Join(spec.Env, "\x00")
}

// prune ends the workers that no entry names any more.
func (p *workerPool) prune(made map[*claude.Entry]hook.Handler) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	used := map[string]bool{}
	for _, h := range made {
		if w, ok := h.(*workerHook); ok {
			used[workerKey(w.spec)] = true
		}
	}
	var errs []error
	for key, w := range p.running {
		if !used[key] {
			delete(p.running, key)
			errs = append(errs, w.Close())
		}
	}
	return errors.Join(errs...)
}

func (p *workerPool) close() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.closed = true
	var errs []error
	for _, w := range p.running {
		errs = append(errs, w.Close())
	}
	p.running = nil
	return errors.Join(errs...)
}

// workerHook hands an event to a worker: to the first of its hooks for the event.
type workerHook struct {
	pool  *workerPool
	event hook.Event
	spec  worker.Spec
}

// Handle starts the worker when it does not run yet. One that cannot be started has
// failed, every time anew: its guard is never off.
func (h *workerHook) Handle(ctx context.Context, call *hook.Call) (hook.Result, error) {
	w, err := h.pool.get(ctx, h.spec)
	if err != nil {
		return hook.Result{}, err
	}
	for i, s := range w.Hello().Hooks {
		if s.Event == h.event.String() {
			return w.Handler(i).Handle(ctx, call)
		}
	}
	return hook.Result{}, hook.Failf(hook.FailureLoad, "the worker %s has no hook for %v", w.Name(), h.event)
}

// Identity tells hooks apart by what is run.
func (h *workerHook) Identity() string {
	return "worker\x00" + h.spec.Path + "\x00" + strings.Join(h.spec.Args, "\x00")
}
