package pi

import "github.com/hookline-dev/hookline/internal/oracle"

// few are the cells that CI plays, where pi is installed already.
var few = []string{
	"tool_call/block", "tool_call/block-without-reason", "tool_call/block-and-result", "tool_call/second-blocks", "tool_call/one-of-two", "tool_call/inputs",
	"tool_call/replace-input", "tool_call/change-path", "tool_result/replace", "tool_result/make-error", "context/add", "rpc/confirm-no",
}

// CellsOfOhMyPi returns the cells that oh-my-pi plays, written for it: all that need nobody
// who sits there, but not pi's own examples, and not those that compare all members of
// pi's events.
func CellsOfOhMyPi() []Cell {
	var out []Cell
	for _, c := range Cells() {
		if c.steps == nil && c.example == "" && !c.watched && !c.newest {
			c.name, c.host = "oh-my-pi/"+c.name, OhMyPi.Name
			out = append(out, c)
		}
	}
	return out
}

// Cells returns the table.
func Cells() []Cell {
	var out []Cell
	for _, part := range [][]Cell{sessions(), answers(), failures(), members(), commands(), people(), ends(), exampleCells()} {
		out = append(out, part...)
	}
	return out
}

var twoTurns = []oracle.Turn{oracle.Say("MARK-ONE"), oracle.Say("MARK-TWO"), oracle.Say("MARK-THREE")}

// sessions are the order and the members of all events together.
func sessions() []Cell {
	two := prompts("MARK-FIRST", "MARK-SECOND")
	out := []Cell{
		{name: "bash"},
		{name: "failing-bash", turns: []oracle.Turn{bash("echo MARK-OUT; exit 3")}},
		{name: "text-and-two-calls", turns: []oracle.Turn{{Blocks: []oracle.Block{{Text: "MARK-LOOK"}, {Tool: "bash", Input: object{"command": "echo 1"}}, {Tool: "bash", Input: object{"command": "sleep 2; echo 2"}}}}}},
		{name: "write-edit-read", turns: []oracle.Turn{
			call("write", object{"path": "a.txt", "content": "one\ntwo\n"}),
			call("edit", object{"path": "a.txt", "edits": []object{{"oldText": "two", "newText": "zwei"}}}),
			call("read", object{"path": "a.txt"}),
		}},
		{name: "unknown-tool", turns: []oracle.Turn{call("no_such_tool", object{"a": 1})}},
		{name: "missing-file", turns: []oracle.Turn{call("read", object{"path": "nothing.txt"})}},
		{name: "model-error", turns: []oracle.Turn{{Status: 400}}},
		{name: "two-prompts", steps: two, turns: twoTurns},
		{name: "picture", steps: []step{{do: "image", text: "MARK-LOOK"}}, turns: twoTurns},
		{name: "new-session", steps: append(two[:1:1], step{do: "new"}, step{do: "prompt", text: "MARK-OTHER"}), turns: twoTurns},
		{name: "resume", steps: []step{{do: "prompt", text: "MARK-FIRST"}, {do: "remember"}, {do: "new"}, {do: "prompt", text: "MARK-OTHER"}, {do: "resume"}, {do: "prompt", text: "MARK-BACK"}}, turns: twoTurns},
		{name: "fork", steps: append(two[:2:2], step{do: "fork", n: 1}, step{do: "prompt", text: "MARK-THIRD"}), turns: twoTurns},
		{name: "change-model", steps: append(two[:1:1], step{do: "model"}, two[1]), turns: twoTurns},
		{name: "abort", steps: []step{{do: "start", text: "MARK-GO"}, {do: "await", text: "tool_call"}, {do: "abort"}, {do: "prompt", text: "MARK-AGAIN"}}, turns: []oracle.Turn{bash("sleep 20")}},
	}
	for i := range out {
		out[i].name, out[i].watched = "session/"+out[i].name, true
	}
	return out
}

// answers are what handlers may return, event by event.
func answers() []Cell {
	log := `pi.on("tool_result", (e: any) => say("result", [e.isError, text(e.content), e.input, e.details ?? null]));`
	two := prompts("MARK-FIRST", "MARK-SECOND")
	return []Cell{
		{name: "tool_call/block", modules: []string{`pi.on("tool_call", () => ({ block: true, reason: "MARK-NO" }));`}},
		{name: "tool_call/block-and-result", modules: []string{`pi.on("tool_call", () => ({ block: true, reason: "MARK-NO" }));` + log}},
		{name: "tool_call/block-without-reason", modules: []string{`pi.on("tool_call", () => ({ block: true }));`}},
		{name: "tool_call/no-block", modules: []string{`pi.on("tool_call", () => ({ block: false, reason: "MARK-UNUSED" }));`}},
		{name: "tool_call/second-blocks", modules: []string{`pi.on("tool_call", () => { say("a"); });`, `pi.on("tool_call", () => ({ block: true, reason: "MARK-B" }));`, `pi.on("tool_call", () => { say("c"); });`}},
		{name: "tool_call/one-of-two", modules: []string{`pi.on("tool_call", (e: any) => e.input.command.includes("two") ? { block: true, reason: "MARK-NOT-TWO" } : undefined);`}, turns: []oracle.Turn{{Blocks: []oracle.Block{{Tool: "bash", Input: object{"command": "echo MARK one"}}, {Tool: "bash", Input: object{"command": "echo MARK two"}}}}}},
		{name: "tool_call/change", modules: []string{`pi.on("tool_call", (e: any) => { e.input.command = "echo MARK-CHANGED > changed.txt; cat changed.txt"; });` + log, `pi.on("tool_call", (e: any) => { say("sees", e.input); });`}},
		{name: "tool_call/replace-input", modules: []string{`pi.on("tool_call", (e: any) => { e.input = { command: "echo MARK-REPLACED > replaced.txt" }; });`}},
		{name: "tool_call/change-path", modules: []string{`pi.on("tool_call", (e: any) => { if (e.toolName === "write") e.input.path = "other.txt"; });`}, turns: []oracle.Turn{call("write", object{"path": "a.txt", "content": "x\n"})}},
		{name: "tool_call/inputs", modules: []string{`pi.on("tool_call", (e: any) => { say(e.toolName, e.input); });`}, files: map[string]string{"a.txt": "one two\n"}, turns: []oracle.Turn{
			call("read", object{"path": "a.txt"}),
			call("edit", object{"path": "a.txt", "edits": []object{{"oldText": "two", "newText": "zwei"}}}), call("bash", object{"command": "true", "timeout": 30}),
		}},
		{name: "tool_result/replace", modules: []string{`pi.on("tool_result", () => ({ content: [{ type: "text", text: "MARK-REPLACED" }] }));`}},
		{name: "tool_result/append", modules: []string{`pi.on("tool_result", (e: any) => ({ content: [...e.content, { type: "text", text: "MARK-APPENDED" }] }));`}},
		{name: "tool_result/chain", modules: []string{`pi.on("tool_result", (e: any) => ({ content: [{ type: "text", text: text(e.content).trim() + "+A" }] }));`, `pi.on("tool_result", (e: any) => ({ content: [{ type: "text", text: text(e.content).trim() + "+B" }] }));`}},
		{name: "tool_result/empty", modules: []string{`pi.on("tool_result", () => ({ content: [] }));`}},
		{name: "tool_result/make-error", modules: []string{`pi.on("tool_result", () => ({ isError: true, content: [{ type: "text", text: "MARK-WRONG" }] }));`}},
		{name: "tool_result/mend-error", modules: []string{`pi.on("tool_result", () => ({ isError: false, content: [{ type: "text", text: "MARK-FINE" }] }));`}, turns: []oracle.Turn{bash("exit 4")}},
		{name: "tool_result/explain-error", modules: []string{`pi.on("tool_result", () => ({ content: [{ type: "text", text: "MARK-EXPLAINED" }] }));`}, turns: []oracle.Turn{bash("exit 4")}},
		{name: "tool_result/details", modules: []string{`pi.on("tool_result", () => ({ details: { mine: 1 } })); pi.on("message_end", (e: any) => { if (e.message.role === "toolResult") say("details", e.message.details); });`}},
		{name: "tool_result/in-place", modules: []string{`pi.on("tool_result", (e: any) => { e.content[0].text = "MARK-IN-PLACE"; });`}},
		{name: "tool_result/at-once", modules: []string{`pi.on("tool_result", (e: any) => say("result", text(e.content).trim()));`}, turns: []oracle.Turn{{Blocks: []oracle.Block{{Tool: "bash", Input: object{"command": "sleep 2; echo MARK one"}}, {Tool: "bash", Input: object{"command": "echo MARK two"}}}}}},
		{name: "tool_result/picture", modules: []string{`pi.on("tool_result", () => ({ content: [{ type: "image", data: "` + dot + `", mimeType: "image/png" }, { type: "text", text: "MARK-PICTURE" }] }));`}},
		{name: "tool_result/of-edit", modules: []string{`pi.on("tool_result", (e: any) => { say("diff", typeof e.details?.diff); say("text", text(e.content)); });`}, files: map[string]string{"a.txt": "one\ntwo\n"}, turns: []oracle.Turn{call("edit", object{"path": "a.txt", "edits": []object{{"oldText": "two", "newText": "zwei"}}})}},
		{name: "tool_result/of-read", modules: []string{log}, files: map[string]string{"a.txt": "one\ntwo\n"}, turns: []oracle.Turn{call("read", object{"path": "a.txt"})}},
		{name: "context/add", modules: []string{`pi.on("context", (e: any) => ({ messages: [...e.messages, { role: "user", content: "MARK-ADDED", timestamp: 0 }] }));`}},
		{name: "context/add-custom", modules: []string{`pi.on("context", (e: any) => ({ messages: [...e.messages, { role: "custom", customType: "n", content: "MARK-CUSTOM", display: false, timestamp: 0 }] }));`}},
		{name: "context/push", modules: []string{`pi.on("context", (e: any) => { e.messages.push({ role: "user", content: [{ type: "text", text: "MARK-PUSHED" }], timestamp: 0 }); });`}},
		{name: "context/edit", modules: []string{`pi.on("context", (e: any) => { for (const m of e.messages) if (m.role === "user") for (const b of m.content) if (b.type === "text") b.text = "MARK-EDITED"; });`}},
		{name: "context/shrink-results", modules: []string{`pi.on("context", (e: any) => ({ messages: e.messages.map((m: any) => m.role === "toolResult" ? { ...m, content: [{ type: "text", text: "MARK-SHRUNK" }] } : m) }));`}},
		{name: "context/once", modules: []string{`let n = 0; pi.on("context", (e: any) => { say("messages", e.messages.length); if (n++ === 0) return { messages: [...e.messages, { role: "user", content: "MARK-ONCE", timestamp: 0 }] }; });`}},
		{name: "before_agent_start/message", modules: []string{`pi.on("before_agent_start", () => ({ message: { customType: "n", content: "MARK-MESSAGE", display: true, details: { k: 1 } } }));`}},
		{name: "before_agent_start/hidden", modules: []string{`pi.on("before_agent_start", () => ({ message: { customType: "n", content: "MARK-HIDDEN", display: false } }));`}},
		{name: "before_agent_start/two-messages", modules: []string{`for (const x of ["A", "B"]) pi.on("before_agent_start", () => ({ message: { customType: "n", content: "MARK-" + x, display: true } }));`}},
		{name: "before_agent_start/system", modules: []string{`pi.on("before_agent_start", (e: any) => ({ systemPrompt: e.systemPrompt + "\n\nMARK-SYSTEM-A" }));`, `pi.on("before_agent_start", (e: any, ctx: any) => { say("sees", [e.systemPrompt.endsWith("MARK-SYSTEM-A"), ctx.getSystemPrompt().endsWith("MARK-SYSTEM-A")]); return { systemPrompt: e.systemPrompt + "\nMARK-SYSTEM-B" }; });`}},
		{name: "before_agent_start/system-once", modules: []string{`let n = 0; pi.on("before_agent_start", (e: any) => { say("has", e.systemPrompt.includes("MARK-ONCE")); if (n++ === 0) return { systemPrompt: e.systemPrompt + "\nMARK-ONCE" }; });`}, steps: two, turns: twoTurns},
		{name: "before_agent_start/options", files: map[string]string{"AGENTS.md": "MARK-RULE be kind\n"}, modules: []string{`pi.on("before_agent_start", (e: any) => { const o = e.systemPromptOptions ?? {}; say("options", [o.cwd === process.cwd(), (o.selectedTools ?? []).includes("bash"), typeof o.toolSnippets?.read, (o.contextFiles ?? []).map((f: any) => [f.path.split("/").pop(), f.content]), Array.isArray(o.skills)]); });`}},
		{name: "input/transform", modules: []string{`pi.on("input", (e: any) => ({ action: "transform", text: e.text + " A" }));`, `pi.on("input", (e: any) => { say("sees", [e.text, e.source]); return { action: "transform", text: e.text + " B" }; });`}},
		{name: "input/handled", modules: []string{`pi.on("input", () => ({ action: "handled" }));`, `pi.on("input", () => { say("second ran"); });`}},
		{name: "input/continue", modules: []string{`pi.on("input", () => ({ action: "continue" }));`}},
		{name: "input/no-pictures", modules: []string{`pi.on("input", () => ({ action: "transform", text: "MARK-NO-PICTURES", images: [] }));`}, steps: []step{{do: "image", text: "MARK-LOOK"}}, turns: twoTurns},
		{name: "input/to-command", modules: []string{`pi.registerCommand("go", { handler: async (a: string) => { say("command", a); } }); pi.on("input", () => ({ action: "transform", text: "/go MARK" }));`}},
		{name: "input/of-commands", modules: []string{`pi.registerCommand("go", { handler: async (a: string) => { say("command", a); } }); pi.on("input", (e: any) => { say("input", [e.text, e.source]); });`}, steps: prompts("/go MARK", "/nope MARK"), turns: twoTurns},
		{name: "message_end/replace", modules: []string{`pi.on("message_end", (e: any) => { if (e.message.role === "assistant") return { message: { ...e.message, content: [{ type: "text", text: "MARK-SAID" }] } }; });`}, steps: two, turns: twoTurns},
		{name: "provider_request/keys", modules: []string{`pi.on("before_provider_request", (e: any) => { say("keys", ["model", "messages", "max_tokens", "stream", "system", "tools"].map((k) => [k, Array.isArray(e.payload[k]) ? "list" : typeof e.payload[k]])); say("roles", e.payload.messages.map((m: any) => m.role)); });`}},
		{name: "provider_request/change", modules: []string{`pi.on("before_provider_request", (e: any) => { const p = structuredClone(e.payload); p.messages[0].content = [{ type: "text", text: "MARK-PAYLOAD" }]; return p; });`}},
		{name: "provider_response/status", modules: []string{`pi.on("after_provider_response", (e: any) => { say("response", [e.status, e.headers["content-type"]]); });`}},
		{name: "session_info_changed/told", modules: []string{`pi.registerCommand("go", { handler: async () => { pi.setSessionName("MARK-NAME"); await later(200); say("done"); } }); pi.on("session_info_changed" as any, (e: any) => say("name", e));`}, steps: prompts("MARK-FIRST", "/go")},
		{name: "ui_prompt/told", modules: []string{`pi.registerCommand("go", { handler: async (a: string, ctx: any) => { await ctx.ui.confirm("MARK-SURE", "really"); await later(200); say("done"); } }); for (const on of ["ui_prompt_start", "ui_prompt_end"]) pi.on(on as any, (e: any) => say(on, e));`}, steps: prompts("/go"), answers: []any{true}},
		{name: "session_compact_failed/told", modules: []string{`pi.on("session_before_compact", () => ({ cancel: true })); pi.on("session_compact_failed" as any, (e: any) => say("failed", [e.reason, e.aborted, e.errorMessage ?? null]));`}, steps: append(two[:2:2], step{do: "compact"}, step{do: "prompt", text: "MARK-THIRD"}), turns: twoTurns},
		{name: "session_before_switch/cancel", modules: []string{`pi.on("session_before_switch", (e: any) => { say("e", e); return { cancel: true }; });`}, steps: []step{two[0], {do: "new"}, two[1]}, turns: twoTurns},
		{name: "session_before_fork/cancel", modules: []string{`pi.on("session_before_fork", (e: any) => { say("keys", Object.keys(e).sort()); return { cancel: true }; });`}, steps: append(two[:2:2], step{do: "fork", n: 1}, step{do: "prompt", text: "MARK-THIRD"}), turns: twoTurns},
		{name: "session_before_compact/cancel", modules: []string{`pi.on("session_before_compact", (e: any) => { say("keys", Object.keys(e.preparation).sort()); say("text", e.customInstructions ?? null); return { cancel: true }; });`}, steps: append(two[:2:2], step{do: "compact", text: "short"}, step{do: "prompt", text: "MARK-THIRD"}), turns: twoTurns},
		{name: "session_before_compact/own", modules: []string{`pi.on("session_before_compact", (e: any) => ({ compaction: { summary: "MARK-SUMMARY", firstKeptEntryId: e.preparation.firstKeptEntryId, tokensBefore: e.preparation.tokensBefore } })); pi.on("session_compact", (e: any) => say("compacted", [e.fromExtension, e.compactionEntry?.summary]));`}, steps: append(two[:2:2], step{do: "compact"}, step{do: "prompt", text: "MARK-THIRD"}), turns: twoTurns},
		{name: "resources_discover/skill", modules: []string{`pi.on("resources_discover", (e: any) => { say("e", [e.reason, e.cwd === process.cwd()]); return { skillPaths: [process.cwd() + "/sk/SKILL.md"] }; });`}, files: map[string]string{"sk/SKILL.md": "---\nname: my-skill\ndescription: MARK-SKILL\n---\nDo it.\n"}},
		{name: "resources_discover/prompt", modules: []string{`pi.on("resources_discover", () => ({ promptPaths: [process.cwd() + "/pr"] }));`}, files: map[string]string{"pr/greeting.md": "MARK-TEMPLATE for $1\n"}, steps: prompts("/greeting you"), turns: twoTurns},
	}
}

// failures are handlers that throw, event by event, and modules that do not load.
func failures() []Cell {
	var out []Cell
	for _, event := range []string{"session_start", "before_agent_start", "agent_start", "turn_start", "context", "tool_call", "tool_result", "message_start", "message_end", "turn_end", "agent_end", "agent_settled", "session_shutdown", "input", "before_provider_request", "tool_execution_start"} {
		out = append(out, Cell{name: event + "/throw", modules: []string{`pi.on("` + event + `" as any, () => { throw new Error("MARK-BROKEN"); });`, `pi.on("` + event + `" as any, () => { say("next ran"); });`}})
	}
	return append(
		out,
		Cell{name: "tool_call/throw-text", modules: []string{`pi.on("tool_call", () => { throw "MARK-TEXT"; });`}},
		Cell{name: "tool_call/reject", modules: []string{`pi.on("tool_call", async () => { await later(20); throw new TypeError("MARK-LATE"); });`}},
		Cell{name: "load/asynchronous", modules: []string{`return (async () => { await later(100); pi.on("tool_call", () => ({ block: true, reason: "MARK-ASYNC" })); })();`}},
	)
}
