package script

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"
)

// hostile modules have two handlers: the first misbehaves, the second is asked
// afterwards and must answer.
func hostile(body string) string {
	return "export default (pi) => {\n\tpi.on('tool_call', async (event) => {\n" + body + "\n\t});\n\tpi.on('turn_start', () => ({ alive: true }));\n}"
}

func stillAlive(t *testing.T, m *Module) {
	t.Helper()
	if got := fire(t, m, "turn_start", "{}"); got != `{"alive":true}` {
		t.Errorf("the next event was answered %s", got)
	}
}

func TestRunawaysAreEndedAndTheModuleLivesOn(t *testing.T) {
	for name, c := range map[string]struct {
		body   string
		reason condemnation
		slice  time.Duration
		memory int64
	}{
		"loop":               {"while (true) {}", overBudget, 200 * time.Millisecond, 512 << 20},
		"caught loop":        {"for (;;) { try { for (;;) {} } catch {} }", overBudget, 200 * time.Millisecond, 512 << 20},
		"microtasks":         {"for (;;) await null", overBudget, 200 * time.Millisecond, 512 << 20},
		"many microtasks":    {"for (;;) await null", overBudget, 2 * time.Second, 512 << 20},
		"split":              {`for (;;) "x".repeat(1e6).split("")`, overBudget, 200 * time.Millisecond, 512 << 20},
		"backtracking regex": {`return { block: /^(\w+\s?)*$/.test("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!") }`, overBudget, 200 * time.Millisecond, 512 << 20},
		"memory":             {"const a = []; for (;;) a.push(new Array(1000).fill(a.length))", outOfMemory, time.Minute, 16 << 20},
		"one gigabyte":       {`return { reason: "x".repeat(1 << 29).concat("y".repeat(1 << 29)) + "z" }`, "", time.Minute, 16 << 20},
		"sorting":            {"for (;;) new Array(1e5).fill(0).map(() => ({})).sort()", overBudget, 200 * time.Millisecond, 512 << 20},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			seen := newReports()
			m := loadSource(t, hostile(c.body), Options{
				Grants: Grants{CPUSlice: c.slice, Memory: c.memory}, OnReport: seen.add,
			})
			_, err := m.Dispatch(context.Background(), Call{Event: "tool_call", Payload: []byte(bashCall)})
			if err == nil {
				t.Fatal("ended without an error")
			}
			e, ok := errors.AsType[*condemnedError](err)
			if c.reason != "" && (!ok || e.Reason != c.reason) {
				t.Fatalf("got %v", err)
			}
			stillAlive(t, m)
			if ok {
				seen.wait(t, ReportCondemned)
				seen.wait(t, ReportReloaded)
				if s := m.Stats(); s.Generation != 2 || s.Condemned != 1 || s.Leaked != 0 {
					t.Errorf("stats %+v", s)
				}
			}
		})
	}
}

func TestMisbehaviourIsAnError(t *testing.T) {
	for name, c := range map[string]struct{ body, want string }{
		"recursion":       {"const f = () => f() + 1; return f()", "stack overflow"},
		"throws null":     {"throw null", "null"},
		"throws text":     {"throw 'plain'", "plain"},
		"throws a proxy":  {"throw new Proxy({}, { get() { throw new Error('trap') }, has() { throw 1 } })", "cannot be described"},
		"cyclic result":   {"const a = { block: true }; a.a = a; return a", "circular"},
		"throwing getter": {"return { get block() { throw new Error('no') } }", "is a getter"},
		"nested getter":   {"return { reason: { get x() { throw new Error('inner no') } } }", "inner no"},
		"getter in class": {"return new (class { get block() { return true } })()", "is inherited"},
		"proxy":           {"return new Proxy({}, { ownKeys() { throw new Error('no keys') } })", "no keys"},
		"bigint":          {"return { reason: 1n }", "BigInt"},
		"throwing then":   {"return { get then() { throw new Error('no then') } }", "no then"},
		"huge result":     {"return { reason: 'x'.repeat(200000) }", "limit for results"},
	} {
		t.Run(name, func(t *testing.T) {
			m := loadSource(t, hostile(c.body), Options{MaxResult: 100_000})
			_, err := m.Dispatch(context.Background(), Call{Event: "tool_call", Payload: []byte(bashCall)})
			if _, ok := errors.AsType[*Error](err); !ok || !strings.Contains(strings.ToLower(err.Error()), strings.ToLower(c.want)) {
				t.Fatalf("got %v, want %q", err, c.want)
			}
			stillAlive(t, m)
		})
	}
}

func TestAnswersAreOwnPlainData(t *testing.T) {
	for name, c := range map[string]struct{ body, want string }{
		"polluted prototype": {"Object.prototype.block = true; return { reason: 'x' }", `{"reason":"x"}`},
		"polluted and empty": {"Object.prototype.block = true; return {}", `{}`},
		"toJSON on object":   {"Object.prototype.toJSON = () => ({ block: false }); return { block: true }", `{"block":true}`},
		"toJSON on string":   {"String.prototype.toJSON = () => 'no'; return { reason: 'yes' }", `{"reason":"yes"}`},
		"a harmless proxy":   {"return new Proxy({ block: true }, {})", `{"block":true}`},
		"own fields":         {"return new (class { block = true })()", `{"block":true}`},
		"functions":          {"return { block: true, f() {} }", `{"block":true}`},
		"a function":         {"return () => {}", ``},
		"zero":               {"return 0", ``},
		"empty text":         {"return ''", ``},
		"true":               {"return true", `true`},
		"stolen JSON":        {"JSON.stringify = () => '{}'; return { block: true }", `{"block":true}`},
		"stolen promise":     {"Promise.prototype.then = () => {}; Promise.resolve = () => {}; return { block: true }", `{"block":true}`},
		"stolen map":         {"Map.prototype.get = Array.prototype.push = () => {}; return { block: true }", `{"block":true}`},
		"lone surrogate":     {`return { reason: "\ud800" }`, `{"reason":"\ud800"}`},
	} {
		t.Run(name, func(t *testing.T) {
			m := loadSource(t, hostile(c.body), Options{})
			if got := fire(t, m, "tool_call", bashCall); got != c.want {
				t.Fatalf("got %s, want %s", got, c.want)
			}
			stillAlive(t, m)
		})
	}
}

func TestNeverSettlingPromiseEndsWithTheCall(t *testing.T) {
	m := loadSource(t, hostile("await new Promise(() => {})"), Options{})
	ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer cancel()
	_, err := m.Dispatch(ctx, Call{Event: "tool_call", Payload: []byte(bashCall)})
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Fatalf("got %v", err)
	}
	stillAlive(t, m)
	if s := m.Stats(); s.Generation != 1 {
		t.Errorf("the module was loaded again for nothing: %+v", s)
	}
}

func TestRunawayAtLoadIsAnError(t *testing.T) {
	for name, src := range map[string]string{
		"body":    "while (true) {}\nexport default () => {}",
		"factory": "export default () => { while (true) {} }",
	} {
		t.Run(name, func(t *testing.T) {
			_, err := Load(context.Background(), write(t, "hook.ts", src), Options{Cache: sharedCache, Grants: Grants{CPUSlice: 40 * time.Millisecond}})
			if err == nil || !strings.Contains(err.Error(), string(overBudget)) {
				t.Fatalf("got %v", err)
			}
		})
	}
}

func TestNeverEndingLoadTimesOut(t *testing.T) {
	_, err := Load(context.Background(), write(t, "hook.ts", "await new Promise(() => {});\nexport default () => {}"), Options{Cache: sharedCache, LoadTimeout: 50 * time.Millisecond})
	if err == nil || !strings.Contains(err.Error(), "did not finish loading within 50ms") {
		t.Fatalf("got %v", err)
	}
}

func TestReloadThatFailsIsTold(t *testing.T) {
	// The module counts its loads in a file only it knows: here, in the name of
	// a global that a new engine does not have, so each load starts the same.
	m := loadSource(t, hostile("while (true) {}"), Options{Grants: Grants{CPUSlice: 50 * time.Millisecond}})
	for range 3 {
		if _, err := m.Dispatch(context.Background(), Call{Event: "tool_call", Payload: []byte(bashCall)}); err == nil {
			t.Fatal("a runaway ended without an error")
		}
	}
	stillAlive(t, m)
	if s := m.Stats(); s.Condemned != 3 {
		t.Errorf("stats %+v", s)
	}
}

func TestNativeCodeThatCannotBeStoppedIsLeftBehind(t *testing.T) {
	if testing.Short() || raceEnabled {
		t.Skip("takes seconds, and minutes under the race detector")
	}
	m, err := Load(context.Background(), write(t, "hook.ts", hostile("return { reason: String(Array.prototype.indexOf.call({ length: 5e7 }, 1)) }")), Options{Cache: sharedCache, Grants: Grants{CPUSlice: 50 * time.Millisecond}})
	if err != nil {
		t.Fatal(err)
	}
	start := time.Now()
	_, err = m.Dispatch(context.Background(), Call{Event: "tool_call", Payload: []byte(bashCall)})
	t.Logf("returned after %v: %v", time.Since(start), err)
	if err == nil {
		t.Fatal("ended without an error")
	}
	stillAlive(t, m)
	if s := m.Stats(); s.Condemned != 1 {
		t.Errorf("stats %+v", s)
	}
	for limit := time.Now().Add(5 * time.Minute); m.Stats().Leaked > 0; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(limit) {
			t.Fatal("the goroutine that was left behind never ended")
		}
	}
	if err := m.Close(); err != nil {
		t.Error(err)
	}
}
