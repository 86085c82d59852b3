package pi

import (
	"strings"

	"github.com/hookline-dev/hookline/internal/oracle"
)

// greeting is the start of a tool's declaration.
const greeting = `name: "greet", label: "Greet", description: "MARK greets", parameters: Type.Object({ who: Type.String(), loud: Type.Optional(Type.Boolean()) })`

// members are those of pi and ctx that are used beside events.
func members() []Cell {
	greet := []oracle.Turn{call("greet", object{"who": "Ann"})}
	tool := func(name, rest, more string, turns ...oracle.Turn) Cell {
		if turns == nil {
			turns = greet
		}
		return Cell{name: "tool/" + name, imports: `import { Type } from "typebox";`, turns: turns, modules: []string{"pi.registerTool({ " + greeting + ", " + rest + " } as any);" + more}}
	}
	out := []Cell{
		tool("new", `async execute(id: string, p: any, signal: any, update: any, ctx: any) { say("run", [id, p, !!signal, typeof update, ctx.cwd === process.cwd()]); return { content: [{ type: "text", text: "MARK-HELLO " + p.who }], details: { g: 1 } }; }`, ""),
		tool("hints", `promptSnippet: "MARK-SNIPPET", promptGuidelines: ["MARK-GUIDE"], async execute() { return { content: [{ type: "text", text: "MARK-OK" }], details: {} }; }`, ""),
		tool("bad-arguments", `async execute() { say("ran"); return { content: [], details: {} }; }`, "", call("greet", object{"loud": true})),
		tool("coerced", `async execute(id: string, p: any) { say("p", p); return { content: [{ type: "text", text: "MARK" }], details: {} }; }`, "", call("greet", object{"who": 5, "loud": "true"})),
		tool("throws", `async execute() { throw new Error("MARK-TOOL-BROKEN"); }`, ""),
		tool("progress", `async execute(id: string, p: any, s: any, update: any) { update({ content: [{ type: "text", text: "MARK-HALF" }], details: { part: 1 } }); await later(20); return { content: [{ type: "text", text: "MARK-WHOLE" }], details: {} }; }`, `pi.on("tool_execution_update", (e: any) => say("update", e.partialResult));`),
		tool("picture", `async execute() { return { content: [{ type: "image", data: "`+dot+`", mimeType: "image/png" }, { type: "text", text: "MARK-PICTURE" }], details: {} }; }`, `pi.on("tool_result", (e: any) => say("result", e.content.map((b: any) => b.type)));`),
		tool("terminate", `async execute() { return { content: [{ type: "text", text: "MARK-LAST" }], details: {}, terminate: true }; }`, ""),
		tool("error-flag", `async execute() { return { content: [{ type: "text", text: "MARK-FLAG" }], details: {}, isError: true }; }`, ""),
		tool("prepared", `prepareArguments: (a: any) => ({ who: a.name ?? a.who }), async execute(id: string, p: any) { say("p", p); return { content: [{ type: "text", text: "MARK " + p.who }], details: {} }; }`, "", call("greet", object{"name": "Old"})),
		tool("session", `async execute(id: string, p: any, s: any, u: any, ctx: any) { return { content: [{ type: "text", text: "MARK " + ctx.sessionManager.getBranch().filter((e: any) => e.type === "message").map((e: any) => e.message.role).join(",") }], details: {} }; }`, ""),
	}
	structured := tool("structured", `async execute() { return { content: [{ type: "text", text: "MARK-TEXT" }], details: {}, structuredContent: { n: 1 } }; }`,
		`const log = (at: string) => pi.on("tool_result", (e: any) => { say(at, e.structuredContent ?? null); }); log("own"); pi.on("tool_result", () => ({ structuredContent: { n: 2 } } as any)); log("other");
		pi.on("tool_result", () => ({ content: [{ type: "text", text: "MARK-REDACTED" }] })); log("dropped"); pi.on("tool_result", () => ({ structuredContent: [3] } as any)); pi.on("tool_execution_end", (e: any) => say("end", e.result));`)
	structured.newest = true
	out = append(out, structured)
	api := func(name, body string, turns ...oracle.Turn) {
		out = append(out, Cell{name: "api/" + name, modules: []string{body}, turns: turns})
	}
	start := func(body string) string {
		return `pi.on("session_start", async (e: any, ctx: any) => { ` + body + ` });`
	}
	api("append-entry", `pi.on("agent_start", () => { pi.appendEntry("st", { v: "MARK" }); pi.appendEntry("empty"); }); pi.on("agent_end", (e: any, ctx: any) => { say("read", ctx.sessionManager.getEntries().filter((x: any) => x.type === "custom").map((x: any) => [x.customType, x.data ?? null])); });`)
	api("append-entry-at-end", `pi.on("agent_end", () => { pi.appendEntry("end", "MARK-END"); }); pi.on("session_shutdown", () => { pi.appendEntry("down", "MARK-DOWN"); });`)
	api("append-entry-at-load", `try { pi.appendEntry("early", 1); say("no error"); } catch (e: any) { say("error", typeof e.message); }`)
	api("active-tools", start(`say("active", pi.getActiveTools().filter((t: string) => ["read", "bash", "edit", "write"].includes(t)).sort());`))
	api("set-active-tools", start(`pi.setActiveTools(["read", "nonsense"]); say("now", pi.getActiveTools());`))
	api("all-tools", start(`say("all", (pi.getAllTools() as any[]).filter((t) => ["read", "bash", "edit", "write"].includes(t.name)).map((t) => [t.name, typeof t.description, Object.keys(t.parameters?.properties ?? {}).sort(), t.sourceInfo?.source]).sort());`))
	api("exec", `pi.on("tool_call", async () => { const r = await pi.exec("sh", ["-c", "echo out; echo err >&2; exit 3"]); say("r", r); });`)
	api("exec-missing", `pi.on("tool_call", async () => { say("r", await pi.exec("/no/such/program", [])); });`)
	api("exec-timeout", `pi.on("tool_call", async () => { const r = await pi.exec("sleep", ["20"], { timeout: 100 }); say("r", [r.code, r.killed]); });`)
	api("session-name", start(`say("before", pi.getSessionName() ?? null); pi.setSessionName("MARK-NAME"); say("after", pi.getSessionName());`))
	api("label", `pi.on("agent_end", (e: any, ctx: any) => { const id = ctx.sessionManager.getLeafId()!; pi.setLabel(id, "MARK-LABEL"); say("label", ctx.sessionManager.getLabel(id)); });`)
	api("flags", `pi.registerFlag("my-flag", { type: "boolean", default: true, description: "d" }); pi.registerFlag("my-text", { type: "string", default: "dd" });`+start(`say("flags", [pi.getFlag("my-flag"), pi.getFlag("my-text"), pi.getFlag("nope") ?? null]);`))
	api("commands", `pi.registerCommand("one", { description: "first", handler: async () => {} });`+start(`say("c", pi.getCommands().filter((c: any) => c.source === "extension").map((c: any) => [c.name, c.description ?? null]));`))
	api("thinking-level", start(`say("level", pi.getThinkingLevel()); pi.setThinkingLevel("high"); say("now", pi.getThinkingLevel());`))
	api("usage", `pi.on("agent_end", (e: any, ctx: any) => { const u: any = ctx.getContextUsage(); say("usage", u ? [typeof u.tokens, u.contextWindow, typeof u.percent] : null); });`)
	api("model", start(`const m: any = ctx.model; say("model", m ? [m.id, m.provider, m.api, m.contextWindow, typeof m.maxTokens, m.input, typeof m.cost, m.reasoning] : null);`))
	api("registry", start(`say("registry", [ctx.modelRegistry.find("anthropic", "claude-opus-4-8")?.id, ctx.modelRegistry.find("no", "x") ?? null, ctx.modelRegistry.getAvailable().length > 0]);`))
	api("facts", start(`say("facts", [ctx.hasUI, ctx.cwd === process.cwd(), ctx.isIdle(), ctx.hasPendingMessages(), e.reason, typeof ctx.getSystemPrompt(), ctx.mode ?? null]);`))
	api("session-manager", `pi.on("agent_end", (e: any, ctx: any) => { const s = ctx.sessionManager; say("s", [s.getCwd() === process.cwd(), typeof s.getSessionId(), typeof s.getSessionFile(), typeof s.getSessionDir(), s.getEntry(s.getLeafId())?.type, s.getLeafEntry()?.message?.role, s.getHeader()?.type, s.getTree().length, s.getEntries().filter((x: any) => x.type === "message").map((x: any) => x.message.role)]); });`)
	api("no-ui", start(`say("ui", [await ctx.ui.select("t", ["a"]) ?? null, await ctx.ui.confirm("t", "m"), await ctx.ui.input("t") ?? null, await ctx.ui.editor("t") ?? null, await ctx.ui.custom(() => ({ render: () => [], invalidate() {} }) as any) ?? null, ctx.ui.getEditorText(), typeof ctx.ui.theme.fg("accent", "x"), ctx.ui.setTheme("x").success]);`))
	api("missing-members", start(`say("missing", [typeof (ctx.ui as any).noSuch, typeof (pi as any).noSuch, (pi as any).noSuch?.() ?? null]);`))
	out = append(out, Cell{name: "api/other-model", modules: []string{start(`const m = ctx.modelRegistry.find("anthropic", "` + otherModel + `") ?? {} as any;
		say("found", ["id", "name", "provider", "api", "reasoning", "input", "cost", "contextWindow", "maxTokens"].map((k) => [k, m[k] ?? null])); say("none", ctx.modelRegistry.find("anthropic", "nothing-known") ?? null); say("set", await pi.setModel(m)); say("now", ctx.model?.id);`)}})
	out = append(out, Cell{name: "api/bus", modules: []string{`pi.events.on("ping", (d: any) => say("a got", d));` + start(`pi.events.emit("ping", { a: 1 });`), `pi.events.on("ping", (d: any) => say("b got", d));`}})
	return append(out, sending()...)
}

// sending are the ways in which modules send messages.
func sending() []Cell {
	var out []Cell
	ways := []string{"", `{ triggerTurn: true }`, `{ deliverAs: "steer" }`, `{ deliverAs: "followUp" }`, `{ deliverAs: "nextTurn" }`, `{ triggerTurn: true, deliverAs: "followUp" }`, `{ triggerTurn: true, deliverAs: "nextTurn" }`}
	short := strings.NewReplacer("{ ", "", " }", "", ": ", "-", `"`, "", ", ", "-", "true", "")
	for _, way := range ways {
		arg := way
		if way != "" {
			arg = ", " + way
		}
		name := strings.TrimSuffix(short.Replace(way), "-")
		if name == "" {
			name = "plain"
		}
		send := `pi.sendMessage({ customType: "n", content: "MARK-SENT", display: true, details: { k: 1 } }` + arg + `);`
		out = append(
			out,
			Cell{name: "send-in-tool/" + name, modules: []string{`let d = 0; pi.on("tool_call", () => { if (!d++) ` + send + ` });`}, turns: []oracle.Turn{bash("echo MARK-1"), bash("echo MARK-2")}},
			Cell{name: "send-idle/" + name, modules: []string{`pi.registerCommand("go", { handler: async () => { ` + send + ` } });`}, steps: prompts("/go", "MARK-NEXT"), turns: twoTurns},
		)
		if !strings.Contains(way, "trigger") && !strings.Contains(way, "next") {
			out = append(out, Cell{name: "send-user/" + name, modules: []string{`let d = 0; pi.on("tool_call", () => { if (!d++) pi.sendUserMessage("MARK-USER"` + arg + `); });`}, turns: []oracle.Turn{bash("echo MARK-1"), bash("echo MARK-2")}})
		}
	}
	return append(
		out,
		Cell{name: "send/at-start", modules: []string{`pi.on("session_start", () => { pi.sendMessage({ customType: "n", content: "MARK-START", display: true }); });`}},
		Cell{name: "send/at-end", modules: []string{`let d = 0; pi.on("agent_end", () => { if (!d++) pi.sendMessage({ customType: "n", content: "MARK-END", display: true }); });`}, steps: prompts("MARK-FIRST", "MARK-SECOND"), turns: twoTurns},
		Cell{name: "send/hidden", modules: []string{`pi.registerCommand("go", { handler: async () => { pi.sendMessage({ customType: "n", content: "MARK-HIDDEN", display: false }); } });`}, steps: prompts("/go", "MARK-NEXT"), turns: twoTurns},
		Cell{name: "send/user-blocks", modules: []string{`pi.registerCommand("go", { handler: async () => { pi.sendUserMessage([{ type: "text", text: "MARK-A" }, { type: "text", text: "MARK-B" }]); } }); pi.on("input", (e: any) => say("input", [e.text, e.source]));`}, steps: prompts("/go", "MARK-NEXT"), turns: twoTurns},
		Cell{name: "send/pending", modules: []string{`pi.on("tool_call", (e: any, ctx: any) => { pi.sendUserMessage("MARK-LATER", { deliverAs: "followUp" }); say("pending", [ctx.hasPendingMessages(), ctx.isIdle()]); });`}},
	)
}
