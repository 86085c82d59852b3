// A gate in TypeScript: it runs in this binary, without Node. A handler that
// throws blocks the call.
import type { HookAPI } from "@oh-my-pi/pi-coding-agent/hooks";

export default function (pi: HookAPI): void {
	pi.on("tool_call", async (event, ctx) => {
		if (event.toolName !== "bash") return;
		const command = String(event.input.command ?? "");
		if (!/\bnpm\s+publish\b/.test(command)) return;
		if (!ctx.hasUI) return { block: true, reason: "publishing needs a person, and there is none" };
		const ok = await ctx.ui.confirm("Publish?", command);
		if (!ok) return { block: true, reason: "the person said no" };
	});
}
