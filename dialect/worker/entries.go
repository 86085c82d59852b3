package worker

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/hookline-dev/hookline/diag"
	"github.com/hookline-dev/hookline/dialect"
	"github.com/hookline-dev/hookline/handler/worker"
	"github.com/hookline-dev/hookline/hook"
	"github.com/hookline-dev/hookline/sandbox"
)

// Pool holds the workers that settings files name: entries with the same command share
// one process. It is safe for concurrent use.
type Pool struct {
	kit     *dialect.Kit
	mu      sync.Mutex
	running map[string]*pooled
	closed  bool
	// late says that a worker's hooks became known after they were registered.
	late atomic.Bool
}

// NewPool returns an empty pool. The caller closes it.
func NewPool(k *dialect.Kit) *Pool { return &Pool{kit: k, running: map[string]*pooled{}} }

// pooled is a worker of the pool. It is stale when it asks for other hooks than when
// they were registered.
type pooled struct {
	*worker.Worker
	stale atomic.Bool
}

// Entry is a worker that a settings file names: what is run for which event. As a
// handler it stands in for the hooks of a worker that could not be asked which it has.
type Entry struct {
	pool  *Pool
	event hook.Event
	spec  Spec
	// content is the digest of the files that the command names, "" when it names none,
	// and known the file in which the hello of that content is kept.
	content, known string
	// needs are what it says of its sandbox.
	needs string
	// copies is the directory of private copies that it runs from, "" for none, and original
	// that which they are copies of.
	copies, original string
}

// Entry makes the handler of an entry, which shares its process with entries that run
// the same.
func (p *Pool) Entry(ev hook.Event, spec Spec) *Entry {
	spec.Host, spec.OnLog = p.kit.Hosting.WorkerHost, p.kit.Hosting.OnWorkerLog
	return &Entry{pool: p, event: ev, spec: spec}
}

// Files sets the files with which the process is started anew when they change.
func (h *Entry) Files(files []string) { h.spec.Files = files }

// Program has the process be another program, and Arg gives it another argument.
func (h *Entry) Program(path string)     { h.spec.Path = path }
func (h *Entry) Arg(i int, value string) { h.spec.Args[i] = value }

// FromCopies says that the command names, of files below original, private copies in a
// directory. These do not change: what becomes of the files is for the next load.
func (h *Entry) FromCopies(files []string, original, copies string) {
	h.copies, h.original, h.spec.Files = copies, original, []string{}
	for _, path := range files {
		if rel, err := filepath.Rel(original, path); err != nil || !filepath.IsLocal(rel) {
			h.spec.Files = append(h.spec.Files, path)
		}
	}
}

// Isolate keeps the process from finding code in the project by accident. It fails when
// that cannot be done.
func (h *Entry) Isolate(ctx context.Context, f *dialect.Found) error {
	h.spec.Env = h.pool.kit.OwnCodeEnv(f, h.spec.Env, dialect.Copied(f.Python, h.original, h.copies))
	return dialect.Unshadowed(ctx, f.Modules, h.spec.Dir, h.spec.Env)
}

// Confine has the process stay within the sandbox of a hook.
func (h *Entry) Confine(c dialect.Confined, n sandbox.Needs) {
	h.spec.Wall, h.spec.Env = c.Wall, slices.Concat(h.spec.Env, c.Env)
	if !n.Zero() {
		h.needs = fmt.Sprintf("%#v", n)
	}
}

// key tells workers apart.
func (h *Entry) key() string {
	return strings.Join(slices.Concat([]string{h.content, h.spec.Path}, h.spec.Args, []string{"\x01" + h.needs}, h.spec.Env), "\x00")
}

// Handle starts the worker when it does not run yet. One that cannot be started has
// failed, every time anew: its guard is never off.
func (h *Entry) Handle(ctx context.Context, call *hook.Call) (hook.Result, error) {
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

var (
	_ hook.Handler    = (*Entry)(nil)
	_ hook.Identifier = (*Entry)(nil)
	_ hook.Identifier = (*partHandler)(nil)
)

// Identity tells hooks apart by what is run.
func (h *Entry) Identity() string {
	return "worker\x00" + h.spec.Path + "\x00" + strings.Join(h.spec.Args, "\x00")
}

// registrations returns those of the worker that are for the entry's event.
func (h *Entry) registrations(w *pooled) []hook.Registration {
	regs, _ := Registrations(w.Worker)
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

// Parts returns a hook for each of those that the worker of an entry has for its
// event, in the worker's order. The entry says what their failure counts as and how
// long they may take; their matchers count in addition to its own. A worker that
// cannot be asked is left as it is: it fails when it is called.
func (h *Entry) Parts(ctx context.Context, f dialect.Found) ([]dialect.Found, []diag.Diagnostic) {
	k := h.pool.kit
	if _, off := k.Disabled(&f); off || f.Status != dialect.Active {
		return []dialect.Found{f}, nil
	}
	h.content = contentOf(f.Artifact.Files)
	h.known = helloFile(k, "entry", h.key(), h.content)
	w, err := h.pool.ask(ctx, h)
	if err != nil {
		return []dialect.Found{f}, []diag.Diagnostic{dialect.Note(diag.Warning, f.Source, "the worker %s cannot be asked for its hooks: %v", f.Name, err)}
	}
	regs := h.registrations(w)
	if len(regs) == 0 {
		return []dialect.Found{f}, []diag.Diagnostic{dialect.Note(diag.Warning, f.Source, "the worker %s has no hook for %v: it fails there", f.Name, h.event)}
	}
	var out []dialect.Found
	var diags []diag.Diagnostic
	for i := range regs {
		one := h.part(f, &regs[i], i, len(regs))
		if one.Status == dialect.Disabled {
			diags = append(diags, dialect.Note(diag.Warning, f.Source, "%s: %s; the hook does not run", one.FullName(), one.Why))
		}
		out = append(out, one)
	}
	return out, diags
}

// part makes one of the worker's hooks out of the entry.
func (h *Entry) part(f dialect.Found, reg *hook.Registration, i, of int) dialect.Found {
	one, r := f, *f.Registration
	if of > 1 {
		_, one.Part, _ = strings.Cut(reg.Name, "#")
	}
	r.Handler = &partHandler{reg.Handler, dialect.IdentityOf(f.Registration.Handler) + "#" + strconv.Itoa(i)}
	if m := reg.Matcher; m != nil {
		r.Condition = also(r.Condition, m)
		if one.Matcher == "" || one.Matcher == "*" {
			one.Matcher = m.String()
		} else {
			one.Matcher += " and " + m.String()
		}
	}
	r.Observe, r.Once = reg.Observe, r.Once || reg.Once
	one.Registration = &r
	if len(f.Artifact.Files)+len(f.Artifact.Trees) > 0 && h.copies == "" {
		h.pool.kit.WhileUnchanged(&one)
	}
	if reg.Inactive != "" {
		one.Status, one.Why = dialect.Disabled, reg.Inactive
	}
	one.Warm = func(hook.Common) error {
		if err := h.pool.kit.Allowed(f.Artifact); err != nil {
			return err
		}
		h.pool.warm(h)
		return nil
	}
	return one
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
func (p *Pool) get(ctx context.Context, h *Entry) (*pooled, error) {
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
		if w.Worker, err = expect(spec, hello); err == nil {
			p.running[key] = w
			return w, nil
		}
	}
	if w.Worker, err = Start(ctx, spec); err != nil {
		return nil, err
	}
	writeHello(h.known, w.Hello())
	p.running[key] = w
	return w, nil
}

// ask returns the worker of an entry, whose hello is known then.
func (p *Pool) ask(ctx context.Context, h *Entry) (*pooled, error) {
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

// Prune ends the workers that no entry is of any more.
func (p *Pool) Prune(entries []*Entry) error {
	used := map[string]bool{}
	for _, h := range entries {
		used[h.key()] = true
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

// warm begins to start the worker of an entry.
func (p *Pool) warm(h *Entry) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if w := p.running[h.key()]; w != nil && !p.closed {
		w.Warm()
	}
}

// Late reports whether a worker's hooks became known, since the last call, after they
// were registered, so that they are to be registered anew.
func (p *Pool) Late() bool { return p.late.Swap(false) }

// Close ends all workers.
func (p *Pool) Close() error {
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
