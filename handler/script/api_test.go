package script

import (
	"context"
	"errors"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

func TestDefaultsWithoutUI(t *testing.T) {
	m := loadSource(t, `export default (pi) => { pi.on("e", async (_, { ui, hasUI, model, isIdle, hasQueuedMessages, sessionManager, abort }) => {
		ui.notify("x"); ui.setStatus("k", "v"); ui.setEditorText("t"); abort();
		return {
			hasUI, select: String(await ui.select("t", ["a"])), confirm: await ui.confirm("t", "m"), input: String(await ui.input("t")),
			editor: String(await ui.editor("t", "p")), custom: String(await ui.custom(() => { throw 1 })), text: ui.getEditorText(),
			theme: ui.theme.fg("accent", "plain") + ui.theme.bold("!"), setTheme: ui.setTheme("x").success, model: String(model),
			idle: isIdle(), queued: hasQueuedMessages(), file: String(sessionManager.getSessionFile()), entries: sessionManager.getEntries(),
		};
	}) }`, Options{})
	want := `{"hasUI":false,"select":"undefined","confirm":false,"input":"undefined","editor":"undefined","custom":"undefined","text":"",` +
		`"theme":"plain!","setTheme":false,"model":"undefined","idle":true,"queued":false,"file":"undefined","entries":[]}`
	if got := fire(t, m, "e", "{}"); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestUIWithoutTheGrantIsNoUI(t *testing.T) {
	o := withUI(func(context.Context, string, string) (bool, error) { return true, nil })
	o.Grants.UI = false
	m := loadSource(t, `export default (pi) => { pi.on("e", async (_, ctx) => ({ ui: ctx.hasUI, ok: await ctx.ui.confirm("a", "b") })) }`, o)
	if got := fire(t, m, "e", "{}"); got != `{"ui":false,"ok":false}` {
		t.Errorf("got %s", got)
	}
}

func TestDialogsAndNotices(t *testing.T) {
	u := &testUI{}
	m := loadSource(t, `export default (pi) => { pi.on("e", async (_, { ui }) => {
		ui.notify("careful", "warning"); ui.setStatus("a", "busy"); ui.setStatus("b", undefined);
		return {
			select: await ui.select("t", ["x", "y", "z"]), input: await ui.input("name", "none"), editor: String(await ui.editor("t")),
			first: await ui.select("t", ["x", "y", "z"], { initialIndex: 1 }), text: ui.getEditorText(), theme: ui.theme.fg("accent", "c"), plain: ui.theme.fg("other", "c"),
		};
	}) }`, Options{Host: &testHost{u: u}, Grants: Grants{UI: true}})
	want := `{"select":"y","input":"name/none","editor":"undefined","first":"z","text":"typed","theme":"\u001b[36mc\u001b[39m","plain":"c"}`
	if got := fire(t, m, "e", "{}"); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if strings.Join(u.notices, "|") != "warning: careful" || u.status["a"] != "busy" || u.status["b"] != "" {
		t.Errorf("notices %v, status %v", u.notices, u.status)
	}
}

func TestDialogOptionsEndADialog(t *testing.T) {
	m := loadSource(t, `export default (pi) => { pi.on("e", async (_, { ui }) => {
		const stop = new AbortController();
		setTimeout(() => stop.abort(), 10);
		return [await ui.confirm("a", "b", { timeout: 10 }), await ui.confirm("a", "b", { signal: stop.signal }), await ui.confirm("a", "b", { signal: AbortSignal.abort() })];
	}) }`, withUI(func(ctx context.Context, _, _ string) (bool, error) {
		<-ctx.Done()
		return true, ctx.Err()
	}))
	if got := fire(t, m, "e", "{}"); got != `[false,false,false]` {
		t.Errorf("got %s", got)
	}
}

// screenHost shows a component: it draws it, types into it, and waits.
type screenHost struct {
	testHost
	lines []string
}

func (h *screenHost) ShowCustom(ctx context.Context, c Component) (err error) {
	d, err := c.Render(ctx, 20, 10)
	if h.lines = d.Lines; err != nil {
		return err
	}
	if err := c.Input(ctx, "q"); err != nil {
		return err
	}
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(5 * time.Minute):
		return errors.New("the component did not close")
	}
}

func TestCustomComponentsInBothArgumentOrders(t *testing.T) {
	for name, src := range map[string]string{
		"hook": `import type { HookAPI } from "@oh-my-pi/pi-coding-agent/hooks";
			export default (pi: HookAPI) => { pi.on("e", async (_, ctx) => ({ got: await ctx.ui.custom((tui, theme, done) => ({
				render: (w) => ["w" + w, theme.fg("accent", "c")], handleInput: (d) => { tui.requestRender(); done("typed " + d) }, invalidate() {},
			})) })) }`,
		"extension": `import type { ExtensionAPI } from "@mariozechner/pi-coding-agent";
			import { matchesKey } from "@mariozechner/pi-tui";
			export default (pi: ExtensionAPI) => { pi.on("e", async (_, ctx) => ({ got: await ctx.ui.custom((tui, theme, keybindings, done) => ({
				render: (w) => ["w" + w, theme.fg("accent", "c")], handleInput: (d) => { if (matchesKey(d, "q") && !keybindings.matches(d, "tui.select.up")) done("typed " + d) }, invalidate() {},
			})) })) }`,
		"by arity": `export default (pi) => { pi.on("e", async (_, ctx) => ({ got: await ctx.ui.custom((tui, theme, keys, done) => ({
				render: (w) => ["w" + w, theme.fg("accent", "c")], handleInput: (d) => done("typed " + d), invalidate() {},
			})) })) }`,
	} {
		t.Run(name, func(t *testing.T) {
			host := &screenHost{testHost: testHost{u: &testUI{}}}
			m := loadSource(t, src, Options{Host: host, Grants: Grants{UI: true}})
			if got := fire(t, m, "e", "{}"); got != `{"got":"typed q"}` {
				t.Errorf("got %s", got)
			}
			if got := strings.Join(host.lines, "|"); got != "w20|\x1b[36mc\x1b[39m" {
				t.Errorf("drew %q", got)
			}
		})
	}
}

func TestToolArguments(t *testing.T) {
	for _, from := range []string{"@oh-my-pi/pi-coding-agent", "@mariozechner/pi-coding-agent"} {
		t.Run(from, func(t *testing.T) {
			m := loadSource(t, `import type { ExtensionAPI } from "`+from+`";
			import { Type } from "@sinclair/typebox";
			export default (pi: ExtensionAPI) => pi.registerTool({
				name: "greet", label: "Greet", description: "Greets", parameters: Type.Object({ who: Type.String(), loud: Type.Optional(Type.Boolean()) }),
				async execute(id, params, signal, onUpdate, ctx) {
					onUpdate({ content: [{ type: "text", text: "..." }] });
					return { content: [{ type: "text", text: id + " " + params.who + " " + ctx.cwd + " " + signal.aborted }], details: {} };
				},
				renderCall: (args, theme) => ({ render: (w) => ["call " + args.who + w] }),
			})`, Options{Cwd: "/here"})
			tools := m.Info().Tools
			want := `{"type":"object","required":["who"],"properties":{"who":{"type":"string"},"loud":{"type":"boolean"}}}`
			if len(tools) != 1 || string(tools[0].Parameters) != want || tools[0].Label != "Greet" {
				t.Fatalf("tools %+v", tools)
			}
			var updates []string
			got, err := m.RunTool(context.Background(), "greet", "t1", []byte(`{"who":"ann"}`), func(u []byte) { updates = append(updates, string(u)) })
			if err != nil || string(got) != `{"content":[{"type":"text","text":"t1 ann /here false"}],"details":{}}` {
				t.Errorf("got %s, %v", got, err)
			}
			if len(updates) != 1 {
				t.Errorf("updates %v", updates)
			}
			if _, err = m.RunTool(context.Background(), "greet", "t2", []byte(`{"loud":true}`), nil); err == nil || !strings.Contains(err.Error(), "who: Expected required property") {
				t.Errorf("bad arguments: %v", err)
			}
			if lines, err := m.RenderTool(context.Background(), "greet", ToolDrawing{CallID: "c", Part: "call", Input: jsontext.Value(`{"who":"bob"}`)}, 9); err != nil || strings.Join(lines, "") != "call bob9" {
				t.Errorf("drew %v, %v", lines, err)
			}
		})
	}
}

func TestMessagesEntriesCommandsAndRenderers(t *testing.T) {
	host := &testHost{}
	m := loadSource(t, `export default (pi) => {
		pi.registerCommand("say", { description: "old", handler: () => { throw new Error("replaced") } });
		pi.registerCommand("say", { description: "Says it", getArgumentCompletions: (p) => [{ value: p + "!", label: p }], handler: async (args, ctx) => {
			pi.sendMessage({ customType: "note", content: args, display: true, details: { a: 1 } }, true);
			pi.sendMessage({ customType: "note", content: args, display: false }, { triggerTurn: false, deliverAs: "steer" });
			pi.sendUserMessage("hello", { deliverAs: "followUp" });
			pi.appendEntry("state", { n: 1 });
			await ctx.waitForIdle();
			await ctx.branch("entry-1");
			await ctx.navigateTree("entry-2", { summarize: true });
		} });
		pi.registerMessageRenderer("note", (message, { expanded }, theme) => expanded ? { render: (w) => [message.content, theme.bold(String(w))] } : undefined);
	}`, Options{Host: host})
	if c := m.Info().Commands; len(c) != 1 || c[0].Description != "Says it" || !c[0].Completes {
		t.Errorf("commands %+v", c)
	}
	if err := m.RunCommand(context.Background(), "say", "hi"); err != nil {
		t.Fatal(err)
	}
	want := `send {"customType":"note","content":"hi","display":true,"details":{"a":1}} true ` + `
send {"customType":"note","content":"hi","display":false,"details":null} false steer
user "hello" followUp
entry state {"n":1}
idle
branch ["entry-1"]
navigateTree ["entry-2",{"summarize":true}]`
	if got := host.all(); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if got, err := m.CompleteCommand(context.Background(), "say", "x"); err != nil || string(got) != `[{"value":"x!","label":"x"}]` {
		t.Errorf("completions %s, %v", got, err)
	}
	lines, err := m.Render(context.Background(), "note", []byte(`{"content":"body"}`), true, 33)
	if err != nil || strings.Join(lines, "|") != "body|33" {
		t.Errorf("drew %v, %v", lines, err)
	}
	if lines, err = m.Render(context.Background(), "note", []byte(`{"content":"body"}`), false, 33); err != nil || lines != nil {
		t.Errorf("drew %v, %v", lines, err)
	}
}

func TestUnsupportedIsNamed(t *testing.T) {
	m := loadSource(t, `export default (pi) => {
		pi.on("message", () => pi.sendMessage({ customType: "x", content: "" }));
		pi.on("model", () => pi.setModel({}));
		pi.registerCommand("new", { handler: (a, ctx) => ctx.newSession() });
	}`, Options{})
	for event, want := range map[string]string{
		"message": "pi.sendMessage", "model": "pi.setModel",
	} {
		_, err := m.Dispatch(context.Background(), Call{Event: event, Payload: []byte("{}")})
		if err == nil || !strings.Contains(err.Error(), "not supported by this host: "+want) {
			t.Errorf("%s: %v", event, err)
		}
	}
	if got := strings.Join(m.Unsupported(), " "); got != "newSession sendMessage setModel" {
		t.Errorf("listed as unsupported: %s", got)
	}
	if err := m.RunCommand(context.Background(), "new", ""); err == nil || !strings.Contains(err.Error(), "not supported by this host: ctx.newSession") {
		t.Errorf("newSession: %v", err)
	}
}

// Modules look whether a host has what only some hosts have.
func TestMissingMembersAreUndefined(t *testing.T) {
	m := loadSource(t, `export default (pi) => {
		pi.on("look", (e, ctx) => ({ found: [pi.frobnicate, typeof ctx.ui.quiet, ctx.sessionManager.x?.(), ctx.modelRegistry.y, "z" in pi].map(String) }));
		pi.on("call", (e, ctx) => ctx.ui.frobnicate());
	}`, Options{})
	if got := fire(t, m, "look", "{}"); got != `{"found":["undefined","undefined","undefined","undefined","false"]}` {
		t.Errorf("got %s", got)
	}
	_, err := m.Dispatch(t.Context(), Call{Event: "call", Payload: []byte("{}")})
	if err == nil || !strings.Contains(err.Error(), "not a function at ") || !strings.HasSuffix(err.Error(), ":3:36") {
		t.Errorf("calling one: %v", err)
	}
}

// TestWhatTheHostDrawsItselfIsSaidOnce has members that modules call without looking, and
// that do nothing here.
func TestWhatTheHostDrawsItselfIsSaidOnce(t *testing.T) {
	seen := newReports()
	m := loadSource(t, `export default (pi) => {
		pi.on("e", (e, ctx) => { ctx.ui.setToolsExpanded(true); ctx.ui.setToolsExpanded(false); ctx.ui.setWorkingIndicator() });
	}`, Options{OnReport: seen.add})
	for range 2 {
		fire(t, m, "e", "{}")
	}
	seen.mu.Lock()
	defer seen.mu.Unlock()
	var said []string
	for _, r := range seen.list {
		said = append(said, string(r.Kind)+" "+r.Message)
	}
	want := []string{"ignored ui.setToolsExpanded: this host draws that itself", "ignored ui.setWorkingIndicator: this host draws that itself"}
	if !slices.Equal(said, want) {
		t.Errorf("said %q", said)
	}
}

// What on returns ends that handler alone.
func TestHandlersEnd(t *testing.T) {
	m := loadSource(t, `export default (pi) => {
		const off = pi.on("e", () => { off(); return { n: 1 }; });
		pi.on("e", () => ({ n: 2 }));
	}`, Options{})
	for _, want := range [][2]string{{`{"n":1}`, `{"n":2}`}, {"", `{"n":2}`}} {
		for index := range want {
			r, err := m.Dispatch(t.Context(), Call{Event: "e", Index: index, Payload: []byte("{}")})
			if err != nil || string(r.Result) != want[index] {
				t.Errorf("handler %d gives %q, %v, want %q", index, r.Result, err, want[index])
			}
		}
	}
}

func TestExec(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("runs POSIX commands")
	}
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip("no sh")
	}
	m := loadSource(t, `export default (pi) => {
		pi.on("e", async (e) => { const { args, ...o } = e; return pi.exec("sh", ["-c", ...args], o) });
		pi.on("missing", () => pi.exec("no-such-program-here", []).catch((e) => ({ rejected: e.message })));
		pi.on("abort", () => { const c = new AbortController(); setTimeout(() => c.abort(), 30); return pi.exec("sh", ["-c", "sleep 20"], { signal: c.signal }) });
	}`, Options{Grants: Grants{Exec: true}, Cwd: t.TempDir(), Family: FamilyPi})
	for name, c := range map[string]struct{ event, payload, want string }{
		"both streams": {"e", `{"args":["echo out; echo err >&2; exit 3"]}`, `{"stdout":"out\n","stderr":"err\n","code":3,"killed":false,"truncated":false}`},
		"no shell":     {"e", `{"args":["echo \"$1\"","-","$HOME; a"]}`, `{"stdout":"$HOME; a\n","stderr":"","code":0,"killed":false,"truncated":false}`},
		"stdin closed": {"e", `{"args":["cat; echo done"]}`, `{"stdout":"done\n","stderr":"","code":0,"killed":false,"truncated":false}`},
		"timeout":      {"e", `{"args":["echo a; exec sleep 20"],"timeout":300}`, `{"stdout":"a\n","stderr":"","code":143,"killed":true,"truncated":false}`},
		"abort":        {"abort", `{}`, `{"stdout":"","stderr":"","code":143,"killed":true,"truncated":false}`},
		"missing":      {"missing", `{}`, `{"stdout":"","stderr":"spawn no-such-program-here ENOENT","code":1,"killed":false,"truncated":false}`},
	} {
		if got := fire(t, m, c.event, c.payload); got != c.want {
			t.Errorf("%s: got %s", name, got)
		}
	}
	theirs := loadSource(t, `export default (pi) => { pi.on("missing", () => pi.exec("no-such-program-here", []).catch((e) => ({ rejected: e.message }))) }`,
		Options{Grants: Grants{Exec: true}, Cwd: t.TempDir(), Family: FamilyOMP})
	if got := fire(t, theirs, "missing", `{}`); got != `{"rejected":"spawn no-such-program-here ENOENT"}` {
		t.Errorf("a missing program in a module of oh-my-pi: got %s", got)
	}
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	got := fire(t, m, "e", `{"args":["pwd -P"],"cwd":"`+dir+`"}`)
	var r execResult
	if err := json.Unmarshal([]byte(got), &r); err != nil || strings.TrimSpace(r.Stdout) != dir {
		t.Errorf("cwd: got %s", got)
	}
}

func TestGrantsAreEnforced(t *testing.T) {
	dir := t.TempDir()
	secret := write(t, "secret.txt", "s3cret")
	src := `import { readFileSync } from "node:fs";
		import { execSync } from "node:child_process";
		export default (pi) => {
			pi.on("exec", () => pi.exec("echo", ["x"]));
			pi.on("execSync", () => ({ out: String(execSync("echo x")) }));
			pi.on("read", (e) => ({ text: readFileSync(e.path, "utf8") }));
			pi.on("env", () => ({ token: String(process.env.HOOK_TEST_TOKEN) }));
			pi.on("net", () => fetch("http://127.0.0.1:9/"));
		}`
	o := Options{Cwd: dir, Env: []string{"HOOK_TEST_TOKEN=abc"}}
	m := loadSource(t, src, o)
	path, err := json.Marshal(map[string]string{"path": secret})
	if err != nil {
		t.Fatal(err)
	}
	for event, payload := range map[string]string{"exec": "{}", "execSync": "{}", "read": string(path), "net": "{}"} {
		_, err := m.Dispatch(context.Background(), Call{Event: event, Payload: []byte(payload)})
		if js, ok := errors.AsType[*Error](err); !ok || js.Code != "ERR_ACCESS_DENIED" && !strings.Contains(js.Message, "grant") {
			t.Errorf("%s was not refused: %v", event, err)
		}
	}
	if got := fire(t, m, "env", "{}"); got != `{"token":"undefined"}` {
		t.Errorf("environment: %s", got)
	}
	o.Grants = Grants{ReadRoots: []string{filepath.Dir(secret)}, Env: []string{"HOOK_TEST_*"}}
	m = loadSource(t, src, o)
	if got := fire(t, m, "read", string(path)); got != `{"text":"s3cret"}` {
		t.Errorf("granted read: %s", got)
	}
	if got := fire(t, m, "env", "{}"); got != `{"token":"abc"}` {
		t.Errorf("granted environment: %s", got)
	}
}

func TestBusReachesOtherModules(t *testing.T) {
	bus := &Bus{}
	host := &testHost{}
	loadSource(t, `export default (pi) => { pi.events.on("news", (d) => pi.appendEntry("heard", d)) }`, Options{Bus: bus, Host: host})
	m := loadSource(t, `export default (pi) => {
		let own; pi.events.on("news", (d) => { own = d.n });
		pi.on("e", () => { pi.events.emit("news", { n: 7 }); return { own } });
	}`, Options{Bus: bus})
	if got := fire(t, m, "e", "{}"); got != `{"own":7}` {
		t.Errorf("its own listener: %s", got)
	}
	for limit := time.Now().Add(5 * time.Minute); host.all() == ""; time.Sleep(time.Millisecond) {
		if time.Now().After(limit) {
			t.Fatal("the other module heard nothing")
		}
	}
	if got := host.all(); got != `entry heard {"n":7}` {
		t.Errorf("heard %s", got)
	}
}

func TestModuleThatEndsHasHeardWhatWasEmittedBefore(t *testing.T) {
	bus, host, busy := &Bus{}, &testHost{}, make(chan struct{})
	listener := loadSource(t, `export default (pi) => { pi.events.on("news", async (n) => {
		if (n == 0) console.log("busy");
		await null;
		pi.appendEntry("heard", n);
	}) }`, Options{Bus: bus, Host: host, OnReport: func(Report) { <-busy }})
	m := loadSource(t, `export default (pi) => { pi.on("e", () => { for (let n = 0; n < 20; n++) pi.events.emit("news", n) }) }`, Options{Bus: bus})
	fire(t, m, "e", "{}")
	close(busy)
	if err := listener.Close(); err != nil {
		t.Fatal(err)
	}
	if got := host.all(); strings.Count(got, "entry heard") != 20 {
		t.Errorf("heard before it ended: %s", got)
	}
}

func TestFlagsShortcutsLoggerAndPackages(t *testing.T) {
	seen := newReports()
	m := loadSource(t, `export default (pi) => {
		pi.registerFlag("plan", { type: "boolean", description: "Plan", default: false });
		pi.registerFlag("host", { type: "string" });
		pi.registerShortcut("ctrl+p", { description: "Go", handler: (ctx) => pi.logger.info("pressed in " + ctx.cwd, { a: 1 }) });
		pi.on("e", () => ({
			plan: pi.getFlag("plan"), host: pi.getFlag("host"), none: String(pi.getFlag("none")),
			schema: pi.typebox.Type.Object({ a: pi.typebox.Type.Integer() }), zod: pi.zod.object({ a: pi.zod.string().optional() }).toJSONSchema({ io: "input" }), version: typeof pi.pi.VERSION,
		}));
	}`, Options{Flags: map[string]string{"plan": "true", "host": "h"}, Cwd: "/w", OnReport: seen.add})
	want := `{"plan":true,"host":"h","none":"undefined","schema":{"type":"object","required":["a"],"properties":{"a":{"type":"integer"}}},` +
		`"zod":{"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object","properties":{"a":{"type":"string"}}},"version":"string"}`
	if got := fire(t, m, "e", "{}"); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	info := m.Info()
	if len(info.Flags) != 2 || info.Flags[0].Name != "plan" || string(info.Flags[0].Default) != "false" || len(info.Shortcuts) != 1 {
		t.Errorf("info %+v", info)
	}
	if err := m.RunShortcut(context.Background(), "ctrl+p"); err != nil {
		t.Fatal(err)
	}
	if r := seen.wait(t, ReportLog); r.Level != "info" || r.Message != `pressed in /w {"a":1}` {
		t.Errorf("log %+v", r)
	}
}

func TestUnknownHandlersAreErrors(t *testing.T) {
	m := loadSource(t, `export default (pi) => { pi.on("e", () => {}) }`, Options{})
	if _, err := m.Dispatch(context.Background(), Call{Event: "e", Index: 1, Payload: []byte("{}")}); !errors.Is(err, errNoHandler) {
		t.Errorf("handler: %v", err)
	}
	for name, err := range map[string]error{
		"command":  m.RunCommand(context.Background(), "x", ""),
		"shortcut": m.RunShortcut(context.Background(), "x"),
	} {
		if err == nil || !strings.Contains(err.Error(), "no "+name) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestHandlersRegisteredLaterAreListed(t *testing.T) {
	m := loadSource(t, `export default (pi) => { pi.on("e", () => { pi.on("later", () => ({ ok: true })) }) }`, Options{})
	fire(t, m, "e", "{}")
	if got := fire(t, m, "later", "{}"); got != `{"ok":true}` {
		t.Errorf("got %s", got)
	}
}

// agentHost is a running agent with a screen.
type agentHost struct {
	testHost
}

func (h *agentHost) IsIdle() bool             { return false }
func (h *agentHost) HasPendingMessages() bool { return true }
func (h *agentHost) Abort()                   { _ = h.note("abort") }
func (h *agentHost) Shutdown()                { _ = h.note("shutdown") }
func (h *agentHost) AgentQuery(what string) ([]byte, error) {
	switch what {
	case "model":
		return []byte(`{"id":"m"}`), nil
	case "activeTools":
		return []byte(`["bash"]`), nil
	}
	return nil, nil
}

func (h *agentHost) AgentSet(what string, value []byte) error {
	return h.note("set %s %s", what, value)
}

func (h *agentHost) AgentDo(_ context.Context, what string, args []byte) ([]byte, error) {
	return []byte("true"), h.note("do %s %s", what, args)
}

func (h *agentHost) Decorate(place, key string, lines []string) {
	_ = h.note("%s %s %q", place, key, lines)
}

func TestAgentAndDecorations(t *testing.T) {
	host := &agentHost{testHost{u: &testUI{}}}
	m := loadSource(t, `import type { ExtensionAPI } from "@mariozechner/pi-coding-agent";
	export default (pi: ExtensionAPI) => {
		pi.registerProvider("mine", { baseUrl: "u", streamSimple() {} });
		pi.on("e", async (_, ctx) => {
			let again;
			ctx.ui.setWidget("w", ["a", "b"]);
			ctx.ui.setWidget("v", (tui, theme) => { let n = 0; again = () => tui.requestRender(); return { render: (w) => [theme.fg("accent", "n" + ++n), "w" + w] } }, { placement: "belowEditor" });
			again();
			ctx.ui.setWidget("w", undefined);
			ctx.ui.setFooter((tui, theme, data) => ({ render: () => ["branch " + data.getGitBranch()] }));
			ctx.abort();
			ctx.compact({ customInstructions: "short" });
			pi.setActiveTools(["read"]);
			pi.setThinkingLevel("high");
			pi.setLabel("entry", "label");
			pi.setSessionName("name");
			return { model: ctx.model.id, set: await pi.setModel({ id: "n" }), tools: pi.getActiveTools(), level: pi.getThinkingLevel(), idle: ctx.isIdle(), pending: ctx.hasPendingMessages(), signal: ctx.signal.aborted, usage: String(ctx.getContextUsage()) };
		});
	}`, Options{Host: host, Grants: Grants{UI: true}})
	if p := m.Info().Providers; len(p) != 1 || p[0] != "mine" {
		t.Errorf("providers %v", p)
	}
	want := `{"model":"m","set":true,"tools":["bash"],"level":"off","idle":false,"pending":true,"signal":false,"usage":"undefined"}`
	if got := fire(t, m, "e", "{}"); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	for _, want := range []string{
		`do registerProvider ["mine",{"baseUrl":"u"}]`,
		`above w ["a" "b"]`, `below v ["\x1b[36mn1\x1b[39m" "w80"]`, `below v ["\x1b[36mn2\x1b[39m" "w80"]`, `above w []`, `footer  ["branch null"]`,
		`abort`, `do compact ["short"]`, `set activeTools ["read"]`, `set thinkingLevel "high"`, `set label {"entryId":"entry","label":"label"}`, `set sessionName "name"`, `do setModel [{"id":"n"}]`,
	} {
		told := func() bool { return strings.Contains("\n"+host.all()+"\n", "\n"+want+"\n") }
		for limit := time.Now().Add(5 * time.Minute); !told(); time.Sleep(time.Millisecond) {
			if time.Now().After(limit) { // some calls are not waited for
				t.Fatalf("the host was not told %s in\n%s", want, host.all())
			}
		}
	}
}
