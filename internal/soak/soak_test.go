//go:build soak && linux

package soak

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/hookline-dev/hookline/audit"
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
	// laps are the parts after each of which the memory is looked at.
	laps = 5
	// shellEvery is how often an event goes to a process hook too.
	shellEvery = 25
)

// The marks in a command tell each hook what to do, and the test what to expect.
var marks = []string{"deny", "error", "panic", "hang", "ignore", "async", "rewrite", "module-deny", "module-spin", "quiet"}

// counts are what became of the events.
type counts struct{ outcomes, denies, expected, strict atomic.Int64 }

// TestSoak fires events from many goroutines at hooks that misbehave in every way,
// and checks that each event got exactly one outcome, that no deny was lost, that memory
// stays as it is after the first lap, and that no goroutine, process, file descriptor or
// temporary file is left.
func TestSoak(t *testing.T) {
	tmp := t.TempDir()
	t.Setenv("TMPDIR", tmp)
	if err := process.Adopt(); err != nil {
		t.Fatal(err)
	}
	token := fmt.Sprintf("86400.%d", os.Getpid())
	before := snapshot(t)

	reg := hook.NewRegistry()
	release := goHooks(reg)
	shellHooks(t, reg, token)
	closeModule := moduleHooks(t, reg)
	logged := audit.Options{Path: filepath.Join(t.TempDir(), "audit.jsonl"), Warn: func(err error) { t.Error(err) }}
	log := audit.New(logged)
	eng := hook.New(reg, hook.WithGrace(5*time.Millisecond), hook.WithRecorder(log))

	var n counts
	var sizes []memory
	for lap := range laps {
		var wg sync.WaitGroup
		for w := range workers {
			wg.Go(func() {
				rng := rand.New(rand.NewPCG(uint64(w), uint64(lap)))
				for i := range events / workers / laps {
					fire(t, eng, rng, fmt.Sprint(w), i, &n)
				}
			})
		}
		wg.Wait()
		release()
		sizes = append(sizes, measure(t))
		t.Logf("%d events, %d denies, %s", n.outcomes.Load(), n.denies.Load(), sizes[lap])
	}
	if err := errors.Join(eng.Close(), closeModule(), log.Close()); err != nil {
		t.Error(err)
	}
	if n.outcomes.Load() != events || n.denies.Load() != n.expected.Load() || n.expected.Load() == 0 {
		t.Errorf("%d outcomes of %d, %d denies of %d", n.outcomes.Load(), events, n.denies.Load(), n.expected.Load())
	}
	t.Logf("%d events were denied by closed guards that the machine gave no turn in time", n.strict.Load())
	if first, last := sizes[0], sizes[laps-1]; last.heap > first.heap*2 || last.rss > first.rss*5/4 {
		t.Errorf("memory grew from %s to %s", first, last)
	}
	if r, err := audit.Verify(logged); err != nil || !r.Intact() {
		t.Errorf("the log: %v, %v", err, r.Faults)
	}
	before.compare(t, token, tmp)
	if left := process.EndAdopted(); len(left) > 0 {
		t.Errorf("processes %v became ours and were not ended with their hooks", left)
	}
}

// fire sends one event and counts what became of it.
func fire(t *testing.T, eng *hook.Engine, rng *rand.Rand, session string, i int, n *counts) {
	mark := marks[rng.IntN(len(marks))]
	if mark == "module-spin" && rng.IntN(200) > 0 || mark == "ignore" && rng.IntN(20) > 0 {
		mark = "quiet" // each of these costs a deadline
	}
	text := mark
	if i%shellEvery == 0 {
		text += fmt.Sprint(" shell ", rng.IntN(len(shellTexts)))
	}
	in := &hook.PreToolUse{Common: hook.Common{SessionID: session}, ToolName: "Bash", ToolInput: hook.MustJSON(map[string]string{"command": text})}
	out, err := eng.Fire(t.Context(), in)
	if err != nil {
		t.Errorf("%s: %v", text, err)
		return
	}
	n.outcomes.Add(1)
	if mustDeny(mark) {
		n.expected.Add(1)
		if out.Decision == hook.DecisionDeny {
			n.denies.Add(1)
		} else {
			t.Errorf("%s: a deny was lost: %v", text, out.Decision)
		}
	} else if out.Decision == hook.DecisionDeny {
		n.strict.Add(1)
	}
	eng.CollectLate(session)
}

// memory is what the process occupies, in bytes.
type memory struct{ heap, rss uint64 }

func (m memory) String() string { return fmt.Sprintf("heap %d KiB, RSS %d KiB", m.heap>>10, m.rss>>10) }

// measure looks at what is in use when the garbage is gone: the least within some seconds,
// since hooks whose time is over let go of what they hold in their own time.
func measure(t *testing.T) memory {
	least := memory{math.MaxUint64, math.MaxUint64}
	for range 50 {
		runtime.GC() // what a sync.Pool holds goes with the second
		debug.FreeOSMemory()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		b, err := os.ReadFile("/proc/self/statm")
		if err != nil {
			t.Fatal(err)
		}
		var size, resident uint64
		if _, err := fmt.Sscan(string(b), &size, &resident); err != nil {
			t.Fatal(err)
		}
		least = memory{min(least.heap, m.HeapAlloc), min(least.rss, resident*uint64(os.Getpagesize()))}
		time.Sleep(100 * time.Millisecond)
	}
	return least
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
// lets those go that ignored their context until now.
func goHooks(reg *hook.Registry) (release func()) {
	var stuck atomic.Pointer[chan struct{}]
	free := make(chan struct{})
	stuck.Store(&free)
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
	at("ignore", func(context.Context, *hook.PreToolUse) (hook.Result, error) {
		<-*stuck.Load()
		return hook.Allow(), nil
	}, hook.Timeout(2*time.Millisecond))
	at("async", func(context.Context, *hook.PreToolUse) (hook.Result, error) {
		return hook.Result{Async: &hook.Async{Wait: func(context.Context) (hook.Result, error) { return hook.AddContext("late"), nil }}}, nil
	})
	return func() {
		free := make(chan struct{})
		close(*stuck.Swap(&free))
	}
}

// shellTexts crash, take too long, print what is not an answer or too much, close their pipes,
// and leave behind children that sleep for as long as TOKEN says.
var shellTexts = []string{
	"cat >/dev/null", "exit 1", "kill -9 $$", "kill -SEGV $$",
	"head -c 3000000 /dev/zero", "head -c 100000 /dev/urandom", "echo '{\"decision\":[1'", "yes {} | head -n 100000 >&2; exit 3",
	"exec 0<&-; echo '{}'", "exec 1>&- 2>&-; cat >/dev/null",
	"sleep TOKEN & exit 0", "setsid sleep TOKEN >/dev/null 2>&1 & exit 0",
	"cat >/dev/null; (env -i setsid sleep TOKEN </dev/null >/dev/null 2>&1 &); exit 0",
	"(setsid sleep TOKEN >/dev/null 2>&1 &); sleep TOKEN", "trap '' TERM; sleep TOKEN & sleep TOKEN",
}

// shellHooks registers a process hook for each of shellTexts.
func shellHooks(t *testing.T, reg *hook.Registry, token string) {
	g := reg.Group("shell", hook.Parallel, 10)
	limiter := process.NewLimiter(8)
	for i, text := range shellTexts {
		_, err := reg.Add(hook.Registration{
			Event: hook.EventPreToolUse, Group: g, Name: fmt.Sprint("shell ", i), Timeout: time.Second, OnFailure: hook.FailOpen,
			Condition: func(in hook.Input) (hook.Matched, string) {
				if strings.HasSuffix(in.(*hook.PreToolUse).ToolInput.String("command"), fmt.Sprint(" shell ", i)) {
					return hook.MatchYes, ""
				}
				return hook.MatchNo, ""
			},
			Handler: &command.Hook{Command: strings.ReplaceAll(text, "TOKEN", token) + " # " + token, Codec: claude.NewCodec(claude.CodecOptions{}), Limiter: limiter, KillAfter: 50 * time.Millisecond},
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
			t.Logf("left: %d goroutines (%d before), %d files (%d before), no process, no temporary file", now.goroutines, before.goroutines, now.files, before.files)
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
