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
	g := reg.Group("settings", hook.Parallel, hook.RankClaude)
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
		tenFloor(b)
	}
}

func tenFloor(b *testing.B) {
	var wg sync.WaitGroup
	for range 10 {
		wg.Go(func() {
			if err := floor(); err != nil {
				b.Error(err)
			}
		})
	}
	wg.Wait()
}

// BenchmarkShellRatio takes turns between hook and floor, so that both see the
// same machine, and reports the ratios.
func BenchmarkShellRatio(b *testing.B) {
	one, in := benchEngine(b, 1)
	ten, _ := benchEngine(b, 10)
	var spent [4]time.Duration
	for b.Loop() {
		for i, run := range []func(){
			func() { _, _ = one.Fire(b.Context(), in) },
			func() { _ = floor() },
			func() { _, _ = ten.Fire(b.Context(), in) },
			func() { tenFloor(b) },
		} {
			began := time.Now()
			run()
			spent[i] += time.Since(began)
		}
	}
	b.ReportMetric(spent[0].Seconds()/spent[1].Seconds(), "one/floor")
	b.ReportMetric(spent[2].Seconds()/spent[3].Seconds(), "ten/floor")
}
