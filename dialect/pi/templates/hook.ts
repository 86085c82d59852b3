// {{.Name}}: a module with a hook for {{.PiName}}. It runs inside hookline, without
// Node. Test it with: hookline test
import type { HookAPI } from "@oh-my-pi/pi-coding-agent/hooks";

export default function (pi: HookAPI): void {
	pi.on("{{.PiName}}", async (event, ctx) => {
{{- if .Blocks}}
		if (JSON.stringify(event.input).includes("rm -rf")) {
			return { block: true, reason: "{{.Name}}: not allowed" };
		}
{{- else}}
		ctx.ui.notify(`{{.Name}} saw ${event.type}`, "info");
{{- end}}
	});
}
