//go:build unix

package executable

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/hookline-dev/hookline/handler/internal/codectest"
	"github.com/hookline-dev/hookline/handler/process"
	"github.com/hookline-dev/hookline/hook"
)

// guardText is a program that logs each start, and answers when it has its input.
const guardText = "#!/bin/sh\necho start >> \"$(dirname \"$0\")/log\"\nread -r line\necho '{\"decision\":\"deny\",\"reason\":\"no\"}'\n"

type prewarmed struct {
	*Hook
	in      *hook.PreToolUse
	trusted atomic.Pointer[string] // the digest that is trusted; nil trusts all
}

func newPrewarmed(t *testing.T) *prewarmed {
	t.Helper()
	dir := t.TempDir()
	p := &prewarmed{in: &hook.PreToolUse{Common: hook.Common{CWD: dir}, ToolName: "Bash"}}
	p.Hook = &Hook{
		Path: filepath.Join(dir, "guard"), Codec: codectest.Codec{}, Prewarm: 1, Pool: &process.Pool{},
		Trusted: func(_, digest string) bool {
			want := p.trusted.Load()
			return want == nil || *want == digest
		},
	}
	t.Cleanup(p.Pool.Close)
	p.write(t, guardText)
	return p
}

// write replaces the program, as an editor does.
func (p *prewarmed) write(t *testing.T, text string) {
	t.Helper()
	if err := os.WriteFile(p.Path+".new", []byte(text), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(p.Path+".new", p.Path); err != nil {
		t.Fatal(err)
	}
}

func (p *prewarmed) call() *hook.Call {
	return &hook.Call{ID: "c", Hook: &hook.Info{Name: "guard", Event: p.in.Event()}, Input: p.in}
}

// ready waits until a process waits that has run as far as its input.
func (p *prewarmed) ready(t *testing.T, starts int) {
	t.Helper()
	for end := time.Now().Add(5 * time.Minute); p.Pool.Waiting() != 1 || p.starts(t) != starts; time.Sleep(2 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("%d wait, %d starts, want 1 and %d", p.Pool.Waiting(), p.starts(t), starts)
		}
	}
}

func (p *prewarmed) starts(t *testing.T) int {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(filepath.Dir(p.Path), "log"))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
	return strings.Count(string(b), "\n")
}

// fire runs the hook and returns its decision and notes.
func (p *prewarmed) fire(t *testing.T) (hook.Decision, string) {
	t.Helper()
	call := p.call()
	res, err := p.Handle(t.Context(), call)
	if err != nil {
		t.Fatal(err)
	}
	return res.Decision, strings.Join(call.Report.Notes, "\n")
}

func TestPrewarmedVerb(t *testing.T) {
	p := newPrewarmed(t)
	if err := p.Warm(p.call()); err != nil {
		t.Fatal(err)
	}
	for i := range 3 {
		p.ready(t, i+1)
		if d, notes := p.fire(t); d != hook.DecisionDeny || notes != process.Prewarmed {
			t.Fatalf("%v, %q", d, notes)
		}
	}
}

// TestPrewarmedTrust changes the program behind a process that waits, in every order
// in which that could matter.
func TestPrewarmedTrust(t *testing.T) {
	allowing := strings.Replace(guardText, "deny", "allow", 1)

	t.Run("changed and not trusted", func(t *testing.T) {
		p := newPrewarmed(t)
		p.fire(t)
		p.ready(t, 2)
		none := "sha256:none"
		p.trusted.Store(&none)
		call := p.call()
		_, err := p.Handle(t.Context(), call)
		if _, ok := errors.AsType[*UntrustedError](err); !ok {
			t.Fatalf("%v, want that it is not trusted", err)
		}
	})
	t.Run("changed and trusted", func(t *testing.T) {
		p := newPrewarmed(t)
		p.fire(t)
		p.ready(t, 2)
		p.write(t, allowing)
		if d, notes := p.fire(t); d != hook.DecisionAllow || notes != "not prewarmed: a file has changed" {
			t.Fatalf("%v, %q", d, notes)
		}
	})
	// The process was started from bytes nobody approved, and the approved ones are
	// back when its event comes.
	t.Run("changed for a moment", func(t *testing.T) {
		p := newPrewarmed(t)
		p.fire(t)
		p.ready(t, 2)
		p.write(t, allowing)
		if err := p.Warm(p.call()); err != nil { // a second could wait only if N were 2
			t.Fatal(err)
		}
		p.write(t, guardText)
		if d, notes := p.fire(t); d != hook.DecisionDeny || notes != "not prewarmed: a file has changed" {
			t.Fatalf("%v, %q", d, notes)
		}
	})
	t.Run("never started without trust", func(t *testing.T) {
		p := newPrewarmed(t)
		none := "sha256:none"
		p.trusted.Store(&none)
		if err := p.Warm(p.call()); err == nil {
			t.Error("an untrusted program was taken")
		}
		time.Sleep(50 * time.Millisecond)
		if n := p.starts(t); n != 0 {
			t.Errorf("it was started %d times", n)
		}
	})
	// Trust is withdrawn between the run and the start of what would wait for the
	// next one.
	t.Run("withdrawn", func(t *testing.T) {
		p := newPrewarmed(t)
		none := "sha256:none"
		inner := p.Trusted
		asked := 0
		p.Trusted = func(path, digest string) bool {
			if asked++; asked == 2 {
				p.trusted.Store(&none)
			}
			return inner(path, digest)
		}
		p.fire(t)
		time.Sleep(100 * time.Millisecond)
		if n, w := p.starts(t), p.Pool.Waiting(); n != 1 || w != 0 {
			t.Errorf("%d starts, %d wait", n, w)
		}
	})
}

func TestPrewarmedHelperChanges(t *testing.T) {
	p := newPrewarmed(t)
	helper := filepath.Join(filepath.Dir(p.Path), "helper.sh")
	if err := os.WriteFile(helper, []byte("a"), 0o644); err != nil {
		t.Fatal(err)
	}
	p.WarmFiles = []string{"helper.sh"}
	p.fire(t)
	p.ready(t, 2)
	if err := os.WriteFile(helper, []byte("b"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, notes := p.fire(t); notes != "not prewarmed: a file has changed" {
		t.Errorf("%q", notes)
	}
}
