package discovery

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/hookline-dev/hookline/diag"
	"github.com/hookline-dev/hookline/dialect/claude"
	dialect "github.com/hookline-dev/hookline/dialect/worker"
	"github.com/hookline-dev/hookline/handler/command"
	"github.com/hookline-dev/hookline/handler/worker"
	"github.com/hookline-dev/hookline/hook"
)

// workerPool holds the workers of settings files: entries with the same command
// share one process.
type workerPool struct {
	mu      sync.Mutex
	running map[string]*pooled
	closed  bool
	// late says that a worker's hooks became known after they were registered, so
	// that they are to be registered anew.
	late atomic.Bool
}

// pooled is a worker of the pool. It is stale when it asks for other hooks than when
// they were registered.
type pooled struct {
	*worker.Worker
	stale atomic.Bool
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

// workerHook is an entry of type worker: what is run for which event. As a handler it
// stands in for the hooks of a worker that could not be asked which it has.
type workerHook struct {
	pool  *workerPool
	event hook.Event
	spec  worker.Spec
	// content is the digest of the files that the command names, "" when it names none,
	// and known the file in which the hello of that content is kept.
	content, known string
}

// key tells workers apart.
func (h *workerHook) key() string {
	return strings.Join(slices.Concat([]string{h.content, h.spec.Path}, h.spec.Args, []string{"\x01"}, h.spec.Env), "\x00")
}

// Handle starts the worker when it does not run yet. One that cannot be started has
// failed, every time anew: its guard is never off.
func (h *workerHook) Handle(ctx context.Context, call *hook.Call) (hook.Result, error) {
	w, err := h.pool.get(ctx, h)
	if err != nil {
		return hook.Result{}, err
	}
	regs := h.registrations(w)
	switch {
	case len(regs) == 0:
		return hook.Result{}, hook.Failf(hook.FailureLoad, "the worker %s has no hook for %v", w.Name(), h.event)
	case len(regs) == 1 && regs[0].Matcher == nil && regs[0].Inactive == "":
		return regs[0].Handler.Handle(ctx, call)
	}
	h.pool.late.Store(true)
	return hook.Result{}, hook.Failf(hook.FailureLoad, "the worker %s could not be asked for its hooks before; they run when hooks are loaded anew", w.Name())
}

// Identity tells hooks apart by what is run.
func (h *workerHook) Identity() string {
	return "worker\x00" + h.spec.Path + "\x00" + strings.Join(h.spec.Args, "\x00")
}

// registrations returns those of the worker that are for the entry's event.
func (h *workerHook) registrations(w *pooled) []hook.Registration {
	regs, _ := dialect.Registrations(w.Worker)
	return slices.DeleteFunc(regs, func(r hook.Registration) bool { return r.Event != h.event })
}

// partHandler runs one of a worker's hooks for an entry.
type partHandler struct {
	hook.Handler
	identity string
}

// Identity tells the hook apart from the others of the worker, and from those of
// other entries.
func (p *partHandler) Identity() string { return p.identity }

// parts returns a hook for each of those that the worker of an entry has for its
// event, in the worker's order. The entry says what their failure counts as and how
// long they may take; their matchers count in addition to its own. A worker that
// cannot be asked is left as it is: it fails when it is called.
func (s *claudeSource) parts(ctx context.Context, f Found) ([]Found, []diag.Diagnostic) {
	h := f.worker
	if _, off := s.l.opts.Config.Disabled(f.Name, configLevel(f.Level)); off || f.Status != Active || h == nil {
		return []Found{f}, nil
	}
	h.content = contentOf(f.Artifact.Files)
	h.known = s.l.helloFile("entry", h.key(), h.content)
	w, err := s.l.workers.ask(ctx, h)
	if err != nil {
		return []Found{f}, []diag.Diagnostic{s.l.note(diag.Warning, f.Source, "the worker %s cannot be asked for its hooks: %v", f.Name, err)}
	}
	regs := h.registrations(w)
	if len(regs) == 0 {
		return []Found{f}, []diag.Diagnostic{s.l.note(diag.Warning, f.Source, "the worker %s has no hook for %v: it fails there", f.Name, h.event)}
	}
	var out []Found
	var diags []diag.Diagnostic
	for i := range regs {
		one, r := f, *f.Registration
		if len(regs) > 1 {
			_, one.Part, _ = strings.Cut(regs[i].Name, "#")
		}
		r.Handler = &partHandler{regs[i].Handler, identityOf(f.Registration.Handler) + "#" + strconv.Itoa(i)}
		if len(f.Artifact.Files) > 0 {
			r.Handler = &verified{r.Handler, s.l.gate, f.Artifact}
		}
		if m := regs[i].Matcher; m != nil {
			r.Condition = also(r.Condition, m)
			if one.Matcher == "" || one.Matcher == "*" {
				one.Matcher = m.String()
			} else {
				one.Matcher += " and " + m.String()
			}
		}
		r.Observe, r.Once = regs[i].Observe, r.Once || regs[i].Once
		one.Registration = &r
		if regs[i].Inactive != "" {
			one.Status, one.Why = Disabled, regs[i].Inactive
			diags = append(diags, s.l.note(diag.Warning, f.Source, "%s: %s; the hook does not run", one.FullName(), one.Why))
		}
		out = append(out, one)
	}
	return out, diags
}

// contentOf returns a digest of files, "" when there are none. One that cannot be read
// counts as empty: who runs it will say so.
func contentOf(files []string) string {
	if len(files) == 0 {
		return ""
	}
	sum := sha256.New()
	for _, path := range files {
		b, _ := os.ReadFile(path)
		fmt.Fprintf(sum, "%d:%s%d:", len(path), path, len(b))
		sum.Write(b)
	}
	return hex.EncodeToString(sum.Sum(nil))
}

func identityOf(h hook.Handler) string {
	if id, ok := h.(hook.Identifier); ok {
		return id.Identity()
	}
	return ""
}

// also adds a matcher to a condition, which may be nil.
func also(c hook.Condition, m hook.Matcher) hook.Condition {
	return func(in hook.Input) (hook.Matched, string) {
		got, why := m.Match(in.Subject()), fmt.Sprintf("the worker's matcher %s", m)
		if got == hook.MatchNo || c == nil {
			return got, why
		}
		other, reason := c(in)
		if other == hook.MatchNo || other == hook.MatchUncertain {
			return other, reason
		}
		return got, why
	}
}

// get returns the running worker of an entry, started when it is needed first.
func (p *workerPool) get(ctx context.Context, h *workerHook) (*pooled, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return nil, worker.ErrClosed
	}
	key := h.key()
	if w := p.running[key]; w != nil {
		return w, nil
	}
	w := &pooled{}
	spec := h.spec
	spec.OnHello = func(worker.Hello) { // it is asked anew at the next load
		_ = os.Remove(h.known)
		w.stale.Store(true)
		p.late.Store(true)
	}
	var err error
	if hello, ok := readHello(h.known); ok {
		if w.Worker, err = worker.Expect(spec, hello); err == nil {
			p.running[key] = w
			return w, nil
		}
	}
	if w.Worker, err = worker.Start(ctx, spec); err != nil {
		return nil, err
	}
	writeHello(h.known, w.Hello())
	p.running[key] = w
	return w, nil
}

// ask returns the worker of an entry, whose hello is known then.
func (p *workerPool) ask(ctx context.Context, h *workerHook) (*pooled, error) {
	ctx, cancel := context.WithTimeout(ctx, helloTime)
	defer cancel()
	p.mu.Lock()
	old := p.running[h.key()]
	if old != nil && old.stale.Load() {
		delete(p.running, h.key())
	} else {
		old = nil
	}
	p.mu.Unlock()
	if old != nil {
		if err := old.Close(); err != nil {
			return nil, err
		}
	}
	return p.get(ctx, h)
}

// prune ends the workers that no hook is of any more.
func (p *workerPool) prune(hooks []Found) error {
	used := map[string]bool{}
	for i := range hooks {
		if h := hooks[i].worker; h != nil {
			used[h.key()] = true
		}
	}
	p.mu.Lock()
	var gone []*pooled
	for key, w := range p.running {
		if !used[key] {
			delete(p.running, key)
			gone = append(gone, w)
		}
	}
	p.mu.Unlock()
	return closeWorkers(gone)
}

func (p *workerPool) close() error {
	p.mu.Lock()
	p.closed = true
	var all []*pooled
	for _, w := range p.running {
		all = append(all, w)
	}
	p.running = nil
	p.mu.Unlock()
	return closeWorkers(all)
}

func closeWorkers(all []*pooled) error {
	var errs []error
	for _, w := range all {
		errs = append(errs, w.Close())
	}
	return errors.Join(errs...)
}
