package pi

import "github.com/hookline-dev/hookline/internal/oracle"

// ends are the handlers that come last: where a turn or a prompt ends, and before a
// request is sent. 1.6.0 was the first to have them.
func ends() []Cell {
	two := prompts("MARK-FIRST", "MARK-SECOND")
	added := `{ type: "custom_message", customType: "n", content: "MARK-ADDED", display: true, details: { k: 1 } }`
	messages := `const said = (list: any[]) => list.filter((m) => m.role !== "system").map((m) => [m.role, text(m.content)]);`
	var out []Cell
	add := func(name, body string, steps ...step) *Cell {
		out = append(out, Cell{name: name, newest: true, modules: []string{body}, steps: steps})
		if steps != nil {
			out[len(out)-1].turns = twoTurns
		}
		return &out[len(out)-1]
	}
	add("turn_end/members", messages+`pi.on("turn_end" as any, (e: any) => { say("keys", Object.keys(e).sort()); say("state", [e.entries, e.continue, e.outcome]);
		say("context", [Object.keys(e.context).sort(), e.context.canContinue, said(e.context.contextMessages), said(e.context.llmMessages), e.context.pendingMessages.length]);
		say("kinds", e.context.contextEntries.filter((x: any) => x.sourceEntry.type === "message" && x.sourceEntry.message.role !== "system").map((x: any) => x.messages.length)); });`)
	add("turn_end/message", `pi.on("turn_end" as any, (e: any) => e.toolResults.length ? { entries: [...e.entries, `+added+`] } : undefined);`)
	add("turn_end/state", `pi.on("turn_end" as any, (e: any) => ({ entries: [...e.entries, { type: "custom", customType: "st", data: { v: e.turnIndex } }] })); pi.on("agent_end", (e: any, ctx: any) => say("kept", ctx.sessionManager.getEntries().filter((x: any) => x.type === "custom").map((x: any) => x.data)));`)
	add("turn_end/last-message", `let d = 0; pi.on("turn_end" as any, (e: any) => d++ ? undefined : { entries: [`+added+`] });`, two...)
	add("turn_end/continue", `let d = 0; pi.on("turn_end" as any, (e: any) => d++ ? undefined : { entries: [`+added+`], continue: true });`, two...)
	add("turn_end/continue-nothing", `let d = 0; pi.on("turn_end" as any, (e: any) => d++ ? undefined : { continue: true });`, two...)
	order := `for (const on of ["agent_end", "agent_before_settle", "agent_settled"]) pi.on(on as any, (e: any) => say(on, e.outcome ?? null));`
	add("agent_before_settle/order", order).modules = []string{`pi.on("agent_before_settle" as any, () => say("first"));`, order}
	add("agent_before_settle/members", `pi.on("agent_before_settle" as any, (e: any) => say("keys", Object.keys(e).sort()));`)
	add("agent_before_settle/message", `let d = 0; pi.on("agent_before_settle" as any, () => d++ ? undefined : { entries: [`+added+`] });`, two...)
	add("agent_before_settle/continue", order+`let d = 0; pi.on("agent_before_settle" as any, () => d++ ? undefined : { entries: [`+added+`], continue: true });`, two...)
	add("agent_before_settle/waits", order+`let d = 0; pi.on("agent_end", () => { if (!d++) pi.sendUserMessage("MARK-MORE", { deliverAs: "followUp" }); });`)
	add("agent_before_settle/model-error", order).turns = []oracle.Turn{{Status: 400}}
	add("context_with_system/order", "").modules = []string{
		messages + `pi.on("context_with_system" as any, (e: any) => say("whole", [e.messages[0].role, said(e.messages)]));`,
		`pi.on("context", (e: any) => { say("context", e.messages.some((m: any) => m.role === "system")); return { messages: [...e.messages, { role: "user", content: "MARK-ADDED", timestamp: 0 }] }; });`,
	}
	add("context_with_system/add", `pi.on("context_with_system" as any, (e: any) => ({ messages: [...e.messages, { role: "user", content: "MARK-LAST", timestamp: 0 }] }));`)
	add("context_with_system/push", `pi.on("context_with_system" as any, (e: any) => { e.messages.push({ role: "user", content: "MARK-PUSHED", timestamp: 0 }); });`)
	add("context_with_system/system", `pi.on("context_with_system" as any, (e: any) => ({ messages: [{ ...e.messages[0], content: "MARK-SYSTEM" }, ...e.messages.slice(1)] }));`).modules = []string{
		`let d = 0; pi.on("context_with_system" as any, (e: any) => d++ ? undefined : { messages: [{ ...e.messages[0], content: "MARK-SYSTEM" }, ...e.messages.slice(1)] });`,
		`pi.on("context_with_system" as any, (e: any) => say("sees", text(e.messages[0].content) === "MARK-SYSTEM"));`,
	}
	add("before_provider_headers/set", "").modules = []string{
		`pi.on("before_provider_headers" as any, (e: any) => { say("first", e); e.headers["x-mark"] = "MARK-HEADER"; });`,
		`pi.on("before_provider_headers" as any, (e: any) => { say("second", e.headers); }); pi.on("before_provider_request", () => say("request"));`,
	}
	add("before_provider_headers/take-away", `pi.on("before_provider_headers" as any, (e: any) => { e.headers["x-mark"] = null; return { headers: { "x-mark": "MARK-UNUSED" } }; });`)
	add("api/projection", messages+`pi.on("agent_end", (e: any, ctx: any) => { const s = ctx.sessionManager, p = s.buildSessionProjection();
		say("entries", s.buildContextEntries().filter((x: any) => x.type === "message" && x.message.role !== "system").map((x: any) => [x.message.role, s.getEntry(x.id)?.id === x.id]));
		say("projection", [Object.keys(p).sort(), said(p.messages), p.thinkingLevel, p.model, p.entries.every((x: any) => x.sourceEntry.id && Array.isArray(x.messages))]); });`)
	add("api/registry-types", `pi.on("session_start", async (e: any, ctx: any) => { const r = ctx.modelRegistry, id = ctx.model.id;
		say("types", [r.getModelOfType("chat", "anthropic", id)?.id, r.findOfType("chat", "no", id) ?? null, r.findOfType("image", "anthropic", id) ?? null, r.getModelsOfType("chat", "anthropic").some((m: any) => m.id === id), r.getModelsOfType("classifier").length, r.getModelsOfType("chat", "no").length, (await r.getAvailableOfType("chat", "anthropic")).some((m: any) => m.id === id)]);
		say("auth", [r.getProviderAuthStatus("anthropic").configured, r.getProviderAuthStatus("no").configured, typeof (await r.getProviderAuth("anthropic"))?.auth?.apiKey, typeof await r.getProviderAuth("no")]);
		say("registered", [r.getRegisteredProviderIds(), r.getRegisteredProviderConfig("anthropic") ?? null, r.getRegisteredNativeProvider("anthropic") ?? null]); });`)
	for _, method := range []string{"stream", "streamSimple"} {
		add("api/registry-"+method, `pi.on("agent_end", async (e: any, ctx: any) => { const s = ctx.modelRegistry.`+method+`(ctx.model, { messages: [{ role: "user", content: [{ type: "text", text: "MARK-ASIDE" }], timestamp: 0 }] }); let last: any; for await (const x of s) last = x.type; const m = await s.result(); say("said", [last, m.role, text(m.content), m.stopReason]); });`)
	}
	return out
}
