package vm

import (
	"errors"
	"runtime"
	"strings"
	"testing"
	"time"
)

const testRuntime = `
globalThis.__hl_rejection = (p, r, handled) => { notes.push(String(r) + ":" + handled); };
const notes = [], host = globalThis.__hl_host;
delete globalThis.__hl_host;
globalThis.__hl_rt = {
	run: (src) => { const v = (0, eval)(src); return v === undefined ? undefined : String(v); },
	host: (op, arg) => host(op, arg),
	notes: () => notes.join(),
};
`

func newEngine(t *testing.T, cfg Config) Engine {
	t.Helper()
	cfg.Runtime = Program{Name: "runtime.js", Source: "(() => {" + testRuntime + "})()"}
	if cfg.Host == nil {
		cfg.Host = func(op string, _ []any) (string, error) { return op, nil }
	}
	e, err := New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	})
	return e
}

func run(t *testing.T, e Engine, src string) string {
	t.Helper()
	s, err := e.CallRT("run", src)
	if err != nil {
		t.Fatalf("%s: %v", src, err)
	}
	return s
}

func TestHandlesOfThePinnedEngineAreFound(t *testing.T) {
	e := newEngine(t, Config{}).(*engine)
	if _, ok := handlesOf(e.vm); !ok {
		t.Fatal("the quickjs package has other private fields now: adapt handlesOf")
	}
}

func TestGlobalsOfTheBridgeAreGone(t *testing.T) {
	e := newEngine(t, Config{Rejected: func() {}})
	if got := run(t, e, `Object.getOwnPropertyNames(globalThis).filter(n => n.startsWith("__hl")).join()`); got != "" {
		t.Fatalf("left over: %s", got)
	}
}

func TestScriptNamesAppearInStacks(t *testing.T) {
	e := newEngine(t, Config{})
	src := "\n\nthrow new TypeError('no')"
	code, err := Compile("bundle.js", src, false)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range []Program{{Name: "bundle.js", Source: src}, {Name: "bundle.js", Source: src, Code: code}} {
		js, ok := errors.AsType[*Error](e.Eval(p))
		if !ok || js.Name != "TypeError" || js.Message != "no" {
			t.Fatalf("got %v", js)
		}
		if !strings.Contains(js.Stack, "bundle.js:3:") {
			t.Fatalf("stack %q", js.Stack)
		}
	}
}

func TestSyntaxErrorIsReported(t *testing.T) {
	e := newEngine(t, Config{})
	js, ok := errors.AsType[*Error](e.Eval(Program{Name: "x.js", Source: "let 1"}))
	if !ok || js.Name != "SyntaxError" {
		t.Fatalf("got %v", js)
	}
}

func TestHostErrorAndPanicAreExceptions(t *testing.T) {
	e := newEngine(t, Config{Host: func(op string, _ []any) (string, error) {
		if op == "panic" {
			panic("boom")
		}
		return "", errors.New("refused " + op)
	}})
	if _, err := e.CallRT("host", "x"); err == nil || !strings.Contains(err.Error(), "refused x") {
		t.Fatalf("error: %v", err)
	}
	if _, err := e.CallRT("host", "panic"); err == nil || !strings.Contains(err.Error(), "boom") {
		t.Fatalf("panic: %v", err)
	}
	if got := run(t, e, "1+1"); got != "2" {
		t.Fatalf("the engine is not usable after a panic: %q", got)
	}
}

func TestInterruptEndsRunaways(t *testing.T) {
	for name, src := range map[string]string{
		"loop":          "while(true){}",
		"catching loop": "for(;;){ try { for(;;){} } catch {} }",
		"regex":         `/^(a+)+$/.test("a".repeat(40) + "b")`,
		"native loop":   `for(;;) "x".repeat(1e6).split("")`,
		"sort":          `for(;;) new Array(1e6).fill(0).map(Math.random).sort()`,
	} {
		t.Run(name, func(t *testing.T) {
			e := newEngine(t, Config{Memory: 256 << 20})
			first := time.AfterFunc(50*time.Millisecond, e.Interrupt)
			second := time.AfterFunc(100*time.Millisecond, e.Interrupt)
			defer first.Stop()
			defer second.Stop()
			if _, err := e.CallRT("run", src); err == nil {
				t.Fatal("ended without an error")
			}
		})
	}
}

func TestResumeMakesTheEngineUsable(t *testing.T) {
	e := newEngine(t, Config{})
	e.Interrupt()
	e.Interrupt()
	e.Resume()
	if got := run(t, e, `"x".repeat(1000).length`); got != "1000" {
		t.Fatalf("got %q", got)
	}
}

func TestMicrotaskLoopIsInterrupted(t *testing.T) {
	e := newEngine(t, Config{})
	run(t, e, "(async () => { for(;;) await null })(), 1")
	defer time.AfterFunc(50*time.Millisecond, e.Interrupt).Stop()
	js, ok := errors.AsType[*Error](e.RunJobs())
	if !ok || !js.Interrupted() {
		t.Fatalf("got %v", js)
	}
}

func TestMemoryLimit(t *testing.T) {
	e := newEngine(t, Config{Memory: 16 << 20})
	_, err := e.CallRT("run", "const a = []; for(;;) a.push(new Array(1000).fill(1))")
	js, ok := errors.AsType[*Error](err)
	if !ok || !js.OutOfMemory() {
		t.Fatalf("got %v", err)
	}
}

func TestRecursionIsAnException(t *testing.T) {
	e := newEngine(t, Config{})
	if got := run(t, e, "function f() { return f() + 1 } try { f() } catch (e) { e.message }"); !strings.Contains(got, "stack overflow") {
		t.Fatalf("got %q", got)
	}
}

func TestUnhandledRejectionIsNoted(t *testing.T) {
	told := 0
	e := newEngine(t, Config{Rejected: func() { told++ }})
	run(t, e, `(async () => { throw new Error("lost") })(), Promise.reject(new Error("caught")).catch(() => {}), 1`)
	if err := e.RunJobs(); err != nil {
		t.Fatal(err)
	}
	notes, err := e.CallRT("notes")
	if err != nil {
		t.Fatal(err)
	}
	if want := "Error: lost:0,Error: caught:0,Error: caught:1"; notes != want || told != 3 {
		t.Fatalf("noted %q, told %d times", notes, told)
	}
}

func TestInterruptAfterCloseDoesNothing(t *testing.T) {
	e := newEngine(t, Config{})
	if err := errors.Join(e.Close(), e.Close()); err != nil {
		t.Fatal(err)
	}
	e.Interrupt()
	e.Resume()
}

func TestEnginesDoNotShareState(t *testing.T) {
	a, b := newEngine(t, Config{}), newEngine(t, Config{})
	run(t, a, "Object.prototype.decision = 'allow', 1")
	if got := run(t, b, "String(({}).decision)"); got != "undefined" {
		t.Fatalf("got %q", got)
	}
	runtime.GC()
}
