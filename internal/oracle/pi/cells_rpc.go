package pi

import "github.com/hookline-dev/hookline/internal/oracle"

// commands are what the handlers of commands can do.
func commands() []Cell {
	two := prompts("MARK-FIRST", "MARK-SECOND")
	command := func(name, body, more string, steps ...step) Cell {
		return Cell{name: "command/" + name, turns: twoTurns, steps: steps, modules: []string{`pi.registerCommand("go", { description: "d", handler: async (args: string, ctx: any) => { ` + body + ` } });` + more}}
	}
	run := step{do: "prompt", text: "/go"}
	users := `const u = ctx.sessionManager.getBranch().filter((x: any) => x.type === "message" && x.message.role === "user");`
	third := step{do: "prompt", text: "MARK-THIRD"}
	reasons := `pi.on("session_start", (e: any) => say("start", [e.reason, typeof e.previousSessionFile])); pi.on("session_shutdown", (e: any) => say("down", [e.reason ?? null, typeof e.targetSessionFile]));`
	return []Cell{
		command("arguments", `say("args", args); ctx.ui.notify("MARK " + args, "warning");`, "", prompts(`/go a  b "c d"`, "/go")...),
		command("throws", `throw new Error("MARK-BROKEN");`, "", append([]step{run}, two[0])...),
		command("asks-the-model", `pi.sendUserMessage("MARK-QUESTION " + args);`, "", prompts("/go why")...),
		command("new-session", `const r = await ctx.newSession({ setup: async (sm: any) => { sm.appendMessage({ role: "user", content: [{ type: "text", text: "MARK-SETUP" }], timestamp: Date.now() }); } }); say("r", r.cancelled);`, reasons, append([]step{two[0]}, run, two[1])...),
		command("new-session-with", `await ctx.newSession({ withSession: async (c: any) => { await c.sendUserMessage("MARK-IN-NEW"); } });`, "", append([]step{two[0]}, run, two[1])...),
		command("fork", users+`const r = await ctx.fork(u[1].id); say("r", r.cancelled);`, reasons, append(two[:2:2], run, third)...),
		command("fork-at", users+`const r = await ctx.fork(u[1].id, { position: "at" }); say("r", r.cancelled);`, "", append(two[:2:2], run, third)...),
		command("navigate", users+`const r = await ctx.navigateTree(u[1].id, { summarize: false }); say("r", r.cancelled); say("text", ctx.ui.getEditorText());`, `pi.on("session_before_tree", (e: any) => { say("before", Object.keys(e.preparation).sort()); }); pi.on("session_tree", (e: any) => { say("tree", Object.keys(e).sort()); });`, append(two[:2:2], run, third)...),
		command("navigate-summary", users+`await ctx.navigateTree(u[1].id, { summarize: true });`, `pi.on("session_before_tree", () => ({ summary: { summary: "MARK-SUMMARY" } }));`, append(two[:2:2], run, third)...),
		command("navigate-cancelled", users+`const r = await ctx.navigateTree(u[1].id); say("r", r.cancelled);`, `pi.on("session_before_tree", () => ({ cancel: true }));`, append(two[:2:2], run, third)...),
		command("reload", `await ctx.reload();`, `say("loaded");`+reasons, append([]step{run}, two[0])...),
		command("shutdown", `ctx.shutdown(); say("asked");`, `pi.on("session_shutdown", () => say("down"));`, append([]step{run}, two[0])...),
		command("compact", `ctx.compact({ customInstructions: "short", onComplete: (r: any) => say("complete", typeof r?.summary), onError: (e: any) => say("error", e.message) });`, `pi.on("session_compact", (e: any) => say("compacted", e.fromExtension));`, append(two[:2:2], run, step{do: "await", text: "complete"}, third)...),
		command("idle", `await ctx.waitForIdle(); say("idle", ctx.isIdle());`, "", run),
		command("sends-a-command", `pi.sendUserMessage("/other MARK");`, `pi.registerCommand("other", { handler: async (a: string) => { say("other", a); } });`, run),
		command("two-of-a-name", `say("first");`, `pi.registerCommand("went", { handler: async () => {} });`, run),
		{name: "command/shutdown-in-tool", modules: []string{`pi.on("tool_call", (e: any, ctx: any) => { ctx.shutdown(); }); pi.on("session_shutdown", () => say("down"));`}, steps: prompts("MARK-GO")},
		{name: "command/abort-in-handler", modules: []string{`pi.on("tool_call", (e: any, ctx: any) => { ctx.abort(); say("after"); }); pi.on("turn_end", () => say("turn_end")); pi.on("agent_end", () => say("agent_end"));`}, steps: prompts("MARK-GO"), turns: []oracle.Turn{bash("sleep 20")}},
		{name: "session-reasons", modules: []string{reasons}, steps: []step{two[0], {do: "remember"}, {do: "new"}, two[1], {do: "resume"}, third}, turns: twoTurns},
	}
}

// people are dialogs and notices over rpc.
func people() []Cell {
	gate := func(ask string) string {
		return `pi.on("tool_call", async (e: any, ctx: any) => { const r = await ` + ask + `; say("r", r ?? null); if (r !== true && r !== "Yes") return { block: true, reason: "MARK-NOT " + r }; });`
	}
	rpc := func(name, body string, answers ...any) Cell {
		return Cell{name: "rpc/" + name, modules: []string{body}, steps: prompts("MARK-GO"), answers: answers}
	}
	start := func(body string) string {
		return `pi.on("session_start", async (e: any, ctx: any) => { ` + body + ` });`
	}
	ask := func(body string) string {
		return `pi.on("tool_call", async (e: any, ctx: any) => { ` + body + ` });`
	}
	return []Cell{
		rpc("confirm-yes", gate(`ctx.ui.confirm("Sure?", "Run\n" + e.input.command)`), true),
		rpc("confirm-no", gate(`ctx.ui.confirm("Sure?", "Run it")`), false),
		rpc("confirm-dismissed", gate(`ctx.ui.confirm("Sure?", "Run it")`), nil),
		rpc("select", gate(`ctx.ui.select("Pick\none", ["Yes", "No"])`), "No"),
		rpc("select-first", gate(`ctx.ui.select("Pick", ["Yes", "No"])`), 0),
		rpc("select-dismissed", gate(`ctx.ui.select("Pick", ["Yes", "No"])`), nil),
		rpc("input", ask(`say("r", await ctx.ui.input("Name?", "your name") ?? null);`), "MARK-TYPED"),
		rpc("editor", ask(`say("r", await ctx.ui.editor("Edit", "one\ntwo") ?? null);`), "MARK\nEDITED"),
		rpc("timeout", ask(`say("r", [await ctx.ui.confirm("Sure?", "m", { timeout: 300 }), await ctx.ui.select("Pick", ["a"], { timeout: 300 }) ?? null]);`), hang, hang),
		rpc("signal", ask(`const c = new AbortController(); setTimeout(() => c.abort(), 200); say("r", await ctx.ui.input("Name?", "", { signal: c.signal }) ?? null);`), hang),
		rpc("notify", start(`ctx.ui.notify("MARK-A"); ctx.ui.notify("MARK-B", "warning"); ctx.ui.notify("MARK-C", "error");`)),
		rpc("status", `pi.on("turn_start", (e: any, ctx: any) => ctx.ui.setStatus("st", "MARK " + e.turnIndex)); pi.on("agent_end", (e: any, ctx: any) => ctx.ui.setStatus("st", undefined));`),
		rpc("title", start(`ctx.ui.setTitle("MARK-TITLE");`)),
		rpc("editor-text", start(`ctx.ui.setEditorText("MARK-TEXT"); say("get", ctx.ui.getEditorText());`)),
		rpc("widget", start(`ctx.ui.setWidget("w", ["MARK-ONE", "MARK-TWO"]); ctx.ui.setWidget("w", undefined);`)),
		rpc("custom", ask(`say("r", await ctx.ui.custom((tui: any, theme: any, keys: any, done: any) => { done("x"); return { render: () => ["r"], invalidate() {} } as any; }) ?? null);`)),
		rpc("facts", start(`say("facts", [ctx.hasUI, ctx.mode ?? null]);`)),
	}
}
