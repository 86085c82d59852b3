package script

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/hookline-dev/hookline/handler/script/internal/node"
	"github.com/hookline-dev/hookline/handler/script/internal/vm"
)

// Module is a loaded hook module. Its methods are safe for concurrent use:
// calls interleave where the module waits, as they do in Node.
type Module struct {
	path   string
	opts   Options
	bundle *bundle
	prims  *node.Primitives

	calls, condemned, abandoned, leaked atomic.Uint64
	room                                atomic.Int64 // for what it prints, in bytes
	reloads                             atomic.Bool  // the command that runs has asked for it

	mu     sync.Mutex // guards what follows; never held while waiting
	cur    *instance
	gen    uint64
	start  *starting
	closed bool
	left   []*instance // abandoned, not yet ended

	regs registry
}

// starting is a load that several callers wait for.
type starting struct {
	done chan struct{}
	inst *instance
	err  error
}

// Load bundles a module, runs it, and returns it with what it registered. The
// error is a *LoadError when the module is at fault.
func Load(ctx context.Context, path string, o Options) (*Module, error) {
	if o.Host == nil {
		o.Host = NoHost{}
	}
	if o.Cache == nil {
		o.Cache = NewCache("")
	}
	if o.Cwd == "" {
		var err error
		if o.Cwd, err = os.Getwd(); err != nil {
			return nil, fmt.Errorf("finding the working directory: %w", err)
		}
	}
	b, err := o.Cache.bundle(path, o)
	if err != nil {
		return nil, err
	}
	if o.Approve != nil {
		if err := o.Approve(slices.Clone(b.files)); err != nil {
			return nil, fmt.Errorf("loading %s: %w", b.path, err)
		}
	}
	if b.node {
		if err := mayUseNode(b.path, o); err != nil {
			return nil, err
		}
	}
	o.Family, o.Kind = b.family, b.kind
	m := &Module{path: b.path, opts: o, bundle: b}
	if m.prims, err = newPrimitives(o, m.path, m.reportPrint); err != nil {
		return nil, fmt.Errorf("setting up the module %s: %w", path, err)
	}
	if _, err := m.instance(ctx); err != nil {
		return nil, errors.Join(err, m.Close())
	}
	o.Bus.add(m)
	return m, nil
}

// budget is the CPU slice of the next run of JavaScript: compiling and starting
// a module may take longer than handling an event.
func (i *instance) budget() time.Duration {
	if i.bound {
		return i.m.opts.slice()
	}
	return loadSlices * i.m.opts.slice()
}

// Path returns the module's absolute path.
func (m *Module) Path() string { return m.path }

// Files returns the files whose content went into the module, sorted by path.
func (m *Module) Files() []File { return slices.Clone(m.bundle.files) }

// Info returns what the module has registered so far.
func (m *Module) Info() Info { return m.regs.info(m) }

// Stats returns the module's counters.
func (m *Module) Stats() Stats {
	m.mu.Lock()
	gen := m.gen
	m.mu.Unlock()
	return Stats{
		Generation: gen, Calls: m.calls.Load(), Condemned: m.condemned.Load(),
		Abandoned: m.abandoned.Load(), Leaked: m.leaked.Load(),
	}
}

// maxLeft is how many engines of a module may be left behind, running, before it
// is not loaded again until one of them ends.
const maxLeft = 3

// instance returns the live instance, loading the module again when the last
// one was dropped. Callers at the same time share one load.
func (m *Module) instance(ctx context.Context) (*instance, error) {
	m.mu.Lock()
	if m.closed {
		m.mu.Unlock()
		return nil, errClosed
	}
	s := m.start
	if s == nil && m.cur != nil && m.cur.alive() {
		defer m.mu.Unlock()
		return m.cur, nil
	}
	switch {
	case m.cur != nil && m.cur.reentrant():
		m.mu.Unlock()
		return nil, errReentrant
	case s == nil && len(m.left) >= maxLeft:
		m.mu.Unlock()
		return nil, &condemnedError{Path: m.path, Reason: stuck, Detail: fmt.Sprintf("%d of its engines still run", maxLeft)}
	case s == nil:
		s = m.begin()
	}
	m.mu.Unlock()
	select {
	case <-s.done:
		return s.inst, s.err
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// begin starts the next generation; m.mu is held.
func (m *Module) begin() *starting {
	m.gen++
	i := newInstance(m, m.gen)
	s := &starting{done: make(chan struct{}), inst: i}
	m.start, m.cur = s, i
	go i.run(i.boot)
	go m.load(s)
	return s
}

// load waits until the module's factory has run, and publishes the outcome.
func (m *Module) load(s *starting) {
	ctx, cancel := context.WithTimeoutCause(context.Background(), m.opts.loadTimeout(),
		fmt.Errorf("the module did not finish loading within %v", m.opts.loadTimeout()))
	defer cancel()
	i := s.inst
	_, err := i.invoke(ctx, nil, "load")
	if err != nil {
		err = i.loadError(err)
		i.drop(err)
	}
	m.mu.Lock()
	s.err = err
	m.start = nil
	m.mu.Unlock()
	if err == nil && i.gen > 1 {
		i.report(Report{Kind: ReportReloaded, Message: "the module was loaded again"})
	}
	close(s.done)
}

// boot starts the engine on the owner's goroutine and runs the first slice.
func (i *instance) boot() error {
	settings, err := i.settings()
	if err != nil {
		return err
	}
	start := i.startEngine
	if i.m.bundle.node {
		start = i.startNode
	}
	program, err := start()
	if err != nil {
		return err
	}
	i.shared.Store(&i.eng)
	i.slice(i.budget(), func() {
		i.callRT("init", settings)
		if i.alive() {
			i.runBundle(program)
		}
	})
	return nil
}

// startEngine starts the embedded engine.
func (i *instance) startEngine() (vm.Program, error) {
	rt, err := i.m.opts.Cache.runtime()
	if err != nil {
		return vm.Program{}, err
	}
	i.eng, err = vm.New(vm.Config{
		Memory: i.m.opts.memory(), Host: i.host, Runtime: rt,
		Rejected: func() { i.rejected = true },
	})
	if err != nil {
		return vm.Program{}, err
	}
	return i.m.bundle.program(i.m.opts.Cache)
}

// runBundle runs the module's script, which hands its body to the runtime. The
// runtime starts it when "load" is called.
func (i *instance) runBundle(p vm.Program) {
	err := i.eng.Eval(p)
	if err == nil {
		return
	}
	if js, ok := errors.AsType[*vm.Error](err); ok && !js.Interrupted() && !js.OutOfMemory() {
		i.drop(i.jsError(js.Name, js.Message, "", js.Stack))
		return
	}
	i.judge(err)
}

// settings is what the runtime learns about its module before it runs.
func (i *instance) settings() (string, error) {
	o := i.m.opts
	text, err := json.Marshal(struct {
		Path   string            `json:"path"`
		Cwd    string            `json:"cwd"`
		Family Family            `json:"family"`
		Kind   Kind              `json:"kind"`
		Old    bool              `json:"old"`
		Flags  map[string]string `json:"flags"`
	}{i.m.path, o.Cwd, o.Family, o.Kind, i.m.bundle.old, o.Flags})
	if err != nil {
		return "", fmt.Errorf("encoding the module's settings: %w", err)
	}
	return string(text), nil
}

// maxPrint is what a module may print between two calls of it, in bytes.
const maxPrint = 1 << 20

// print passes on a line that the module printed, as far as it has room.
func (m *Module) print(level, line string, report func(Report)) {
	left := m.room.Load()
	switch m.room.Add(-int64(len(line)) - 1); {
	case left < 0:
		return
	case left < int64(len(line)):
		line = fmt.Sprintf("it has printed %d bytes since it was last called; the rest is dropped", maxPrint-left)
		level = "warn"
	}
	report(Report{Kind: ReportLog, Level: level, Message: line})
}

// reportPrint passes on a line that the module printed.
func (m *Module) reportPrint(level, line string) {
	if m.opts.OnReport == nil {
		return
	}
	m.print(level, m.bundle.readable(line), func(r Report) {
		r.Path = m.path
		m.opts.OnReport(r)
	})
}

// abandonedNow notes an instance whose goroutine cannot be ended.
func (m *Module) abandonedNow(i *instance) {
	m.abandoned.Add(1)
	m.leaked.Add(1)
	m.mu.Lock()
	defer m.mu.Unlock()
	m.left = append(m.left, i)
}

// released notes that an instance's goroutine is gone.
func (m *Module) released(i *instance) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if n := slices.Index(m.left, i); n >= 0 {
		m.left = slices.Delete(m.left, n, n+1)
		m.leaked.Add(^uint64(0))
	}
}

// closeWait is how long Close waits for an engine that does not stop.
const closeWait = 5 * time.Second

// Close ends the module. Its listeners have what other modules emitted before; then calls that
// wait fail, programs and
// dialogs it started end, and its engine is freed. It waits for all of that,
// and returns an error when native code in the engine could not be stopped.
func (m *Module) Close() error {
	m.mu.Lock()
	if m.closed {
		m.mu.Unlock()
		return nil
	}
	m.closed = true
	i, s := m.cur, m.start
	m.mu.Unlock()
	m.opts.Bus.remove(m)
	if i != nil {
		i.workOff()
		i.drop(errClosed)
	}
	// This ends programs that JavaScript waits for inside a synchronous call.
	err := m.prims.Close()
	if i != nil {
		err = errors.Join(i.wait(), err)
	}
	if s != nil {
		<-s.done
	}
	return err
}

// wait interrupts what runs and waits for the owner and the host calls.
func (i *instance) wait() error {
	limit := time.NewTimer(closeWait)
	defer limit.Stop()
	again := time.NewTicker(starveAfter)
	defer again.Stop()
	done := make(chan struct{})
	go func() {
		<-i.ended
		i.ops.Wait()
		close(done)
	}()
	for {
		select {
		case <-done:
			return nil
		case <-again.C:
			if eng := i.shared.Load(); eng != nil && !i.over() {
				(*eng).Interrupt()
			}
		case <-limit.C:
			if i.over() {
				return fmt.Errorf("closing the module %s: the host did not end what it does for it within %v", i.m.path, closeWait)
			}
			return fmt.Errorf("closing the module %s: its engine did not stop within %v", i.m.path, closeWait)
		}
	}
}

// over reports whether the owner is gone.
func (i *instance) over() bool {
	select {
	case <-i.ended:
		return true
	default:
		return false
	}
}
