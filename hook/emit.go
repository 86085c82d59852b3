package hook

import (
	"sync"
	"sync/atomic"
	"time"
	"unicode/utf8"
)

// Emission is a message about a hook that runs, in the shape of the Claude Agent
// SDK.
type Emission struct {
	Type      string `json:"type"`    // always "system"
	Subtype   string `json:"subtype"` // hook_started, hook_progress or hook_response
	HookID    string `json:"hook_id"` // unique per run
	HookName  string `json:"hook_name"`
	HookEvent Event  `json:"hook_event"`
	UUID      string `json:"uuid"` // unique per message
	SessionID string `json:"session_id"`

	Stdout   string `json:"stdout,omitzero"`
	Stderr   string `json:"stderr,omitzero"`
	Output   string `json:"output,omitzero"` // both streams in the order in which they came
	ExitCode *int   `json:"exit_code,omitzero"`
	Outcome  string `json:"outcome,omitzero"` // success, error, cancelled or blocked

	// Hook describes the registration, and Duration how long it ran.
	Hook     *Info         `json:"-"`
	Duration time.Duration `json:"-"`
}

// The subtypes of an Emission.
const (
	HookStarted  = "hook_started"
	HookProgress = "hook_progress"
	HookResponse = "hook_response"
)

// Observer is told when hooks start, progress and respond. The engine never waits
// for one: each observer has a queue and a goroutine of its own, and what does not
// fit is dropped and counted.
type Observer interface{ Observe(Emission) }

// ObserverFunc is a function that is an Observer.
type ObserverFunc func(Emission)

// Observe calls f.
func (f ObserverFunc) Observe(m Emission) { f(m) }

// observerQueue is how many messages wait for an observer before they are dropped.
const observerQueue = 4096

// WithObserver adds an observer. Close waits until it has seen what is queued, for
// at most a second.
func WithObserver(o Observer) EngineOption {
	return func(e *Engine) { e.observers = append(e.observers, newObserver(o)) }
}

// observer feeds an Observer from a queue.
type observer struct {
	queue   chan Emission
	done    chan struct{}
	mu      sync.RWMutex // held for writing only to close the queue
	closed  bool
	dropped atomic.Uint64
}

func newObserver(o Observer) *observer {
	w := &observer{queue: make(chan Emission, observerQueue), done: make(chan struct{})}
	go func() {
		defer close(w.done)
		for m := range w.queue {
			observe(o, m)
		}
	}()
	return w
}

// observe shields the engine from an observer that panics.
func observe(o Observer, m Emission) {
	defer func() { _ = recover() }()
	o.Observe(m)
}

func (w *observer) send(m Emission) {
	w.mu.RLock()
	defer w.mu.RUnlock()
	if w.closed {
		return
	}
	select {
	case w.queue <- m:
	default:
		w.dropped.Add(1)
	}
}

func (w *observer) close() {
	w.mu.Lock()
	w.closed = true
	close(w.queue)
	w.mu.Unlock()
	select {
	case <-w.done:
	case <-time.After(time.Second):
	}
}

// ObserverDropped returns how many messages observers did not get because they
// were too slow.
func (e *Engine) ObserverDropped() uint64 {
	var n uint64
	for _, o := range e.observers {
		n += o.dropped.Load()
	}
	return n
}

func (e *Engine) emit(m Emission) {
	m.Type = "system"
	m.UUID = newUUID()
	for _, o := range e.observers {
		o.send(m)
	}
}

func emission(c *Call) Emission {
	name := c.Hook.Event.String()
	if s := c.Input.Subject(); s != "" {
		name += ":" + s
	}
	return Emission{HookID: c.ID, HookName: name, HookEvent: c.Hook.Event, SessionID: c.Input.Base().SessionID, Hook: c.Hook}
}

// emitStarted tells the observers that a hook starts, and connects its progress
// to them.
func (e *Engine) emitStarted(c *Call) {
	if len(e.observers) == 0 {
		return
	}
	c.base = emission(c) // made now: the input may be another's later
	m := c.base
	m.Subtype = HookStarted
	e.emit(m)
	p := &progress{emit: e.emit, base: c.base}
	p.base.Subtype = HookProgress
	c.progress = p.chunk
}

// progress turns output chunks into messages and keeps UTF-8 sequences whole.
type progress struct {
	mu   sync.Mutex
	emit func(Emission)
	base Emission
	rest [Stderr + 1][]byte
	out  [Stderr + 1][]byte
	all  []byte
}

// maxProgress bounds the output that progress messages repeat.
const maxProgress = 64 << 10

func (p *progress) chunk(s Stream, b []byte) {
	if s != Stdout && s != Stderr {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	b = append(p.rest[s], b...)
	whole := wholeRunes(b)
	p.rest[s] = append([]byte(nil), b[whole:]...)
	if whole == 0 {
		return
	}
	p.out[s] = keepTail(append(p.out[s], b[:whole]...))
	p.all = keepTail(append(p.all, b[:whole]...))
	m := p.base
	m.Stdout, m.Stderr, m.Output = string(p.out[Stdout]), string(p.out[Stderr]), string(p.all)
	p.emit(m)
}

// wholeRunes returns how much of b can be passed on without splitting a UTF-8
// sequence at its end.
func wholeRunes(b []byte) int {
	for i := 1; i <= utf8.UTFMax && i <= len(b); i++ {
		c := b[len(b)-i]
		if utf8.RuneStart(c) {
			if !utf8.FullRune(b[len(b)-i:]) {
				return len(b) - i
			}
			break
		}
	}
	return len(b)
}

func keepTail(b []byte) []byte {
	if len(b) <= maxProgress {
		return b
	}
	cut := len(b) - maxProgress
	for cut < len(b) && !utf8.RuneStart(b[cut]) {
		cut++
	}
	return append([]byte(nil), b[cut:]...)
}

// emitResponse tells the observers what came of a run.
func (e *Engine) emitResponse(c *Call, rec *Run, res *Result) {
	if len(e.observers) == 0 {
		return
	}
	m := c.base
	m.Subtype = HookResponse
	m.Duration = rec.Duration
	if r := rec.Report; r != nil {
		m.Stdout, m.Stderr, m.ExitCode = r.Stdout, r.Stderr, r.ExitCode
		m.Output = r.Stdout + r.Stderr
	}
	switch {
	case rec.Status == StatusCancelled:
		m.Outcome = "cancelled"
	case rec.Err != nil:
		m.Outcome = "error"
	case res.Decision == DecisionDeny || res.Cancel:
		m.Outcome = "blocked"
	default:
		m.Outcome = "success"
	}
	e.emit(m)
}
