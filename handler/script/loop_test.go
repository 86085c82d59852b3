package script

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/hookline-dev/hookline/ui"
)

// testUI answers dialogs through functions.
type testUI struct {
	ui.UI
	confirm func(ctx context.Context, title, message string) (bool, error)
	mu      sync.Mutex
	notices []string
	status  map[string]string
}

func (u *testUI) HasUI() bool { return true }
func (u *testUI) Confirm(ctx context.Context, title, message string, _ ui.Dialog) (bool, error) {
	return u.confirm(ctx, title, message)
}

func (u *testUI) Select(_ context.Context, _ string, choices []string, d ui.Dialog) (int, bool, error) {
	if len(choices) == 0 {
		return 0, false, nil
	}
	return (d.InitialIndex + 1) % len(choices), true, nil
}

func (u *testUI) Input(_ context.Context, title, placeholder string, _ ui.Dialog) (string, bool, error) {
	return title + "/" + placeholder, true, nil
}

func (u *testUI) Editor(context.Context, string, string, ui.Dialog) (string, bool, error) {
	return "", false, nil
}

func (u *testUI) Notify(message string, level ui.Level) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.notices = append(u.notices, string(level)+": "+message)
}

func (u *testUI) SetStatus(key, text string) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.status == nil {
		u.status = map[string]string{}
	}
	u.status[key] = text
}
func (u *testUI) SetEditorText(string) {}
func (u *testUI) EditorText() string   { return "typed" }
func (u *testUI) SetTitle(string)      {}
func (u *testUI) Theme() ui.Theme {
	return ui.Theme{Name: "dark", Styles: map[string]string{"accent": "36"}}
}

// testHost is a host with a UI, a session and a messenger.
type testHost struct {
	u *testUI
	// onQuery runs inside a synchronous call of the module.
	onQuery func()

	mu   sync.Mutex
	sent []string
}

func (h *testHost) UI() ui.UI {
	if h.u == nil {
		return nil
	}
	return h.u
}
func (h *testHost) Cwd() string { return "/work" }
func (h *testHost) SessionQuery(method string, args []byte) ([]byte, error) {
	if h.onQuery != nil {
		h.onQuery()
	}
	switch method {
	case "getSessionFile":
		return []byte(`"/sessions/1.jsonl"`), nil
	case "getEntries":
		return []byte(`[{"id":"a"}]`), nil
	}
	return nil, nil
}

func (h *testHost) note(format string, args ...any) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.sent = append(h.sent, fmt.Sprintf(format, args...))
	return nil
}

func (h *testHost) all() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return strings.Join(h.sent, "\n")
}

func (h *testHost) SendMessage(m []byte, d Delivery) error {
	return h.note("send %s %v %s", m, d.TriggerTurn, d.As)
}

func (h *testHost) SendUserMessage(c []byte, d Delivery) error { return h.note("user %s %s", c, d.As) }

func (h *testHost) AppendEntry(t string, d []byte) error { return h.note("entry %s %s", t, d) }
func (h *testHost) WaitForIdle(context.Context) error    { return h.note("idle") }
func (h *testHost) SessionDo(_ context.Context, method string, args []byte) (bool, error) {
	return false, h.note("%s %s", method, args)
}

func withUI(confirm func(ctx context.Context, title, message string) (bool, error)) Options {
	return Options{Host: &testHost{u: &testUI{confirm: confirm}}, Grants: Grants{UI: true}}
}

// Rule (a): a synchronous call answers from memory, whatever else goes on.
func TestSynchronousCallsAnswerWhileADialogIsOpen(t *testing.T) {
	open, release := make(chan struct{}), make(chan struct{})
	m := loadSource(t, `export default (pi) => {
		pi.on("tool_call", async (e, ctx) => ({ block: !(await ctx.ui.confirm("a", "b")) }));
		pi.on("turn_start", (e, ctx) => ({ file: ctx.sessionManager.getSessionFile(), cwd: ctx.cwd }));
	}`, withUI(func(ctx context.Context, _, _ string) (bool, error) {
		close(open)
		select {
		case <-release:
			return true, nil
		case <-ctx.Done():
			return false, ctx.Err()
		}
	}))
	done := make(chan string, 1)
	go func() {
		r, err := m.Dispatch(context.Background(), Call{Event: "tool_call", Payload: []byte(bashCall)})
		done <- fmt.Sprint(string(r.Result), err)
	}()
	<-open
	if got := fire(t, m, "turn_start", "{}"); got != `{"file":"/sessions/1.jsonl","cwd":"/work"}` {
		t.Errorf("got %s", got)
	}
	close(release)
	if got := <-done; got != `{"block":false}<nil>` {
		t.Errorf("the waiting handler answered %s", got)
	}
}

// Rule (b): a call from inside a synchronous call is refused, not waited for.
func TestReentrantCallIsRefused(t *testing.T) {
	host := &testHost{}
	m := loadSource(t, `export default (pi) => {
		pi.on("a", (e, ctx) => ({ n: ctx.sessionManager.getEntries().length }));
		pi.on("b", () => ({ ok: true }));
	}`, Options{Host: host})
	var inner error
	host.onQuery = func() {
		_, inner = m.Dispatch(context.Background(), Call{Event: "b", Payload: []byte("{}")})
	}
	if got := fire(t, m, "a", "{}"); got != `{"n":1}` {
		t.Errorf("got %s", got)
	}
	if !errors.Is(inner, errReentrant) {
		t.Errorf("the inner call: %v", inner)
	}
	host.onQuery = func() {
		done := make(chan error)
		go func() {
			ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
			defer cancel()
			_, err := m.Dispatch(ctx, Call{Event: "b", Payload: []byte("{}")})
			done <- err
		}()
		if err := <-done; !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("a call of another goroutine: %v", err)
		}
	}
	fire(t, m, "a", "{}")
}

// Rule (c): a handler may run while an earlier one waits, also the same one.
func TestCallsInterleave(t *testing.T) {
	const calls = 5
	var waiting sync.WaitGroup
	waiting.Add(calls)
	m := loadSource(t, `let n = 0; export default (pi) => {
		pi.on("tool_call", async (e, ctx) => { const me = ++n; await ctx.ui.confirm("a", "b"); return { reason: e.toolCallId + me } });
	}`, withUI(func(context.Context, string, string) (bool, error) {
		waiting.Done()
		waiting.Wait() // all dialogs are open at once
		return true, nil
	}))
	var got sync.Map
	var wg sync.WaitGroup
	for n := range calls {
		wg.Go(func() {
			r, err := m.Dispatch(context.Background(), Call{Event: "tool_call", Payload: fmt.Appendf(nil, `{"toolCallId":"t%d-"}`, n)})
			if err != nil {
				t.Error(err)
			}
			got.Store(string(r.Result), true)
		})
	}
	wg.Wait()
	n := 0
	got.Range(func(any, any) bool { n++; return true })
	if n != calls {
		t.Errorf("%d different answers", n)
	}
}

// Rule (d): a command's request may come back to the module as an event.
func TestCommandMayCauseEvents(t *testing.T) {
	host := &eventfulHost{}
	m := load(t, write(t, "hook.ts", `export default (pi) => {
		let seen = "nothing";
		pi.on("session_before_switch", (e) => { seen = e.reason; return { cancel: true } });
		pi.registerCommand("fresh", { handler: async (args, ctx) => {
			const r = await ctx.newSession();
			ctx.sessionManager.getLabel(seen + r.cancelled + args);
		} });
	}`), Options{Host: host})
	host.m = m
	if err := m.RunCommand(context.Background(), "fresh", "!"); err != nil {
		t.Fatal(err)
	}
	if host.label != `["newtrue!"]` {
		t.Errorf("got %s", host.label)
	}
}

type eventfulHost struct {
	NoHost
	m     *Module
	label string
}

func (h *eventfulHost) Cwd() string { return "" }
func (h *eventfulHost) SessionQuery(_ string, args []byte) ([]byte, error) {
	h.label = string(args)
	return nil, nil
}
func (h *eventfulHost) WaitForIdle(context.Context) error { return nil }
func (h *eventfulHost) SessionDo(ctx context.Context, _ string, _ []byte) (bool, error) {
	r, err := h.m.Dispatch(ctx, Call{Event: "session_before_switch", Payload: []byte(`{"reason":"new"}`)})
	return string(r.Result) == `{"cancel":true}`, err
}

// Rule (e): the event's signal is aborted from Go, and the handler may answer.
func TestSignalReachesTheHandler(t *testing.T) {
	m := loadSource(t, `export default (pi) => {
		pi.on("session_before_compact", (e) => new Promise((done) => {
			e.signal.addEventListener("abort", () => done({ cancel: true }));
			pi.appendEntry("ready");
		}));
	}`, Options{Host: &testHost{}})
	signal, abort := context.WithCancel(context.Background())
	time.AfterFunc(20*time.Millisecond, abort)
	r, err := m.Dispatch(context.Background(), Call{Event: "session_before_compact", Payload: []byte("{}"), Signal: signal})
	if err != nil || string(r.Result) != `{"cancel":true}` {
		t.Errorf("got %s, %v", r.Result, err)
	}
}

// Rule (f): a panic of the host is an exception in the module.
func TestHostPanicIsAnException(t *testing.T) {
	host := &testHost{onQuery: func() { panic("host bug") }}
	m := loadSource(t, `export default (pi) => {
		pi.on("a", (e, ctx) => { try { ctx.sessionManager.getEntries() } catch (err) { return { caught: err.message.split("\n")[0] } } });
	}`, Options{Host: host})
	if got := fire(t, m, "a", "{}"); got != `{"caught":"internal error in the host: host bug"}` {
		t.Errorf("got %s", got)
	}
}

// Rule (g): what still arrives for a dropped engine is ignored.
func TestLateAnswersOfADroppedEngineAreIgnored(t *testing.T) {
	open, release := make(chan struct{}), make(chan struct{})
	o := withUI(func(context.Context, string, string) (bool, error) {
		close(open)
		<-release // deaf to its context
		return true, nil
	})
	o.Grants.CPUSlice = 50 * time.Millisecond
	m := loadSource(t, `export default (pi) => {
		pi.on("ask", async (e, ctx) => ({ ok: await ctx.ui.confirm("a", "b") }));
		pi.on("spin", () => { while (true) {} });
		pi.on("fine", () => ({ fine: true }));
	}`, o)
	waiting := make(chan error, 1)
	go func() {
		_, err := m.Dispatch(context.Background(), Call{Event: "ask", Payload: []byte("{}")})
		waiting <- err
	}()
	<-open
	if _, err := m.Dispatch(context.Background(), Call{Event: "spin", Payload: []byte("{}")}); err == nil {
		t.Fatal("a runaway ended without an error")
	}
	if e, ok := errors.AsType[*condemnedError](<-waiting); !ok || e.Reason != overBudget {
		t.Errorf("the waiting call got %v", e)
	}
	if got := fire(t, m, "fine", "{}"); got != `{"fine":true}` {
		t.Errorf("got %s", got)
	}
	close(release)
	if got := fire(t, m, "fine", "{}"); got != `{"fine":true}` {
		t.Errorf("after the late answer: %s", got)
	}
}

// Rule (h): a call has no deadline of its own; its context ends it, closes its
// dialogs, and is told from other failures.
func TestContextOfTheCallEndsItsDialogs(t *testing.T) {
	closed := make(chan struct{})
	m := loadSource(t, `export default (pi) => {
		pi.on("ask", async (e, ctx) => ({ ok: await ctx.ui.confirm("a", "b") }));
	}`, withUI(func(ctx context.Context, _, _ string) (bool, error) {
		<-ctx.Done()
		close(closed)
		return false, ctx.Err()
	}))
	cause := errors.New("the person pressed escape")
	ctx, cancel := context.WithCancelCause(context.Background())
	time.AfterFunc(20*time.Millisecond, func() { cancel(cause) })
	if _, err := m.Dispatch(ctx, Call{Event: "ask", Payload: []byte("{}")}); !errors.Is(err, cause) {
		t.Errorf("got %v", err)
	}
	<-closed
}

func TestTimersPromisesAndRejections(t *testing.T) {
	seen := newReports()
	m := loadSource(t, `export default (pi) => {
		pi.on("timers", async () => {
			const order = [];
			queueMicrotask(() => order.push("micro"));
			const gone = setTimeout(() => order.push("gone"), 1);
			clearTimeout(gone);
			let n = 0;
			await new Promise((done) => { const i = setInterval(() => { order.push("tick"); if (++n === 2) { clearInterval(i); done() } }, 1) });
			await new Promise((done) => setTimeout(done, 5, order.push("end")));
			return { order };
		});
		pi.on("lost", () => { (async () => { throw new TypeError("lost") })() });
		pi.on("late", () => { setTimeout(() => { throw new Error("late") }, 1) });
		pi.on("caught", async () => { try { await Promise.reject(new Error("fine")) } catch {} return { ok: true } });
	}`, Options{OnReport: seen.add})
	if got := fire(t, m, "timers", "{}"); got != `{"order":["micro","tick","tick","end"]}` {
		t.Errorf("got %s", got)
	}
	if got := fire(t, m, "caught", "{}"); got != `{"ok":true}` {
		t.Errorf("got %s", got)
	}
	fire(t, m, "lost", "{}")
	r := seen.wait(t, ReportRejection)
	if e, ok := errors.AsType[*Error](r.Err); !ok || e.Name != "TypeError" || e.Message != "lost" || e.Position.Line != 12 {
		t.Errorf("rejection %v", r.Err)
	}
	fire(t, m, "late", "{}")
	r = seen.wait(t, ReportCallback)
	if e, ok := errors.AsType[*Error](r.Err); !ok || e.Message != "late" || e.Position.Line != 13 {
		t.Errorf("callback %v", r.Err)
	}
	for _, r := range seen.all() {
		if strings.Contains(fmt.Sprint(r.Err), "fine") {
			t.Errorf("a handled rejection was reported: %v", r)
		}
	}
}

func TestCloseEndsEverything(t *testing.T) {
	o := withUI(func(ctx context.Context, _, _ string) (bool, error) {
		<-ctx.Done()
		return false, ctx.Err()
	})
	m, err := Load(context.Background(), write(t, "hook.ts", `export default (pi) => {
		setInterval(() => {}, 1);
		pi.on("ask", async (e, ctx) => ({ ok: await ctx.ui.confirm("a", "b") }));
		pi.on("spin", () => { while (true) {} });
	}`), o)
	if err != nil {
		t.Fatal(err)
	}
	errs := make(chan error, 2)
	for _, event := range []string{"ask", "spin"} {
		go func() {
			_, err := m.Dispatch(context.Background(), Call{Event: event, Payload: []byte("{}")})
			errs <- err
		}()
	}
	time.Sleep(20 * time.Millisecond)
	if err := m.Close(); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := <-errs; !errors.Is(err, errClosed) {
			t.Errorf("a waiting call got %v", err)
		}
	}
	if _, err := m.Dispatch(context.Background(), Call{Event: "ask", Payload: []byte("{}")}); !errors.Is(err, errClosed) {
		t.Errorf("after Close: %v", err)
	}
	if err := m.Close(); err != nil {
		t.Errorf("the second Close: %v", err)
	}
}

func TestConcurrentCallsAfterACondemnationShareOneReload(t *testing.T) {
	m := loadSource(t, `export default (pi) => {
		pi.on("spin", () => { while (true) {} });
		pi.on("fine", () => ({ fine: true }));
	}`, Options{Grants: Grants{CPUSlice: 50 * time.Millisecond}})
	if _, err := m.Dispatch(context.Background(), Call{Event: "spin", Payload: []byte("{}")}); err == nil {
		t.Fatal("a runaway ended without an error")
	}
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			if r, err := m.Dispatch(context.Background(), Call{Event: "fine", Payload: []byte("{}")}); err != nil || string(r.Result) != `{"fine":true}` {
				t.Errorf("got %s, %v", r.Result, err)
			}
		})
	}
	wg.Wait()
	if s := m.Stats(); s.Generation != 2 {
		t.Errorf("stats %+v", s)
	}
}

func TestChangesInPlace(t *testing.T) {
	for name, c := range map[string]struct{ body, result, changed string }{
		"nothing":   {"", ``, ``},
		"push":      {"e.messages.push({ role: 'user' })", ``, `[{"role":"system","n":1},{"role":"user"}]`},
		"deep":      {"e.messages[0].n = 2", ``, `[{"role":"system","n":2}]`},
		"replaced":  {"e.messages = []", ``, `[]`},
		"returned":  {"e.messages.pop(); return { messages: [1] }", `{"messages":[1]}`, ``},
		"unrelated": {"e.messages.pop(); return { other: 1 }", `{"other":1}`, `[]`},
		"same":      {"e.messages = JSON.parse(JSON.stringify(e.messages))", ``, ``},
		"deleted":   {"delete e.messages", ``, ``},
	} {
		t.Run(name, func(t *testing.T) {
			m := loadSource(t, "export default (pi) => { pi.on('context', (e) => { "+c.body+" }) }", Options{})
			r, err := m.Dispatch(context.Background(), Call{Event: "context", Payload: []byte(`{"messages": [{"role":"syst\u0065m", "n":1.0}]}`), Track: "messages"})
			if err != nil || string(r.Result) != c.result || string(r.Changed) != c.changed {
				t.Errorf("got %s, %s, %v", r.Result, r.Changed, err)
			}
		})
	}
}

// What is larger than the limit for results is none as long as nobody changes it.
func TestTrackedPayloadOverTheLimit(t *testing.T) {
	m := loadSource(t, `export default (pi) => { pi.on("context", (e) => { if (e.push) e.messages.push(1) }) }`, Options{MaxResult: 100})
	big := strings.Repeat("x", 200)
	r, err := m.Dispatch(context.Background(), Call{Event: "context", Payload: []byte(`{"messages":["` + big + `"]}`), Track: "messages"})
	if err != nil || r.Changed != nil {
		t.Errorf("unchanged: %s, %v", r.Changed, err)
	}
	_, err = m.Dispatch(context.Background(), Call{Event: "context", Payload: []byte(`{"messages":["` + big + `"],"push":true}`), Track: "messages"})
	if err == nil || !strings.Contains(err.Error(), "limit for results") {
		t.Errorf("changed: %v", err)
	}
}

func TestWaitingForABusyModuleEndsWithTheContext(t *testing.T) {
	m := loadSource(t, `export default (pi) => {
		pi.on("busy", () => { const end = Date.now() + 500; while (Date.now() < end) {} });
		pi.on("fine", () => ({ fine: true }));
	}`, Options{})
	var wg sync.WaitGroup
	wg.Go(func() { fire(t, m, "busy", "{}") })
	time.Sleep(20 * time.Millisecond)
	ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer cancel()
	var late atomic.Int64
	for range 3 * queueSize { // more than fit the queue
		wg.Go(func() {
			if _, err := m.Dispatch(ctx, Call{Event: "fine", Payload: []byte("{}")}); errors.Is(err, context.DeadlineExceeded) {
				late.Add(1)
			}
		})
	}
	wg.Wait()
	if late.Load() == 0 {
		t.Error("no call ended with its context")
	}
	if got := fire(t, m, "fine", "{}"); got != `{"fine":true}` {
		t.Errorf("got %s", got)
	}
}

func TestPrintedTracesNameTheModulesFiles(t *testing.T) {
	seen := newReports()
	m := loadSource(t, "export default (pi) => {\n\tpi.on('e', function gate() {\n\t\tconsole.error(new Error('look'));\n\t});\n}", Options{OnReport: seen.add})
	fire(t, m, "e", "{}")
	r := seen.wait(t, ReportLog)
	if want := "Error: look\n    at gate (" + m.Path() + ":3:"; r.Level != "error" || !strings.HasPrefix(r.Message, want) || strings.Contains(r.Message, "hookline:") {
		t.Errorf("printed %q", r.Message)
	}
}
