#!/usr/bin/env node
// {{.Name}}: an executable hook for {{.Type}}.
// "hook" prints what it is for; "run" answers one event, given as JSON on stdin.
// No output means no opinion. Test it with: hookline test

function answer(event) {
{{- if .Refuses}}
  // One field, without the quotes and backslashes that a shell drops. No pattern knows
  // every spelling of a command.
  const text = String(event.{{if ne .Field "message"}}tool_input?.{{end}}{{.Field}} ?? "").replace(/\\\n|["']|\\(.)/g, "$1");
  if (new RegExp({{.Pattern}}).test(text)) {
    return { blocked: true, reason: "{{.Name}}: not allowed" };
  }
{{- else}}
  console.error("{{.Name}} saw", event.event);
{{- end}}
}

if (process.argv[2] === "hook") {
  console.log("{{.Type}}");
} else if (process.argv[2] === "run") {
  let text = "";
  process.stdin.on("data", (chunk) => (text += chunk));
  process.stdin.on("end", () => {
    const result = answer(JSON.parse(text));
    if (result) console.log(JSON.stringify(result));
  });
} else {
  console.error("usage: {{.Name}} hook|run");
  process.exitCode = 1;
}
