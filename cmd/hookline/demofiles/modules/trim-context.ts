// Leaves messages out of a single call to the model; the session keeps them.
import type { HookAPI } from "@oh-my-pi/pi-coding-agent/hooks";

export default function (pi: HookAPI): void {
	pi.on("context", async (event) => {
		const kept = event.messages.filter((m) => !(m.role === "custom" && m.customType === "debug-only"));
		return { messages: kept };
	});
}
