package command_test

import (
	"os"
	"os/exec"
	"sync"
	"testing"
	"time"

	"github.com/hookline-dev/hookline/handler/command"
	"github.com/hookline-dev/hookline/handler/internal/codectest"
	"github.com/hookline-dev/hookline/hook"
)

// benchLine is a hook as people write them: it reads its input, starts a program
// and prints an answer.
const benchLine = `cat >/dev/null; echo '{}'`

// floor is a bare fork, exec and wait of the same line, with no pipes and no
// guarantees.
func floor() error { return exec.Command("/bin/sh", "-c", benchLine).Run() }

func benchEngine(b *testing.B, n int) (*hook.Engine, *hook.PreToolUse) {
	b.Helper()
	if _, err := os.Stat("/bin/sh"); err != nil {
		b.Skip("no /bin/sh on this machine")
	}
	reg := hook.NewRegistry()
	g := reg.Group("settings", hook.Parallel, 100)
	for i := range n {
		h := &command.Hook{Command: benchLine, Codec: codectest.Codec{}, Origin: string(rune('a' + i))}
		if _, err := reg.Add(hook.Registration{Event: hook.EventPreToolUse, Handler: h, Group: g, Timeout: time.Minute}); err != nil {
			b.Fatal(err)
		}
	}
	eng := hook.New(reg)
	b.Cleanup(func() { _ = eng.Close() })
	return eng, bashTool("go test ./...")
}

func benchFire(b *testing.B, n int) {
	eng, in := benchEngine(b, n)
	for b.Loop() {
		out, err := eng.Fire(b.Context(), in)
		if err != nil || len(out.Runs) != n || out.Runs[n-1].Err != nil {
			b.Fatal(err, out.Runs)
		}
	}
}

// BenchmarkShellHook is one shell hook through the engine; BenchmarkShellFloor is
// what it is measured against.
func BenchmarkShellHook(b *testing.B) { benchFire(b, 1) }

func BenchmarkShellFloor(b *testing.B) {
	for b.Loop() {
		if err := floor(); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkShellTenParallel is ten shell hooks of one event;
// BenchmarkShellTenFloor is ten bare ones started together.
func BenchmarkShellTenParallel(b *testing.B) { benchFire(b, 10) }

func BenchmarkShellTenFloor(b *testing.B) {
	for b.Loop() {
		together(b, floor)
	}
}

// together runs ten at the same time.
func together(b *testing.B, run func() error) {
	var wg sync.WaitGroup
	for range 10 {
		wg.Go(func() {
			if err := run(); err != nil {
				b.Error(err)
			}
		})
	}
	wg.Wait()
}
