// Puts a trace into the session for people, and leaves it out of every call to the
// model; the session keeps it.
import type { HookAPI } from "@oh-my-pi/pi-coding-agent/hooks";

export default function (pi: HookAPI): void {
	pi.on("session_start", async () => {
		pi.sendMessage({ customType: "debug-only", content: "debug: the module is loaded", display: false });
	});
	pi.on("context", async (event) => {
		const kept = event.messages.filter((m) => !(m.role === "custom" && m.customType === "debug-only"));
		return { messages: kept };
	});
}
