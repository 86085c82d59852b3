// Asks a person before anything is deployed, and remembers a yes for the session.
// Without a person to ask it refuses.
import type { HookAPI } from "@oh-my-pi/pi-coding-agent/hooks";

const deploys = /\b(kubectl\s+apply|terraform\s+apply|npm\s+publish)\b/;

export default function (pi: HookAPI): void {
  const agreed = new Set<string>();

  pi.on("session_start", () => agreed.clear());

  pi.on("tool_call", async (event, ctx) => {
    if (event.toolName !== "bash") return;
    const command = String(event.input.command ?? "");
    const what = command.match(deploys)?.[0];
    if (!what || agreed.has(what)) return;

    if (!ctx.hasUI) return { block: true, reason: `${what} needs a person, and there is none` };
    if (!(await ctx.ui.confirm("Deploy?", command))) return { block: true, reason: "the person said no" };
    agreed.add(what);
  });
}
