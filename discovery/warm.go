package discovery

import (
	"errors"
	"fmt"

	"github.com/hookline-dev/hookline/dialect"
	"github.com/hookline-dev/hookline/hook"
)

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
	var errs []error
	for _, f := range l.lastHooks() {
		if f.Status != Active || f.Registration == nil || f.Warm == nil {
			continue
		}
		if err := f.Warm(base); err != nil {
			errs = append(errs, fmt.Errorf("start %s ahead: %w", f.FullName(), err))
		}
	}
	for _, s := range l.sources {
		if w, ok := s.finder.(dialect.Warmer); ok {
			w.Warm()
		}
	}
	return errors.Join(errs...)
}
