package discovery

import (
	"errors"
	"fmt"

	"github.com/hookline-dev/hookline/hook"
	"github.com/hookline-dev/hookline/trust"
)

// warmer is a handler that starts processes ahead of their events.
type warmer interface{ Warm(call *hook.Call) error }

// warmerOf finds it below a look at the files.
func warmerOf(h hook.Handler) warmer {
	if v, ok := h.(*verified); ok {
		h = v.Handler
	}
	w, _ := h.(warmer)
	return w
}

// Warm starts what the last load found to wait for events: the processes of prewarmed
// hooks, and the workers that do not run yet. A host calls it when its session begins,
// so that the first event of a hook finds them; it returns at once. The base is what the
// session's events will have: a process that was started for another session or
// directory is not used.
//
// The errors are those of the hooks that could not be started ahead. They run all the
// same, each event starting what it needs and reporting what is wrong.
func (l *Loader) Warm(base hook.Common) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.last == nil {
		return nil
	}
	var errs []error
	for i := range l.last.Hooks {
		f := &l.last.Hooks[i]
		if f.Status != Active || f.Registration == nil {
			continue
		}
		if err := l.warm(f, base); err != nil {
			errs = append(errs, fmt.Errorf("start %s ahead: %w", f.FullName(), err))
		}
	}
	for _, s := range l.sources {
		if st, ok := s.(*standingSource); ok {
			for _, r := range st.running {
				r.w.Warm()
			}
		}
	}
	return errors.Join(errs...)
}

func (l *Loader) warm(f *Found, base hook.Common) error {
	isPrewarmed := f.warm != nil && f.Prewarm > 0 && !ownFile(f.Event)
	if !isPrewarmed && f.worker == nil {
		return nil
	}
	if err := l.stillAllowed(f.Artifact); err != nil {
		return err
	}
	if f.worker != nil {
		l.workers.warm(f.worker)
		return nil
	}
	in := f.Event.Spec().New()
	*in.Base() = base
	return f.warm.Warm(&hook.Call{Hook: &hook.Info{Name: f.FullName(), Event: f.Event}, Input: in})
}

// ownFile reports whether each run of an event's hooks has a file of its own in its
// environment, so that none can be started before it.
func ownFile(ev hook.Event) bool {
	switch ev {
	case hook.EventSessionStart, hook.EventSetup, hook.EventCwdChanged, hook.EventFileChanged:
		return true
	}
	return false
}

// stillAllowed says why a hook that was allowed when it was loaded may not run now.
func (l *Loader) stillAllowed(a trust.Artifact) error {
	if v := l.gate.Check(a); !v.Allowed {
		return fmt.Errorf("not run: %s", v.Why)
	}
	return nil
}

// warm begins to start the worker of an entry.
func (p *workerPool) warm(h *workerHook) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if w := p.running[h.key()]; w != nil && !p.closed {
		w.Warm()
	}
}
