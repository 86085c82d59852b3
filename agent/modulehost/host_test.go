package modulehost_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/hookline-dev/hookline/agent"
	"github.com/hookline-dev/hookline/agent/model"
	scripted "github.com/hookline-dev/hookline/agent/model/script"
	"github.com/hookline-dev/hookline/agent/modulehost"
	"github.com/hookline-dev/hookline/agent/tool"
	"github.com/hookline-dev/hookline/dialect/pi"
	"github.com/hookline-dev/hookline/handler/script"
	"github.com/hookline-dev/hookline/hook"
	"github.com/hookline-dev/hookline/session"
	"github.com/hookline-dev/hookline/ui"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// stage is an agent with one module.
type stage struct {
	t      *testing.T
	host   *modulehost.Host
	a      *agent.Agent
	module *script.Module
	person *ui.Recorder
	log    strings.Builder

	shutdown chan struct{} // closed when a module ends the program
}

func newStage(t *testing.T, turns, source string) *stage {
	t.Helper()
	if raceEnabled {
		t.Skip("the script engine is too slow under the race detector for its own bounds")
	}
	s := &stage{t: t, person: ui.NewRecorder(), shutdown: make(chan struct{})}
	dir := t.TempDir()
	path := filepath.Join(dir, "module.ts")
	if err := os.WriteFile(path, []byte(source), 0o644); err != nil {
		t.Fatal(err)
	}
	provider, err := scripted.Parse([]byte(turns), scripted.Options{Log: &s.log})
	if err != nil {
		t.Fatal(err)
	}
	s.host = modulehost.New(modulehost.Options{UI: s.person, Dir: dir, Price: model.Price{Window: 1000, Output: 25}, Provider: "script", Shutdown: func() { close(s.shutdown) }, Commands: func() []modulehost.Command {
		return []modulehost.Command{{Name: "go", Source: "extension"}}
	}})
	if s.module, err = script.Load(t.Context(), path, script.Options{Host: s.host, Grants: script.GrantAll(), Cwd: dir, Speech: pi.Speech()}); err != nil {
		t.Fatal(err)
	}
	reg := hook.NewRegistry()
	regs, remarks := pi.Registrations(s.module, pi.NewGroups(reg))
	if _, err := reg.AddAll(regs); err != nil || len(remarks) > 0 {
		t.Fatal(err, remarks)
	}
	eng := hook.New(reg)
	sess, err := session.Create(dir, session.Options{Cwd: dir, NoSync: true})
	if err != nil {
		t.Fatal(err)
	}
	s.a, err = agent.New(agent.Config{
		Model: provider, ModelName: "script", Hooks: eng, Session: sess, SessionDir: dir, Dir: dir, UI: s.person, SessionOptions: session.Options{NoSync: true},
		Sources: []agent.ToolSource{toolsOf{s.module}},
	})
	if err != nil {
		t.Fatal(err)
	}
	s.host.Bind(s.a)
	t.Cleanup(func() {
		if err := errors.Join(s.a.Close(context.Background()), eng.Close(), s.module.Close()); err != nil {
			t.Error(err)
		}
	})
	return s
}

type toolsOf struct{ m *script.Module }

func (s toolsOf) Tools() []tool.Tool {
	var out []tool.Tool
	for _, t := range s.m.Info().Tools {
		out = append(out, modulehost.NewTool(s.m, t, pi.Dialect{}.Tools()))
	}
	return out
}

func (s *stage) prompt(text string) agent.Result {
	s.t.Helper()
	res, err := s.a.Prompt(s.t.Context(), text)
	if err != nil {
		s.t.Fatal(err)
	}
	return res
}

// notices returns what the module showed.
func (s *stage) notices() string {
	var out []string
	for _, c := range s.person.Calls() {
		if c.Method == "Notify" {
			out = append(out, c.Text)
		}
	}
	return strings.Join(out, "\n")
}

func (s *stage) shown(want ...string) {
	s.t.Helper()
	for _, w := range want {
		if !strings.Contains(s.notices(), w) {
			s.t.Errorf("%q is not among the notices:\n%s", w, s.notices())
		}
	}
}

func TestModulesReadTheSession(t *testing.T) {
	s := newStage(t, "turns: [{text: answer}]", `
		import type { HookAPI } from "@oh-my-pi/pi-coding-agent/hooks";
		export default function (pi: HookAPI) {
			pi.on("agent_end", async (event, ctx) => {
				const sm = ctx.sessionManager;
				const branch = sm.getBranch();
				ctx.ui.notify([
					"entries " + sm.getEntries().length, "last " + branch[branch.length - 1].message.role,
					"leaf " + (sm.getLeafId() === sm.getLeafEntry().id), "id " + sm.getSessionId().length, "file " + sm.getSessionFile().endsWith(".jsonl"),
					"tree " + sm.getTree()[0].children.length, "entry " + sm.getEntry("nope"), "cwd " + (ctx.cwd === sm.getCwd()),
					"model " + ctx.model.id + " " + ctx.model.maxTokens + " " + ctx.model.cost.output + " " + ctx.model.input, "idle " + ctx.isIdle(), "usage " + (ctx.getContextUsage().tokens > 0), "header " + sm.getHeader().version,
				].join("; "));
			});
		}`)
	s.prompt("hello")
	s.shown("entries 2; last assistant; leaf true; id 36; file true; tree 1; entry undefined; cwd true; model script undefined 25 text,image; idle false; usage true; header 1")
}

func TestModulesKnowWhatThePromptIsAbout(t *testing.T) {
	s := newStage(t, "turns: [{text: answer}]", `
		import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";
		export default (pi: ExtensionAPI) => {
			pi.registerVirtualModel({});
			pi.on("before_agent_start", (e) => { e.systemPromptOptions.sections.rules = "be kind"; });
			pi.on("before_agent_start", (e) => ({ systemPrompt: e.systemPrompt.slice(-24) + " and more" }));
			pi.on("before_agent_start", (e, ctx) => {
				const o = e.systemPromptOptions;
				ctx.ui.notify(ctx.mode + " " + (ctx.getSystemPrompt() === e.systemPrompt) + " " + e.systemPrompt);
				ctx.ui.notify(JSON.stringify([o.cwd === ctx.cwd, o.selectedTools.includes("bash"), o.toolSnippets.bash, o.contextFiles, o.skills]));
				const find = (provider, id) => ctx.modelRegistry.find(provider, id)?.id ?? "none";
				ctx.ui.notify([find("script", "script"), find("other", "script"), find("script", "x")].join());
			});
			pi.registerTool({ name: "bash", description: "runs\nsomething", parameters: {}, execute: async () => "" });
		}`)
	s.prompt("hello")
	s.shown("rpc true <rules>\nbe kind\n</rules> and more", `[true,true,"runs",[],[]]`, "script,none,none")
}

func TestModulesSendMessages(t *testing.T) {
	s := newStage(t, "turns: [{text: one, usage: {output: 1}}, {text: two, usage: {output: 1}}, {text: three, usage: {output: 1}}]", `
		export default (pi) => {
			let n = 0;
			pi.on("turn_end", async () => {
				if (n++ > 0) return;
				pi.sendMessage({ customType: "note", content: "steered", display: true, details: { a: 1 } });
				pi.appendEntry("state", { count: n });
			});
			pi.on("agent_end", async () => { if (n === 2) { n++; pi.sendUserMessage("from the module", { deliverAs: "followUp" }); } });
		}`)
	s.prompt("hello")
	if err := s.a.WaitIdle(t.Context()); err != nil {
		t.Fatal(err)
	}
	for end := time.Now().Add(time.Minute); s.a.Usage().OutputTokens < 3 || !s.a.Idle(); { // the follow-up starts a prompt of its own
		if time.Now().After(end) {
			t.Fatal("the follow-up started no prompt")
		}
		time.Sleep(time.Millisecond)
	}
	if !strings.Contains(s.log.String(), "steered") {
		t.Errorf("the model was not told: %s", s.log.String())
	}
	state, note := false, false
	for e, err := range s.a.Session().Entries() {
		if err != nil {
			t.Fatal(err)
		}
		state = state || e.Type == session.Custom && e.CustomType == "state" && string(e.Data) == `{"count":1}`
		note = note || e.Type == session.CustomMessage && e.CustomType == "note" && e.Display && string(e.Details) == `{"a":1}`
	}
	if !state || !note {
		t.Errorf("state %v, note %v", state, note)
	}
}

func TestCommandsChangeSessions(t *testing.T) {
	s := newStage(t, "turns:\n  - text: answer\n    repeat: -1\n", `
		export default (pi) => {
			pi.on("session_before_switch", async (e, ctx) => { ctx.ui.notify("switch " + e.reason); return { cancel: e.reason === "resume" }; });
			pi.on("session_before_tree", async (e, ctx) => ({ summary: { summary: "left behind: " + e.preparation.entriesToSummarize.length } }));
			pi.registerCommand("work", { description: "works", handler: async (args, ctx) => {
				await ctx.waitForIdle();
				const before = ctx.sessionManager.getSessionFile();
				const root = ctx.sessionManager.getBranch()[0].id;
				const tree = await ctx.navigateTree(root, { summarize: true });
				const made = await ctx.newSession({ parentSession: before, setup: async (sm) => {
					sm.appendMessage({ role: "user", content: [{ type: "text", text: "carried over" }] });
				} });
				const first = ctx.sessionManager.getBranch()[0];
				ctx.ui.notify([args, tree.cancelled, made.cancelled, first.message.content[0].text, ctx.sessionManager.getHeader().parentSession === before].join(" "));
				const branched = await ctx.branch(first.id);
				pi.setLabel(first.id, "start");
				pi.setSessionName("moved");
				ctx.ui.notify([branched.cancelled, ctx.sessionManager.getBranch().length, ctx.sessionManager.getLabel(first.id), pi.getSessionName()].join(" "));
			} });
		}`)
	s.prompt("hello")
	first := s.a.Session().Path()
	if err := s.module.RunCommand(t.Context(), "work", "hard"); err != nil {
		t.Fatal(err)
	}
	s.shown("switch new", "hard false false carried over true", "false 1 start moved")
	if s.a.Session().Path() == first {
		t.Error("the session is the same")
	}
	old, err := session.Open(first, session.Options{ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	defer old.Close()
	e, err := old.Entry(old.Leaf())
	if err != nil || e.Summary != "left behind: 1" || !e.FromHook {
		t.Errorf("%+v, %v", e, err)
	}
}

func TestToolsOfModules(t *testing.T) {
	s := newStage(t, `
turns:
  - tool_calls: [{name: greet, input: {who: world}}, {name: greet, input: {}}, {name: greet, input: {who: nobody}}]
  - expect: {tools: [greet]}
    text: done
`, `
		import { Type } from "@sinclair/typebox";
		export default (pi) => {
			pi.on("tool_call", async (e, ctx) => { ctx.ui.notify("call " + e.toolName + " " + JSON.stringify(pi.getActiveTools().includes("greet"))); });
			pi.registerTool({ name: "greet", label: "Greet", description: "greets", parameters: Type.Object({ who: Type.String() }),
				execute: async (id, params) => {
					if (params.who === "nobody") throw new Error("there is nobody");
					return { content: [{ type: "text", text: "hello " + params.who }], details: { id } };
				} });
		}`)
	// Tools of modules are asked about like all others, whatever their arguments are:
	// the module checks these.
	s.person.Add(ui.Choose(0), ui.Choose(0), ui.Choose(0))
	s.prompt("go")
	s.shown("call greet true")
	for _, want := range []string{"hello world", `who`, "there is nobody"} {
		if !strings.Contains(s.log.String(), want) {
			t.Errorf("%q is not in %s", want, s.log.String())
		}
	}
}

// A tool with a built-in's name is in its place, under the name and with the
// parameters that rules and hooks know it by.
func TestModuleReplacesABuiltInTool(t *testing.T) {
	s := newStage(t, `
turns:
  - tool_calls: [{name: Read, input: {file_path: secret}}]
  - expect: {tools: [Read]}
    text: done
`, `
		import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";
		import { Type } from "typebox";
		export default (pi: ExtensionAPI) => {
			pi.on("session_start", (e, ctx) => {
				pi.setActiveTools(["read", "nothing"]);
				ctx.ui.notify("active " + pi.getActiveTools() + " " + Object.keys(pi.getAllTools().find((t) => t.name === "read").parameters.properties));
			});
			pi.on("tool_call", (e, ctx) => { ctx.ui.notify("call " + e.toolName + " " + e.input.path); });
			pi.registerTool({ name: "read", label: "Read", description: "reads", parameters: Type.Object({ path: Type.String() }),
				execute: async (id, params) => ({ content: [{ type: "text", text: "guarded " + params.path }] }) });
		}`)
	s.person.Add(ui.Choose(0))
	s.prompt("go")
	s.shown("active read path", "call read secret")
	if !strings.Contains(s.log.String(), "guarded secret") {
		t.Errorf("another tool ran: %s", s.log.String())
	}
}

// Old names of arguments, and numbers that are written as texts, are the module's to
// understand.
func TestModulePreparesArguments(t *testing.T) {
	s := newStage(t, `
turns:
  - tool_calls: [{name: greet, input: {name: Old, times: "2"}}]
  - text: done
`, `
		import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";
		import { Type } from "typebox";
		export default (pi: ExtensionAPI) => {
			pi.on("tool_result", (e, ctx) => { ctx.ui.notify("result " + e.content[0].text + " " + e.isError); });
			pi.registerTool({ name: "greet", label: "Greet", description: "greets", parameters: Type.Object({ who: Type.String(), times: Type.Number() }),
				prepareArguments: ({ name, ...rest }) => ({ who: name, ...rest }),
				execute: async (id, p) => ({ content: [{ type: "text", text: p.who + " " + (p.times + 1) }] }) });
		}`)
	s.person.Add(ui.Choose(0))
	s.prompt("go")
	s.shown("result Old 3 false")
}

// A tool that ends the program lets the prompt that it was called in come to its end.
func TestShutdownWaitsForThePrompt(t *testing.T) {
	s := newStage(t, `
turns:
  - tool_calls: [{name: finish, input: {}}]
  - text: done
`, `
		import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";
		export default (pi: ExtensionAPI) => pi.registerTool({ name: "finish", label: "F", description: "ends", parameters: {},
			execute: async (id, p, signal, update, ctx) => { ctx.shutdown(); return { content: [{ type: "text", text: "soon" }] }; } });`)
	s.person.Add(ui.Choose(0))
	if r := s.prompt("go"); r.End != agent.EndDone || r.Text != "done" {
		t.Errorf("the prompt ended with %s: %q", r.End, r.Text)
	}
	<-s.shutdown
}

// A module that hears what its own tool reports must not wait for itself.
func TestToolsOfModulesReport(t *testing.T) {
	s := newStage(t, `
turns:
  - tool_calls: [{name: slow, input: {}}]
  - text: done
`, `
		import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";
		export default (pi: ExtensionAPI) => {
			pi.on("tool_execution_update", (e, ctx) => { ctx.ui.notify("update " + e.partialResult.content[0].text + " " + e.partialResult.details.part); });
			pi.registerTool({ name: "slow", label: "Slow", description: "reports", parameters: {},
				execute: async (id, params, signal, onUpdate) => {
					onUpdate({ content: [{ type: "text", text: "half" }], details: { part: 1 } });
					return { content: [{ type: "text", text: "whole" }] };
				} });
		}`)
	s.person.Add(ui.Choose(0))
	s.prompt("go")
	s.shown("update half 1")
	if !strings.Contains(s.log.String(), "whole") {
		t.Errorf("the tool did not end: %s", s.log.String())
	}
}

// State that is kept in a tool's details, and entries that are written when the agent
// is done, are there for whoever reads the session.
func TestStateInTheSession(t *testing.T) {
	s := newStage(t, `
turns:
  - tool_calls: [{name: todo, input: {}}]
  - text: done
`, `
		import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";
		export default (pi: ExtensionAPI) => {
			pi.on("agent_end", (e, ctx) => {
				pi.appendEntry("ended", 1);
				const kept = ctx.sessionManager.getBranch().filter((e) => e.message?.role === "toolResult" && e.message.toolName === "todo");
				ctx.ui.notify("kept " + JSON.stringify(kept[0].message.details) + " " + ctx.sessionManager.getEntries().some((e) => e.customType === "ended"));
				const last = e.messages.at(-1);
				ctx.ui.notify("last " + last.stopReason + " " + typeof last.usage.input);
			});
			pi.registerTool({ name: "todo", label: "Todo", description: "keeps", parameters: {},
				execute: async () => ({ content: [{ type: "text", text: "ok" }], details: { todos: [1, 2] } }) });
		}`)
	s.person.Add(ui.Choose(0))
	s.prompt("go")
	s.shown(`kept {"todos":[1,2]} true`, "last stop number")
}

// What a command sends while nothing runs belongs to this session.
func TestMessageWhileIdleIsStoredAtOnce(t *testing.T) {
	s := newStage(t, "turns: [{text: one}]", `
		import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";
		export default (pi: ExtensionAPI) => {
			pi.registerCommand("note", { handler: async () => { pi.sendMessage({ customType: "n", content: "noted", display: false }); } });
		}`)
	if err := s.module.RunCommand(t.Context(), "note", ""); err != nil {
		t.Fatal(err)
	}
	for e, err := range s.a.Session().Entries() {
		if err == nil && e.CustomType == "n" {
			return
		}
	}
	t.Error("the message is not in the session")
}

func TestModulesAskTheModel(t *testing.T) {
	s := newStage(t, "turns: [{text: answer}, {expect: {system: be brief, last_user: what is this}, text: a test}]", `
		import { complete } from "@oh-my-pi/pi-ai";
		export default (pi) => {
			pi.on("agent_end", async (e, ctx) => {
				const key = await ctx.modelRegistry.getApiKey(ctx.model);
				const r = await complete(ctx.model, { systemPrompt: "be brief", messages: [{ role: "user", content: [{ type: "text", text: "what is this" }] }] }, { apiKey: key });
				ctx.ui.notify("it is " + r.content[0].text);
			});
		}`)
	s.prompt("hello")
	s.shown("it is a test")
}

func TestBeforeThereIsAnAgent(t *testing.T) {
	h := modulehost.New(modulehost.Options{Dir: "/work"})
	if h.Cwd() != "/work" || !h.IsIdle() || h.HasPendingMessages() || h.UI() != nil {
		t.Error("a host without an agent is not idle")
	}
	if err := h.SendMessage([]byte(`{}`), script.Delivery{}); err == nil || !strings.Contains(err.Error(), "not initialized") {
		t.Error(err)
	}
	if v, err := h.SessionQuery("getEntries", []byte("[]")); v != nil || err != nil {
		t.Error(v, err)
	}
}

func Example() {
	host := modulehost.New(modulehost.Options{Dir: "/src"}) // for discovery.Hosting, before there is an agent
	fmt.Println(host.Cwd(), host.IsIdle())
	// host.Bind(a) when there is one.
	// Output: /src true
}
