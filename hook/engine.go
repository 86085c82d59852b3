package hook

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"strconv"
	"sync"
	"sync/atomic"
	"time"
)

// Engine fires events through the hooks of a registry. It is safe for concurrent
// use. Close it when it is no longer needed: that ends what still runs.
type Engine struct {
	reg       *Registry
	id        string
	strict    bool
	short     bool
	trace     bool
	watched   bool // somebody observes, records or traces: every run is timed
	grace     time.Duration
	observers []*observer
	recorders []Recorder

	seq    atomic.Uint64
	closed atomic.Bool
	once   sync.Map // onceKey -> struct{}

	base   context.Context // ends with the engine
	cancel context.CancelCauseFunc
	late   lateBox
	// running counts runs with a deadline and those in the background.
	running running
}

type onceKey struct {
	seq     int
	session string
}

// EngineOption configures an engine.
type EngineOption func(*Engine)

// New returns an engine over a registry. A nil registry is an empty one.
func New(reg *Registry, opts ...EngineOption) *Engine {
	if reg == nil {
		reg = NewRegistry()
	}
	e := &Engine{reg: reg, grace: DefaultGrace}
	var id [4]byte
	_, _ = rand.Read(id[:]) // never fails: crypto/rand ends the program instead
	e.id = hex.EncodeToString(id[:])
	e.base, e.cancel = context.WithCancelCause(context.Background())
	e.late.init()
	for _, opt := range opts {
		opt(e)
	}
	e.watched = e.trace || len(e.observers)+len(e.recorders) > 0
	return e
}

// DefaultGrace is how long the engine waits for a hook after its deadline before
// it goes on without it.
const DefaultGrace = 250 * time.Millisecond

// WithStrict makes guards fail closed: the failure of any hook that could have
// denied counts as a deny unless its registration says otherwise, and handlers are
// told to accept nothing but a clean answer.
func WithStrict() EngineOption { return func(e *Engine) { e.strict = true } }

// WithShortCircuit ends an event at the first deny. Observers still run.
func WithShortCircuit() EngineOption { return func(e *Engine) { e.short = true } }

// WithTrace makes outcomes record every registration of the event, those whose
// matcher did not match included.
func WithTrace() EngineOption { return func(e *Engine) { e.trace = true } }

// WithGrace replaces DefaultGrace.
func WithGrace(d time.Duration) EngineOption { return func(e *Engine) { e.grace = d } }

// Recorder is told of every outcome before Fire returns it, and may change it, for
// instance to deny what could not be put on record.
type Recorder interface {
	Record(ctx context.Context, in Input, out *Outcome)
}

// WithRecorder adds a recorder. Unlike an observer it is waited for. It does not
// see events for which nothing is registered.
func WithRecorder(r Recorder) EngineOption {
	return func(e *Engine) { e.recorders = append(e.recorders, r) }
}

// Registry returns the engine's registry.
func (e *Engine) Registry() *Registry { return e.reg }

// runID formats the id of a run.
func (e *Engine) runID(seq uint64) string { return e.id + "-" + strconv.FormatUint(seq, 10) }

// Close ends the engine: later events fail with ErrClosed, what still runs is
// cancelled, and Close waits for it, for at most ten seconds. It returns an error
// that names how many runs would not end. Closing twice does nothing.
func (e *Engine) Close() error {
	if e.closed.Swap(true) {
		return nil
	}
	e.cancel(ErrClosed)
	var err error
	select {
	case <-e.running.wait():
	case <-time.After(closeWait):
		err = fmt.Errorf("close the hook engine: hooks that ignore their context are still running")
	}
	e.late.close()
	for _, o := range e.observers {
		o.close()
	}
	return err
}

const closeWait = 10 * time.Second

// running counts what an engine has started. Unlike a sync.WaitGroup it may be counted
// up while somebody waits: an event may come just as the engine is closed.
type running struct {
	mu   sync.Mutex
	n    int
	none chan struct{} // closed when n becomes 0; nil when nobody waits
}

func (r *running) add() {
	r.mu.Lock()
	r.n++
	r.mu.Unlock()
}

func (r *running) done() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.n--; r.n == 0 && r.none != nil {
		close(r.none)
		r.none = nil
	}
}

// wait returns a channel that is closed when nothing runs.
func (r *running) wait() <-chan struct{} {
	r.mu.Lock()
	defer r.mu.Unlock()
	c := make(chan struct{})
	if r.n == 0 {
		close(c)
		return c
	}
	if r.none == nil {
		r.none = c
	}
	return r.none
}
