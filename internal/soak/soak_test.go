//go:build soak && linux

package soak

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/hookline-dev/hookline/dialect/claude"
	"github.com/hookline-dev/hookline/dialect/pi"
	"github.com/hookline-dev/hookline/handler/command"
	"github.com/hookline-dev/hookline/handler/process"
	"github.com/hookline-dev/hookline/handler/script"
	"github.com/hookline-dev/hookline/hook"
)

const (
	events  = 100_000
	workers = 50
	// shellEvery is how often an event goes to process hooks too.
	shellEvery = 100
)

// The marks in a command tell each hook what to do, and the test what to expect.
var marks = []string{"deny", "error", "panic", "hang", "ignore", "async", "rewrite", "module-deny", "module-spin", "quiet"}

// TestSoak fires events from many goroutines at hooks that misbehave in every way,
// and checks that each event got exactly one outcome, that no deny was lost, and
// that no goroutine, process, file descriptor or temporary file is left.
func TestSoak(t *testing.T) {
	tmp := t.TempDir()
	t.Setenv("TMPDIR", tmp)
	token := fmt.Sprintf("hookline-soak-%d", os.Getpid())
	before := snapshot(t)

	reg := hook.NewRegistry()
	release := goHooks(reg)
	shellHooks(t, reg, token)
	closeModule := moduleHooks(t, reg)
	eng := hook.New(reg, hook.WithGrace(5*time.Millisecond))

	var outcomes, denies, expected, strict atomic.Int64
	var heap atomic.Uint64
	var wg sync.WaitGroup
	for w := range workers {
		wg.Go(func() {
			rng := rand.New(rand.NewPCG(uint64(w), 4711))
			for i := range events / workers {
				mark := marks[rng.IntN(len(marks))]
				if mark == "module-spin" && rng.IntN(200) > 0 || mark == "ignore" && rng.IntN(20) > 0 {
					mark = "quiet" // each of these costs a deadline
				}
				text := mark
				if i%shellEvery == 0 {
					text += " shell"
				}
				in := &hook.PreToolUse{Common: hook.Common{SessionID: fmt.Sprint(w)}, ToolName: "Bash", ToolInput: hook.MustJSON(map[string]string{"command": text})}
				out, err := eng.Fire(t.Context(), in)
				if err != nil {
					t.Errorf("%s: %v", text, err)
					continue
				}
				outcomes.Add(1)
				if mustDeny(mark) {
					expected.Add(1)
					if out.Decision == hook.DecisionDeny {
						denies.Add(1)
					} else {
						t.Errorf("%s: a deny was lost: %v", text, out.Decision)
					}
				} else if out.Decision == hook.DecisionDeny {
					strict.Add(1) // a closed guard that did not get its turn in time on a busy machine
				}
				if i == events/workers/4 {
					var m runtime.MemStats
					runtime.GC()
					runtime.ReadMemStats(&m)
					heap.Store(max(heap.Load(), m.HeapAlloc))
				}
				eng.CollectLate(fmt.Sprint(w))
			}
		})
	}
	wg.Wait()
	release()
	if err := errors.Join(eng.Close(), closeModule()); err != nil {
		t.Error(err)
	}
	if outcomes.Load() != events || denies.Load() != expected.Load() || expected.Load() == 0 {
		t.Errorf("%d outcomes of %d, %d denies of %d", outcomes.Load(), events, denies.Load(), expected.Load())
	}
	if strict.Load() > events/100 {
		t.Errorf("%d events were denied although every guard could have answered", strict.Load())
	}
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	t.Logf("%d events, %d denies; heap at a quarter %d KiB, at the end %d KiB", events, denies.Load(), heap.Load()>>10, m.HeapAlloc>>10)
	if m.HeapAlloc > heap.Load()*2+16<<20 {
		t.Errorf("the heap grew from %d to %d", heap.Load(), m.HeapAlloc)
	}
	before.compare(t, token, tmp)
}

// mustDeny reports whether a mark makes some guard deny: by saying so, or by
// failing while it fails closed.
func mustDeny(mark string) bool {
	switch mark {
	case "deny", "error", "panic", "hang", "ignore", "module-deny", "module-spin":
		return true
	}
	return false
}

// goHooks registers Go functions that misbehave by the mark; the returned function
// lets those go that ignore their context.
func goHooks(reg *hook.Registry) (release func()) {
	stuck := make(chan struct{})
	at := func(name string, fn func(context.Context, *hook.PreToolUse) (hook.Result, error), opts ...hook.Option) {
		only := func(in hook.Input) (hook.Matched, string) {
			if first, _, _ := strings.Cut(in.(*hook.PreToolUse).ToolInput.String("command"), " "); first == name {
				return hook.MatchYes, ""
			}
			return hook.MatchNo, "another mark"
		}
		hook.On(reg, fn, append(opts, hook.Name(name), hook.If(only), hook.OnFailure(hook.FailClosed))...)
	}
	at("deny", func(context.Context, *hook.PreToolUse) (hook.Result, error) { return hook.Deny("no"), nil })
	at("error", func(context.Context, *hook.PreToolUse) (hook.Result, error) { return hook.Allow(), errors.New("boom") })
	at("panic", func(context.Context, *hook.PreToolUse) (hook.Result, error) { panic("boom") })
	at("hang", func(ctx context.Context, _ *hook.PreToolUse) (hook.Result, error) {
		<-ctx.Done()
		return hook.Allow(), ctx.Err()
	}, hook.Timeout(2*time.Millisecond))
	at("ignore", func(context.Context, *hook.PreToolUse) (hook.Result, error) { <-stuck; return hook.Allow(), nil }, hook.Timeout(2*time.Millisecond))
	at("async", func(context.Context, *hook.PreToolUse) (hook.Result, error) {
		return hook.Result{Async: &hook.Async{Wait: func(context.Context) (hook.Result, error) { return hook.AddContext("late"), nil }}}, nil
	})
	return func() { close(stuck) }
}

// shellHooks registers process hooks that leave children behind.
func shellHooks(t *testing.T, reg *hook.Registry, token string) {
	g := reg.Group("shell", hook.Parallel, 10)
	limiter := process.NewLimiter(8)
	for i, text := range []string{
		"cat >/dev/null", "exit 1", "kill -9 $$", "sleep 60 & exit 0", "head -c 3000000 /dev/zero", "exec 0<&-; echo '{}'", "(setsid sleep 60 >/dev/null 2>&1 &); sleep 60",
	} {
		_, err := reg.Add(hook.Registration{
			Event: hook.EventPreToolUse, Group: g, Name: fmt.Sprint("shell ", i), Timeout: 2 * time.Second, OnFailure: hook.FailOpen,
			Condition: func(in hook.Input) (hook.Matched, string) {
				if strings.HasSuffix(in.(*hook.PreToolUse).ToolInput.String("command"), " shell") {
					return hook.MatchYes, ""
				}
				return hook.MatchNo, ""
			},
			Handler: &command.Hook{Command: text + " # " + token, Codec: claude.NewCodec(claude.CodecOptions{}), Limiter: limiter, KillAfter: 50 * time.Millisecond},
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

// moduleHooks registers a script module with gates that deny and spin.
func moduleHooks(t *testing.T, reg *hook.Registry) (closeModule func() error) {
	path := filepath.Join(t.TempDir(), "m.js")
	text := `export default (pi) => pi.on("tool_call", (e) => {
		if (e.input.command.startsWith("module-deny")) return { block: true, reason: "module" };
		if (e.input.command.startsWith("module-spin")) for (;;) {}
	});`
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	m, err := script.Load(t.Context(), path, script.Options{Grants: script.Grants{CPUSlice: 20 * time.Millisecond}})
	if err != nil {
		t.Fatal(err)
	}
	regs, _ := pi.Registrations(m, pi.NewGroups(reg))
	if _, err := reg.AddAll(regs); err != nil {
		t.Fatal(err)
	}
	return m.Close
}

// state is what the process holds.
type state struct{ goroutines, files int }

func snapshot(t *testing.T) state {
	fds, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	return state{runtime.NumGoroutine(), len(fds)}
}

// compare waits a little for things to end and reports what is left.
func (before state) compare(t *testing.T, token, tmp string) {
	deadline := time.Now().Add(2 * time.Minute)
	for {
		now, left := snapshot(t), processes(token)
		entries, err := os.ReadDir(tmp)
		if err != nil {
			t.Fatal(err)
		}
		if now.goroutines <= before.goroutines && now.files <= before.files+2 && len(left) == 0 && len(entries) == 0 {
			return
		}
		if time.Now().After(deadline) {
			buf := make([]byte, 1<<20)
			t.Errorf("left: %d goroutines (%d before), %d files (%d before), processes %q, %d temporary files\n%s", now.goroutines, before.goroutines,
				now.files, before.files, left, len(entries), buf[:runtime.Stack(buf, true)])
			return
		}
		time.Sleep(100 * time.Millisecond)
	}
}

// processes lists the processes whose command line has the token.
func processes(token string) []string {
	var out []string
	dirs, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, f := range dirs {
		if b, err := os.ReadFile(f); err == nil && strings.Contains(string(b), token) {
			out = append(out, strings.ReplaceAll(string(b), "\x00", " "))
		}
	}
	return out
}
