#!/usr/bin/env node
// {{.Name}}: a hook for {{.Event}}.
// The event is JSON on stdin. Exit code 2 blocks, and stderr is the reason; a JSON
// object on stdout says more. No output and exit code 0 mean no opinion.
// Test it with: hookline test

let text = "";
process.stdin.on("data", (chunk) => (text += chunk));
process.stdin.on("end", () => {
  const event = JSON.parse(text);
{{- if .Blocks}}
  if (JSON.stringify(event).includes("rm -rf")) {
    console.error("{{.Name}}: not allowed");
    process.exitCode = 2;
  }
{{- else}}
  console.error("{{.Name}} saw", event.hook_event_name);
{{- end}}
});
