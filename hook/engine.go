package hook

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
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
	grace     time.Duration
	observers []*observer
	recorders []recorder

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

type recorder = Recorder

// WithRecorder adds a recorder. Unlike an observer it is waited for. It does not
// see events for which nothing is registered.
func WithRecorder(r Recorder) EngineOption {
	return func(e *Engine) { e.recorders = append(e.recorders, r) }
}

// Registry returns the engine's registry.
func (e *Engine) Registry() *Registry { return e.reg }

// maxDepth bounds hooks that fire events whose hooks fire events.
const maxDepth = 16

// ErrTooDeep is the error of an event that hooks fired from within hooks, too many
// levels deep.
var ErrTooDeep = errors.New("hooks fire hooks too many levels deep")

type depthKey struct{}

// fireContext is what hooks without a deadline get: the caller's context, and how
// deep it is.
type fireContext struct {
	context.Context
	depth int
}

func (c *fireContext) Value(key any) any {
	if _, ok := key.(depthKey); ok {
		return c
	}
	return c.Context.Value(key)
}

// Fire runs the hooks of an event and returns what they came to. Changes that the
// event honours are made in the input itself too.
//
// Fire fails only when the engine could not do its work: there is no input, the context
// ended (the error is its cause), the engine is closed (ErrClosed), or hooks fire hooks
// without end (ErrTooDeep). The outcome then holds what happened so far and never
// an allow. The failure of a hook is in the outcome.
func (e *Engine) Fire(ctx context.Context, in Input) (Outcome, error) {
	if in == nil {
		return Outcome{}, errNoInput
	}
	ev := in.Event()
	if e.closed.Load() {
		return Outcome{Event: ev}, ErrClosed
	}
	s := e.reg.snap.Load()
	if s == nil || s.events[ev] == nil {
		return Outcome{Event: ev}, cause(ctx)
	}
	t := s.events[ev]
	p := t.plan(in.Subject())
	if p == nil && !e.trace {
		return Outcome{Event: ev}, cause(ctx)
	}
	return e.dispatch(ctx, in, t, p)
}

var errNoInput = errors.New("hook: Fire needs an input")

func cause(ctx context.Context) error {
	if ctx.Err() == nil {
		return nil
	}
	return context.Cause(ctx)
}

func (e *Engine) dispatch(ctx context.Context, in Input, t *eventTable, p *plan) (Outcome, error) {
	depth := 1
	if up, ok := ctx.Value(depthKey{}).(*fireContext); ok {
		if depth = up.depth + 1; depth > maxDepth {
			return Outcome{Event: in.Event()}, ErrTooDeep
		}
	}
	f := fires.Get().(*fire)
	f.eng, f.in, f.spec, f.base = e, in, in.Event().spec(), in.Base()
	f.cells = in.cells()
	f.ctx = &fireContext{ctx, depth}
	f.plain = !e.trace && len(e.observers) == 0 && len(e.recorders) == 0
	if e.trace {
		f.traceUnmatched(t)
	}
	if p != nil {
		f.run(p)
	}
	if !f.dirty && f.plain {
		out := Outcome{Event: f.spec.Event, Runs: f.out.Runs}
		f.out.Runs = nil
		f.release()
		return out, cause(ctx)
	}
	f.out.Event = f.spec.Event
	err := f.finish()
	for _, r := range e.recorders {
		r.Record(ctx, in, &f.out)
	}
	out := f.out
	f.out = Outcome{}
	f.release()
	return out, err
}

// fires recycles the state of Fire. Nothing that outlives a Fire refers to it.
var fires = sync.Pool{New: func() any { return new(fire) }}

// release clears the state, whose outcome has been taken, for the next event.
func (f *fire) release() {
	clear(f.marks)
	f.marks = f.marks[:0]
	f.eng, f.in, f.base, f.ctx, f.cells = nil, nil, nil, nil, cells{}
	f.dirty, f.ended, f.version, f.inactive, f.why = false, false, 0, 0, ""
	fires.Put(f)
}

// runID formats the id of a run.
func (e *Engine) runID(seq uint64) string { return e.id + "-" + strconv.FormatUint(seq, 10) }

// Consideration says whether a registration would run for an event, and why.
type Consideration struct {
	Hook *Info
	// Order is the place among those that would run, from 1; 0 for the others.
	Order     int
	Runs      bool
	Uncertain bool
	Why       string
}

// Explain says of every registration of an event whether it would run, in the
// order in which they would, without running anything.
func (e *Engine) Explain(in Input) []Consideration {
	s := e.reg.snap.Load()
	if s == nil || s.events[in.Event()] == nil {
		return nil
	}
	t := s.events[in.Event()]
	f := fire{eng: e, in: in, base: in.Base()}
	out := make([]Consideration, 0, len(t.entries))
	order, seen := 0, map[string]*entry{}
	for _, en := range t.entries {
		c := Consideration{Hook: en.info}
		m := t.match(en, in.Subject())
		if m == MatchNo {
			c.Why = unmatched(en, in.Subject())
		} else {
			why, state := f.gate(en, m == MatchUncertain)
			c.Why, c.Runs, c.Uncertain = why, state.runs(), state == gateUncertain
			if first, dup := seen[dupKey(en)]; c.Runs && dup && dupKey(en) != "" {
				c.Runs, c.Why = false, sameHook(en, first)
			}
		}
		if c.Runs {
			order++
			c.Order = order
			seen[dupKey(en)] = en
			if c.Why == "" {
				c.Why = matchedBecause(en, t.subject)
			}
		}
		out = append(out, c)
	}
	return out
}

func unmatched(en *entry, subject string) string {
	return fmt.Sprintf("matcher %q does not match %q", en.Matcher.String(), subject)
}

func matchedBecause(en *entry, subject bool) string {
	switch {
	case !subject || en.Matcher == nil:
		return "runs for every " + en.Event.String()
	case en.Condition != nil:
		return fmt.Sprintf("matcher %q and its condition match", en.Matcher.String())
	}
	return fmt.Sprintf("matcher %q matches", en.Matcher.String())
}

// dupKey identifies a hook within a parallel group, "" when it has no identity.
func dupKey(en *entry) string {
	if en.ident == "" || en.Registration.Group.flow != Parallel {
		return ""
	}
	return en.Registration.Group.name + "\x00" + en.ident
}

// sameHook says why en does not run: first is the same hook. Two of one name are
// told apart by where they are.
func sameHook(en, first *entry) string {
	why := "the same hook as " + first.info.Name
	if first.info.Name == en.info.Name && first.info.Source != "" {
		why += " of " + first.info.Source
	}
	return why
}

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
