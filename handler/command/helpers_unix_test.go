//go:build unix

package command_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hookline-dev/hookline/handler/command"
	"github.com/hookline-dev/hookline/handler/internal/codectest"
	"github.com/hookline-dev/hookline/hook"
)

// sh returns a hook that runs a line by sh.
func sh(t testing.TB, line string) *command.Hook {
	t.Helper()
	need(t, "sh")
	return &command.Hook{Command: line, Codec: codectest.Codec{}}
}

func need(t testing.TB, program string) {
	t.Helper()
	if _, err := exec.LookPath(program); err != nil {
		t.Skipf("no %s on this machine", program)
	}
}

// fired is what an engine made of one hook.
type fired struct {
	hook.Outcome
	run hook.Run
}

// fire sends one event through an engine with one hook.
func fire(t testing.TB, h hook.Handler, in hook.Input, timeout time.Duration, opts ...hook.EngineOption) fired {
	t.Helper()
	eng := engine(t, h, in.Event(), timeout, opts...)
	out, err := eng.Fire(t.Context(), in)
	if err != nil {
		t.Fatalf("Fire: %v", err)
	}
	if len(out.Runs) != 1 {
		t.Fatalf("%d runs, want 1", len(out.Runs))
	}
	return fired{out, out.Runs[0]}
}

func engine(t testing.TB, h hook.Handler, ev hook.Event, timeout time.Duration, opts ...hook.EngineOption) *hook.Engine {
	t.Helper()
	reg := hook.NewRegistry()
	if _, err := reg.Add(hook.Registration{Event: ev, Handler: h, Name: "guard", Timeout: timeout}); err != nil {
		t.Fatal(err)
	}
	eng := hook.New(reg, opts...)
	t.Cleanup(func() {
		if err := eng.Close(); err != nil {
			t.Error(err)
		}
	})
	return eng
}

// handle runs a hook without an engine.
func handle(ctx context.Context, h hook.Handler, in hook.Input) (hook.Result, *hook.Call, error) {
	call := &hook.Call{ID: "c1", Hook: &hook.Info{Name: "guard", Event: in.Event()}, Input: in}
	res, err := h.Handle(ctx, call)
	return res, call, err
}

func kindOf(err error) hook.FailureKind {
	if f, ok := errors.AsType[*hook.Failure](err); ok {
		return f.Kind
	}
	return ""
}

// noted reports whether the record has a remark that contains text.
func (f fired) noted(text string) bool {
	return slices.ContainsFunc(f.run.Notes, func(n string) bool { return strings.Contains(n, text) })
}

func (f fired) failure(t testing.TB, kind hook.FailureKind, text string) {
	t.Helper()
	if f.run.Status != hook.StatusFailed && f.run.Status != hook.StatusTimedOut {
		t.Fatalf("status %v, want a failure; notes %q", f.run.Status, f.run.Notes)
	}
	if k := kindOf(f.run.Err); k != kind || !strings.Contains(f.run.Err.Error(), text) {
		t.Fatalf("failure %q %v, want %q with %q", k, f.run.Err, kind, text)
	}
}

// script writes an executable file and returns its path.
func script(t testing.TB, dir, name, text string) string {
	t.Helper()
	file := filepath.Join(dir, name)
	if err := os.WriteFile(file, []byte(text), 0o755); err != nil {
		t.Fatal(err)
	}
	return file
}

// count returns how many lines a file has, 0 when there is none.
func count(t testing.TB, file string) int {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	return strings.Count(string(b), "\n")
}

func within(t testing.TB, limit time.Duration, what string, done func() bool) {
	t.Helper()
	for end := time.Now().Add(limit); !done(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("not within %v: %s", limit, what)
		}
	}
}

func vars(kv ...string) func(*hook.Call) []string {
	return func(*hook.Call) []string { return kv }
}

func quoted(path string) string { return fmt.Sprintf("'%s'", path) }
