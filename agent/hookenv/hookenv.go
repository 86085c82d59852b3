package hookenv

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/hookline-dev/hookline/hook"
	"github.com/hookline-dev/hookline/internal/shell"
)

// Env is the environment that hooks give to the later shell commands of a session.
// It is safe for concurrent use. The zero Env is empty and ready for use; Close it.
type Env struct {
	// OnProblem, when not nil, is told what a hook wrote that no shell can read, and
	// what could not be kept. It is set before the first use.
	OnProblem func(error)

	mu     sync.Mutex
	dir    string
	open   map[string]*file // by number of the run
	later  []*file          // of hooks that go on in the background, in declared order
	held   bool             // there is a file of what hooks have written so far
	rounds int              // how often it was cleared
	closed bool
}

// file is what one run of a hook may write to.
type file struct {
	path, hook string
}

// File returns the file that one run of a hook may append lines to, in the syntax
// of the shell. Each run has its own, so that hooks which run at the same time don't
// disturb each other. It returns "" when there can be none, which is told to
// OnProblem.
func (e *Env) File(call *hook.Call) string {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.closed {
		return ""
	}
	path, err := e.create(fmt.Sprintf("run-%s.sh", call.ID))
	if err != nil {
		e.problem(fmt.Errorf("making a file for the environment of the hook %s: %w", call.Hook.Name, err))
		return ""
	}
	f := &file{path: path, hook: call.Hook.Name}
	if call.Background {
		e.later = append(e.later, f)
	} else {
		if e.open == nil {
			e.open = map[string]*file{}
		}
		e.open[number(call.ID)] = f
	}
	return path
}

// create makes a file that only this person may read; e.mu is held.
func (e *Env) create(name string) (string, error) {
	if e.dir == "" {
		dir, err := os.MkdirTemp("", "hookline-env-") // for this person only
		if err != nil {
			return "", err
		}
		e.dir = dir
	}
	path := filepath.Join(e.dir, name)
	f, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_EXCL, 0o600)
	if err != nil {
		return "", err
	}
	return path, f.Close()
}

// number is the part of a run's id that the record of the run has too.
func number(id string) string { return id[strings.LastIndexByte(id, '-')+1:] }

// Record takes over what the hooks of an event have written, in the order in which
// they were declared, whichever was done first. It makes Env a [hook.Recorder].
func (e *Env) Record(_ context.Context, _ hook.Input, out *hook.Outcome) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if len(e.open) == 0 {
		return
	}
	for i := range out.Runs {
		run := &out.Runs[i]
		key := fmt.Sprint(run.Seq)
		f := e.open[key]
		if f == nil {
			continue
		}
		delete(e.open, key)
		if run.Status == hook.StatusPending {
			e.later = append(e.later, f)
			continue
		}
		if err := e.take(f); err != nil {
			e.problem(fmt.Errorf("the environment of the hook %s is not used: %w", f.hook, err))
		}
	}
}

// take moves what a hook has written behind what is there; e.mu is held.
func (e *Env) take(f *file) error {
	text, err := os.ReadFile(f.path)
	_ = os.Remove(f.path)
	if errors.Is(err, fs.ErrNotExist) || err == nil && len(bytes.TrimSpace(text)) == 0 {
		return nil
	}
	if err == nil {
		err = readable(text)
	}
	if err != nil {
		return err
	}
	if !e.held {
		if _, err := e.create(e.roundName()); err != nil {
			return err
		}
		e.held = true
	}
	w, err := os.OpenFile(filepath.Join(e.dir, e.roundName()), os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		return err
	}
	_, err = w.Write(append(bytes.TrimRight(text, "\n"), '\n'))
	return errors.Join(err, w.Close())
}

func (e *Env) roundName() string { return fmt.Sprintf("env-%d.sh", e.rounds) }

// readable reports whether a shell can read a text: one broken line would cost the
// commands that it is put before.
func readable(text []byte) error {
	_, err := shell.Parse(string(text))
	return err
}

// Files returns the files that a shell is to read before a command, in this order,
// as its "." does. What a hook in the background has written counts as soon as a
// shell can read it.
func (e *Env) Files() []string {
	e.mu.Lock()
	defer e.mu.Unlock()
	var out []string
	if e.held {
		out = append(out, filepath.Join(e.dir, e.roundName()))
	}
	for _, f := range e.later {
		if text, err := os.ReadFile(f.path); err == nil && len(bytes.TrimSpace(text)) > 0 && readable(text) == nil {
			out = append(out, f.path)
		}
	}
	return out
}

// Clear forgets what hooks have written: another session begins. Commands that were
// started before keep what they have.
func (e *Env) Clear() {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, f := range slices.AppendSeq(e.later, maps.Values(e.open)) {
		_ = os.Remove(f.path) // a hook that still writes to it makes it again, for nobody
	}
	if e.held {
		_ = os.Remove(filepath.Join(e.dir, e.roundName()))
	}
	e.open, e.later, e.held = nil, nil, false
	e.rounds++
}

// Close removes the files. There are none after it.
func (e *Env) Close() error {
	e.Clear()
	e.mu.Lock()
	defer e.mu.Unlock()
	e.closed = true
	if e.dir == "" {
		return nil
	}
	return os.RemoveAll(e.dir)
}

func (e *Env) problem(err error) {
	if e.OnProblem != nil {
		e.OnProblem(err)
	}
}
