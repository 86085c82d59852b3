#!/usr/bin/env node
// {{.Name}}: a worker with a hook for {{.Event}}. It stays, and answers every event.
// Test it with: hookline test
import { {{if .Refuses}}deny, {{end}}hook, run } from "./lib/hookline.mjs";

hook("{{.Event}}", { {{with .Match}}match: {{.}}, {{end}}name: "{{.Name}}"{{if .Refuses}}, guard: true{{end}} }, (event) => {
{{- if .Refuses}}
  // One field, without the quotes and backslashes that a shell drops. No pattern knows
  // every spelling of a command.
  const text = String(event.{{if ne .Field "prompt"}}tool_input?.{{end}}{{.Field}} ?? "").replace(/\\\n|["']|\\(.)/g, "$1");
  if (new RegExp({{.Pattern}}).test(text)) return deny("{{.Name}}: not allowed");
{{- else}}
  console.error("{{.Name}} saw", event.hook_event_name);
{{- end}}
});

run();
