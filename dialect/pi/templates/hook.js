// {{.Name}}: a module with a hook for {{.PiName}}. It runs inside hookline, without
// Node. Test it with: hookline test

export default function (pi) {
	pi.on("{{.PiName}}", async (event, ctx) => {
{{- if .Refuses}}
		// One field, without the quotes and backslashes that a shell drops. No pattern knows
		// every spelling of a command.
		const text = String(event.input.{{.Field}} ?? "").replace(/\\\n|["']|\\(.)/g, "$1");
		if (new RegExp({{.Pattern}}).test(text)) {
			return { block: true, reason: "{{.Name}}: not allowed" };
		}
{{- else}}
		ctx.ui.notify(`{{.Name}} saw ${event.type}`, "info");
{{- end}}
	});
}
