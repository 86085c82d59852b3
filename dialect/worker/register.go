package worker

import (
	"fmt"
	"strings"
	"time"

	"github.com/hookline-dev/hookline/dialect/kodelet"
	"github.com/hookline-dev/hookline/handler/worker"
	"github.com/hookline-dev/hookline/hook"
	"github.com/hookline-dev/hookline/internal/nearest"
)

// workerName is the name of Hookline's own workers in records. Extensions are of the dialect
// kodelet.
const workerName = "worker"

// defaultTimeout is the deadline of a hook that asks for none.
const defaultTimeout = 30 * time.Second

// Registrations returns a registration for each hook that a worker asks for, and
// remarks on what can never run. The caller fills in what it knows besides: the group,
// the scope. A hook whose matcher cannot be read is registered as inactive.
func Registrations(w *Worker) (regs []hook.Registration, remarks []string) {
	h := w.Hello()
	remarks = append(remarks, h.Remarks...)
	for i, s := range h.Hooks {
		events, err := eventsOf(w, s)
		if err != nil {
			remarks = append(remarks, fmt.Sprintf("%s: %v; the hook never runs", w.Name(), err))
			continue
		}
		for _, ev := range events {
			reg, err := registration(w, i, s, ev)
			if err != nil {
				remarks = append(remarks, fmt.Sprintf("%s: %v; the hook does not run", reg.Name, err))
			}
			regs = append(regs, reg)
		}
	}
	return regs, remarks
}

// eventsOf finds the events of a hook by the name that the worker has for them.
func eventsOf(w *Worker, s worker.HookSpec) ([]hook.Event, error) {
	if extensionOf(w) != nil {
		events, why := extensionEvents(s.Event)
		if why != "" {
			return nil, fmt.Errorf("event %q: %s", s.Event, why)
		}
		return events, nil
	}
	ev, ok := hook.ParseEvent(s.Event)
	if !ok {
		return nil, nearest.Event(s.Event)
	}
	return []hook.Event{ev}, nil
}

// registration makes one registration. It is inactive when there is an error.
func registration(w *Worker, index int, s worker.HookSpec, ev hook.Event) (hook.Registration, error) {
	reg := hook.Registration{
		Event: ev, Handler: w.Handler(index), Name: name(w, index, s), Dialect: workerName, Source: w.Path(),
		Priority: s.Priority, Observe: s.Observe, Guard: s.Guard, Once: s.Once, OnFailure: s.OnFailure,
	}
	if extensionOf(w) != nil {
		reg.Dialect = kodelet.Name
	}
	switch {
	case s.Timeout == 0:
		reg.Timeout = defaultTimeout
	case s.Timeout > 0:
		reg.Timeout = s.Timeout
	}
	if s.Matcher == "" {
		return reg, nil
	}
	m, err := hook.ParseMatcher(s.Matcher)
	if err != nil {
		reg.Inactive = err.Error()
		return reg, err
	}
	reg.Matcher = m
	return reg, nil
}

// name names a hook in records: the worker, the hook, and its place where it has no
// name of its own.
func name(w *Worker, index int, s worker.HookSpec) string {
	parts := []string{w.Name(), s.Name}
	if s.Name == "" {
		parts[1] = fmt.Sprintf("%s[%d]", s.Event, index)
	}
	return strings.Join(parts, "#")
}

// extensionOf returns the protocol of a worker that is an extension, nil for others.
func extensionOf(w *worker.Worker) *extension {
	e, _ := w.Wire().(*extension)
	return e
}
