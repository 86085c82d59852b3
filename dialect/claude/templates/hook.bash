#!/usr/bin/env bash
# {{.Name}}: a hook for {{.Event}}.
{{- if eq (print .Event) "PermissionRequest"}}
# The event is JSON on stdin; a JSON object on stdout decides. No output and exit code 0
# mean no opinion.
{{- else}}
# The event is JSON on stdin. Exit code 2 blocks, and stderr is the reason; a JSON
# object on stdout says more. No output and exit code 0 mean no opinion.
{{- end}}
# Test it with: hookline test
set -euo pipefail
{{if .Refuses}}
# jq looks at one field, without the quotes and backslashes that a shell drops. No pattern
# knows every spelling of a command; a guard that cannot read its event refuses.
reason=$(jq -r 'select(.{{if ne .Field "prompt"}}tool_input.{{end}}{{.Field}} // "" | tostring
  | gsub("\\\\\n|[\"\u0027]|\\\\(?<c>.)"; .c // "")
  | test({{.Pattern}}))
  | "{{.Name}}: not allowed"') || reason="{{.Name}}: jq is missing, or cannot read the event"
if [ -n "$reason" ]; then
{{- if eq (print .Event) "PermissionRequest"}}
  echo '{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"deny","message":"'"$reason"'"}}}'
{{- else}}
  echo "$reason" >&2
  exit 2
{{- end}}
fi
{{- else}}
payload=$(cat)
{{- if eq (print .Event) "WorktreeCreate"}}
# What it prints last is the path of the directory that it has made.
mktemp -d "${TMPDIR:-/tmp}/{{.Name}}-XXXXXX"
{{- else}}
echo "{{.Name}} saw ${#payload} characters" >&2
{{- end}}
{{- end}}
