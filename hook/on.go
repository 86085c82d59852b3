package hook

import (
	"context"
	"fmt"
	"time"
)

// Option changes a registration made by On.
type Option func(*Registration) error

// inProcess is the handler of a Go callback.
type inProcess func(ctx context.Context, in Input) (Result, error)

// Handle calls the function with the call's input.
func (f inProcess) Handle(ctx context.Context, call *Call) (Result, error) { return f(ctx, call.Input) }

// On registers a Go function for the event whose input it takes. It runs in the
// caller's goroutine and in the default group unless options say otherwise. On
// panics when an option is wrong, for instance a pattern that does not compile:
// that is a mistake in the program. Where the pattern comes from elsewhere, use TryOn.
func On[T any, P inputOf[T]](reg *Registry, fn func(ctx context.Context, in P) (Result, error), opts ...Option) *Handle {
	return must(add(reg, P(new(T)).Event(), typed[T](fn), caller(), opts))
}

// TryOn is On that returns an error where On panics. Nothing is registered then.
func TryOn[T any, P inputOf[T]](reg *Registry, fn func(ctx context.Context, in P) (Result, error), opts ...Option) (*Handle, error) {
	return add(reg, P(new(T)).Event(), typed[T](fn), caller(), opts)
}

// typed is the handler of a function that takes one event's input.
func typed[T any, P inputOf[T]](fn func(ctx context.Context, in P) (Result, error)) inProcess {
	if fn == nil {
		return nil
	}
	return func(ctx context.Context, in Input) (Result, error) { return fn(ctx, in.(P)) }
}

func must(h *Handle, err error) *Handle {
	if err != nil {
		panic(err.Error())
	}
	return h
}

// OnEvent registers one Go function for several events; it finds out by the
// input's type which one it is. It panics as On does.
func OnEvent(reg *Registry, fn func(ctx context.Context, in Input) (Result, error), events []Event, opts ...Option) []*Handle {
	where := caller()
	out := make([]*Handle, len(events))
	for i, ev := range events {
		out[i] = must(add(reg, ev, inProcess(fn), where, opts))
	}
	return out
}

func add(reg *Registry, ev Event, fn inProcess, where string, opts []Option) (*Handle, error) {
	r := Registration{Event: ev, Dialect: "go", Source: where}
	if fn != nil {
		r.Handler = fn
	}
	for _, opt := range opts {
		if err := opt(&r); err != nil {
			return nil, fmt.Errorf("hook: %s: register for %v: %w", where, ev, err)
		}
	}
	h, err := reg.Add(r)
	if err != nil {
		return nil, fmt.Errorf("hook: %s: %w", where, err)
	}
	return h, nil
}

// Match limits a hook to subjects that match a pattern; see ParseMatcher.
func Match(pattern string) Option {
	return func(r *Registration) (err error) {
		r.Matcher, err = ParseMatcher(pattern)
		return err
	}
}

// MatchWith limits a hook to subjects that m matches.
func MatchWith(m Matcher) Option {
	return func(r *Registration) error { r.Matcher = m; return nil }
}

// If limits a hook to inputs for which the condition holds.
func If(c Condition) Option { return func(r *Registration) error { r.Condition = c; return nil } }

// Name names a hook in records.
func Name(name string) Option { return func(r *Registration) error { r.Name = name; return nil } }

// InGroup puts a hook into a group.
func InGroup(g *Group) Option { return func(r *Registration) error { r.Group = g; return nil } }

// Priority moves a hook before those of its group with a lower one; the default
// is 0.
func Priority(p int) Option { return func(r *Registration) error { r.Priority = p; return nil } }

// Timeout gives a hook a deadline. It then runs in a goroutine of its own, so that
// the engine need not wait for one that ignores its context.
func Timeout(d time.Duration) Option {
	return func(r *Registration) error { r.Timeout = d; return nil }
}

// OnFailure says what the hook's failure counts as.
func OnFailure(p FailurePolicy) Option {
	return func(r *Registration) error { r.OnFailure = p; return nil }
}

// Observe makes a hook an observer: it cannot decide or change anything, and it
// runs even after a deny.
func Observe() Option { return func(r *Registration) error { r.Observe = true; return nil } }

// Guard makes a hook run once more when a later hook changed what it looked at.
func Guard() Option { return func(r *Registration) error { r.Guard = true; return nil } }

// Once runs a hook until its first success in a session.
func Once() Option { return func(r *Registration) error { r.Once = true; return nil } }

// InBackground runs a hook asynchronously, bounded by a time.
func InBackground(mode AsyncMode, timeout time.Duration) Option {
	return func(r *Registration) error { r.Async, r.AsyncTimeout = mode, timeout; return nil }
}

// ForAgent limits a hook to one agent.
func ForAgent(id string) Option { return func(r *Registration) error { r.AgentID = id; return nil } }

// MainOnly keeps a hook out of subagents.
func MainOnly() Option { return func(r *Registration) error { r.MainOnly = true; return nil } }
