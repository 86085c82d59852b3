#!/usr/bin/env node
// {{.Name}}: a hook for {{.Event}}.
{{- if eq .Event "PermissionRequest"}}
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
{{- if .Blocks}}
  if (JSON.stringify(event).includes("rm -rf")) {
{{- if eq .Event "PermissionRequest"}}
    const decision = { behavior: "deny", message: "{{.Name}}: not allowed" };
    console.log(JSON.stringify({ hookSpecificOutput: { hookEventName: "PermissionRequest", decision } }));
{{- else}}
    console.error("{{.Name}}: not allowed");
    process.exitCode = 2;
{{- end}}
  }
{{- else if eq .Event "WorktreeCreate"}}
  // What it prints last is the path of the directory that it has made.
  const { mkdtempSync } = require("node:fs");
  console.log(mkdtempSync(require("node:path").join(require("node:os").tmpdir(), "{{.Name}}-")));
{{- else}}
  console.error("{{.Name}} saw", event.hook_event_name);
{{- end}}
});
