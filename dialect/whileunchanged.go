package dialect

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"github.com/hookline-dev/hookline/config"
	"github.com/hookline-dev/hookline/hook"
	"github.com/hookline-dev/hookline/trust"
)

// WhileUnchanged runs a hook only while the files that it names are as they were when it
// was allowed: they are looked at right before the run and once more after it, and
// an answer of files that changed in between does not count. It wraps the handler of the
// hook's registration.
func (k *Kit) WhileUnchanged(f *Found) {
	r := f.Registration
	r.Handler = &whileUnchanged{wrapping{r.Handler}, k.Gate, f.Artifact, Guards(r)}
}

type whileUnchanged struct {
	wrapping
	gate     trust.Gate
	artifact trust.Artifact
	guard    bool
}

func (v *whileUnchanged) Handle(ctx context.Context, call *hook.Call) (hook.Result, error) {
	before := v.gate.Check(v.artifact)
	if !before.Allowed {
		fail := hook.Failf(hook.FailureLaunch, "not run: %s: what it would run is not what was approved", before.Why)
		fail.Closed = before.Project && v.guard
		return hook.Result{}, fail
	}
	res, err := v.Handler.Handle(ctx, call)
	if after := v.gate.Check(v.artifact); after.Digest != before.Digest {
		fail := hook.Failf(hook.FailureLaunch, "its files changed while it ran, so its answer does not count")
		fail.Closed = after.Project && v.guard
		return hook.Result{}, fail
	}
	return res, err
}

// wrapping is the part of a wrapper in which it is the hook itself.
type wrapping struct{ hook.Handler }

var (
	_ hook.Identifier = wrapping{}
	_ hook.Graceful   = wrapping{}
	_ Wrapper         = wrapping{}
)

// Identity is that of the hook.
func (w wrapping) Identity() string { return IdentityOf(w.Handler) }

// Grace is that of the hook.
func (w wrapping) Grace() time.Duration {
	if g, ok := w.Handler.(hook.Graceful); ok {
		return g.Grace()
	}
	return 0
}

// Unwrap returns the hook.
func (w wrapping) Unwrap() hook.Handler { return w.Handler }

// Wrapper is a handler around another one.
type Wrapper interface{ Unwrap() hook.Handler }

// Innermost returns the handler that wrappers are around.
func Innermost(h hook.Handler) hook.Handler {
	for {
		w, ok := h.(Wrapper)
		if !ok {
			return h
		}
		h = w.Unwrap()
	}
}

// IdentityOf is the identity of a handler, "" when it has none.
func IdentityOf(h hook.Handler) string {
	if id, ok := h.(hook.Identifier); ok {
		return id.Identity()
	}
	return ""
}

// Mirror returns a directory in which the files that a hook's approval covers lie as they
// were allowed, at their places below the artifact's root; "" when the gate keeps none.
func (k *Kit) Mirror(f *Found) string {
	m, ok := k.Gate.(trust.Mirrorer)
	if !ok {
		return ""
	}
	dir, err := m.Mirror(k.artifact(f))
	if err != nil {
		return ""
	}
	return dir
}

// Copy is what is started of a program: its private copy, in a directory of copies, so that
// what runs is what was allowed. Where the gate keeps none it is the program itself, and
// Mirror is "".
type Copy struct{ Path, Mirror, root string }

// CopyOf returns what is started of a program. One of the project of which a copy should be
// kept and can't be has failed, and its status says so: between a look at it and its start
// it could change. One of the person or the administrator starts from where it lies, and is
// looked at before and after.
func (k *Kit) CopyOf(f *Found) (Copy, error) {
	root, itself := f.Artifact.Root, Copy{Path: f.Path}
	m, keeps := k.Gate.(trust.Mirrorer)
	rel, err := filepath.Rel(root, f.Path)
	if !keeps || err != nil || !filepath.IsLocal(rel) {
		return itself, nil
	}
	dir, err := m.Mirror(k.artifact(f))
	switch {
	case err == nil:
		return Copy{filepath.Join(dir, rel), dir, root}, nil
	case configLevel(f.Level) != config.Project:
		return itself, nil
	}
	err = fmt.Errorf("no private copy of it can be kept, and it does not start without: %w", err)
	f.Status, f.Why, f.Shut = Broken, err.Error(), true
	return Copy{}, err
}

// Of returns the copies of files, and files of which there is none as they are.
func (c Copy) Of(files []string) []string {
	return Copied(files, c.root, c.Mirror)
}

// Copied returns files, those below root by their places below another directory; "" is none.
func Copied(files []string, root, to string) []string {
	out := slices.Clone(files)
	for i, path := range files {
		if rel, err := filepath.Rel(root, path); err == nil && to != "" && root != "" && filepath.IsLocal(rel) {
			out[i] = filepath.Join(to, rel)
		}
	}
	return out
}

// WarmHandler returns what starts the processes of a prewarmed hook, nil when none is to
// wait or none can: each run of some events has a file of its own in its environment.
func (k *Kit) WarmHandler(f *Found, warm func(call *hook.Call) error) func(hook.Common) error {
	if f.Prewarm <= 0 || ownFile(f.Event) {
		return nil
	}
	artifact, event, name := f.Artifact, f.Event, f.FullName()
	return func(base hook.Common) error {
		if err := k.Allowed(artifact); err != nil {
			return err
		}
		in := event.Spec().New()
		*in.Base() = base
		return warm(&hook.Call{Hook: &hook.Info{Name: name, Event: event}, Input: in})
	}
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
