// Hides keys in what the agent reads.
import type { HookAPI } from "@oh-my-pi/pi-coding-agent/hooks";

export default function (pi: HookAPI): void {
  pi.on("tool_result", async (event) => ({
    content: event.content.map((part) => (part.type === "text" ? { ...part, text: part.text.replace(/KEY=\w+/g, "KEY=[hidden]") } : part)),
  }));
}
