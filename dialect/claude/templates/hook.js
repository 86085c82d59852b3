#!/usr/bin/env node
// {{.Name}}: a hook for {{.Event}}.
{{- if eq (print .Event) "PermissionRequest"}}
// The event is JSON on stdin; a JSON object on stdout decides. No output and exit code 0
// mean no opinion.
{{- else}}
// The event is JSON on stdin. Exit code 2 blocks, and stderr is the reason; a JSON
// object on stdout says more. No output and exit code 0 mean no opinion.
{{- end}}
// Test it with: hookline test

let text = "";
process.stdin.on("data", (chunk) => (text += chunk));
process.stdin.on("end", () => {
  const event = JSON.parse(text);
{{- if .Refuses}}
  // One field, without the quotes and backslashes that a shell drops. No pattern knows
  // every spelling of a command.
  const field = String(event.{{if ne .Field "prompt"}}tool_input?.{{end}}{{.Field}} ?? "").replace(/\\\n|["']|\\(.)/g, "$1");
  if (new RegExp({{.Pattern}}).test(field)) {
{{- if eq (print .Event) "PermissionRequest"}}
    const decision = { behavior: "deny", message: "{{.Name}}: not allowed" };
    console.log(JSON.stringify({ hookSpecificOutput: { hookEventName: "PermissionRequest", decision } }));
{{- else}}
    console.error("{{.Name}}: not allowed");
    process.exitCode = 2;
{{- end}}
  }
{{- else if eq (print .Event) "WorktreeCreate"}}
  // What it prints last is the path of the directory that it has made.
  const { mkdtempSync } = require("node:fs");
  console.log(mkdtempSync(require("node:path").join(require("node:os").tmpdir(), "{{.Name}}-")));
{{- else}}
  console.error("{{.Name}} saw", event.hook_event_name);
{{- end}}
});
