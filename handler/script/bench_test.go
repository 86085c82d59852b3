package script

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"
)

func BenchmarkEmptyHandler(b *testing.B) {
	m := loadSource(b, `export default (pi) => { pi.on("turn_start", () => {}) }`, Options{})
	benchFire(b, m, "turn_start", `{"type":"turn_start","turnIndex":0}`)
}

func BenchmarkToolCallThroughGate(b *testing.B) {
	m := load(b, "testdata/gates/block.ts", Options{})
	benchFire(b, m, "tool_call", bashCall)
}

// BenchmarkToolCallPassed is a call that the gate has nothing against, which is
// most of them.
func BenchmarkToolCallPassed(b *testing.B) {
	m := load(b, "testdata/gates/block.ts", Options{})
	benchFire(b, m, "tool_call", `{"type":"tool_call","toolName":"bash","toolCallId":"1","input":{"command":"ls -l"}}`)
}

func BenchmarkContextMiB(b *testing.B) {
	m := load(b, "testdata/gates/context.ts", Options{})
	benchFire(b, m, "context", bigContext(1<<20))
}

// BenchmarkContextMiBInPlace has the same payload, changed in place instead of
// returned.
func BenchmarkContextMiBInPlace(b *testing.B) {
	m := loadSource(b, `export default (pi) => { pi.on("context", (event) => { event.messages.pop() }) }`, Options{})
	payload := []byte(bigContext(1 << 20))
	for b.Loop() {
		r, err := m.Dispatch(context.Background(), Call{Event: "context", Payload: payload, Track: "messages"})
		if err != nil || r.Changed == nil {
			b.Fatal(r, err)
		}
	}
}

func benchFire(b *testing.B, m *Module, event, payload string) {
	b.Helper()
	c := Call{Event: event, Payload: []byte(payload)}
	for b.Loop() {
		if _, err := m.Dispatch(context.Background(), c); err != nil {
			b.Fatal(err)
		}
	}
}

func bigContext(size int) string {
	var sb strings.Builder
	sb.WriteString(`{"type":"context","messages":[`)
	text := strings.Repeat("the quick brown fox jumps over the lazy dog; ", 40)
	for n := 0; sb.Len() < size; n++ {
		if n > 0 {
			sb.WriteByte(',')
		}
		fmt.Fprintf(&sb, `{"role":"user","content":[{"type":"text","text":%q}],"timestamp":%d}`, text, n)
	}
	sb.WriteString(`]}`)
	return sb.String()
}

// BenchmarkColdFirstEvent starts as a new process does that has its bundles and
// bytecode on disk: a fresh cache object, one module, one event.
func BenchmarkColdFirstEvent(b *testing.B) { benchCold(b, 1) }

// BenchmarkColdTenModules is the same with ten modules.
func BenchmarkColdTenModules(b *testing.B) { benchCold(b, 10) }

func benchCold(b *testing.B, n int) {
	dir := b.TempDir()
	paths := make([]string, n)
	for k := range paths {
		paths[k] = write(b, fmt.Sprintf("hook%d.ts", k), `import { EventEmitter } from "node:events";
export default (pi) => { pi.on("tool_call", async (event) => ({ block: true, reason: typeof EventEmitter })) }`)
	}
	run := func() {
		cache := NewCache(dir)
		for _, path := range paths {
			m, err := Load(context.Background(), path, Options{Cache: cache})
			if err != nil {
				b.Fatal(err)
			}
			if _, err := m.Dispatch(context.Background(), Call{Event: "tool_call", Payload: []byte(bashCall)}); err != nil {
				b.Fatal(err)
			}
			b.StopTimer()
			if err := m.Close(); err != nil {
				b.Fatal(err)
			}
			b.StartTimer()
		}
	}
	run()
	for b.Loop() {
		run()
	}
}

// BenchmarkNodePerEvent is what BenchmarkToolCallPassed is instead of: a gate in
// JavaScript, started for the event.
func BenchmarkNodePerEvent(b *testing.B) {
	node, err := exec.LookPath("node")
	if err != nil {
		b.Skip("no node on this machine")
	}
	gate := write(b, "gate.js", `let text = "";
process.stdin.on("data", (d) => { text += d }).on("end", () => {
	const event = JSON.parse(text);
	if (event.toolName === "bash" && event.input.command.includes("rm -rf")) console.log(JSON.stringify({ block: true }));
});`)
	for b.Loop() {
		cmd := exec.Command(node, gate)
		cmd.Stdin = strings.NewReader(`{"type":"tool_call","toolName":"bash","toolCallId":"1","input":{"command":"ls -l"}}`)
		if err := cmd.Run(); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkModuleMemory reports what a loaded module adds to the process.
func BenchmarkModuleMemory(b *testing.B) {
	const modules = 40
	cache := NewCache("")
	load(b, "testdata/gates/block.ts", Options{Cache: cache})
	for b.Loop() {
		before := residentKiB(b)
		var loaded []*Module
		for range modules {
			m, err := Load(context.Background(), "testdata/gates/block.ts", Options{Cache: cache})
			if err != nil {
				b.Fatal(err)
			}
			loaded = append(loaded, m)
		}
		b.ReportMetric(float64(residentKiB(b)-before)/modules, "KiB/module")
		for _, m := range loaded {
			if err := m.Close(); err != nil {
				b.Fatal(err)
			}
		}
	}
}

func residentKiB(b *testing.B) int {
	b.Helper()
	runtime.GC()
	data, err := os.ReadFile("/proc/self/status")
	if err != nil {
		b.Skip("needs /proc")
	}
	for line := range strings.Lines(string(data)) {
		var n int
		if _, err := fmt.Sscanf(line, "VmRSS: %d kB", &n); err == nil {
			return n
		}
	}
	b.Skip("no VmRSS")
	return 0
}

// BenchmarkEightModules fires at eight modules from eight goroutines.
func BenchmarkEightModules(b *testing.B) {
	const n = 8
	modules := make(chan *Module, n)
	for range n {
		modules <- load(b, "testdata/gates/block.ts", Options{})
	}
	c := Call{Event: "tool_call", Payload: []byte(`{"type":"tool_call","toolName":"bash","toolCallId":"1","input":{"command":"ls -l"}}`)}
	b.SetParallelism(n / runtime.GOMAXPROCS(0))
	b.RunParallel(func(pb *testing.PB) {
		m := <-modules
		for pb.Next() {
			if _, err := m.Dispatch(context.Background(), c); err != nil {
				b.Error(err)
				return
			}
		}
		modules <- m
	})
}
