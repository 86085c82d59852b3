// A checkpoint of the work tree before each turn, in the manner of the first
// hooks: no imports but types, everything by way of exec.
import type { HookAPI } from "@oh-my-pi/pi-coding-agent/hooks";

export default function (pi: HookAPI): void {
	const checkpoints = new Map<number, string>();

	pi.on("turn_start", async (event, ctx) => {
		const { stdout, code } = await pi.exec("git", ["stash", "create"], { cwd: ctx.cwd });
		const ref = stdout.trim();
		if (code === 0 && ref) checkpoints.set(event.turnIndex, ref);
	});

	pi.on("session_before_branch", async (_event, ctx) => {
		const ref = [...checkpoints.values()].pop();
		if (!ref) return;
		if (!ctx.hasUI) return;
		const choice = await ctx.ui.select("Restore the files too?", ["No", `Yes, from ${ref.slice(0, 7)}`]);
		if (choice?.startsWith("Yes")) {
			const { code, stderr } = await pi.exec("git", ["checkout", ref, "--", "."], { cwd: ctx.cwd });
			ctx.ui.notify(code === 0 ? "Files restored" : stderr, code === 0 ? "info" : "error");
		}
		return { skipConversationRestore: choice === undefined };
	});
}
