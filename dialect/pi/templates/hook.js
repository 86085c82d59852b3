// {{.Name}}: a module with a hook for {{.PiName}}. It runs inside hookline, without
// Node. Test it with: hookline test


export default function (pi) {
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
