#!/usr/bin/env bash
# {{.Name}}: an executable hook for {{.Type}}.
# "hook" prints what it is for; "run" answers one event, given as JSON on stdin.
# No output means no opinion. Test it with: hookline test
set -euo pipefail

case "${1:-}" in
hook)
  echo "{{.Type}}"
  ;;
run)
{{- if .Refuses}}
  # jq looks at one field, without the quotes and backslashes that a shell drops. No pattern
  # knows every spelling of a command; a guard that cannot read its event refuses.
  jq -c 'select(.{{if ne .Field "message"}}tool_input.{{end}}{{.Field}} // "" | tostring
    | gsub("\\\\\n|[\"\u0027]|\\\\(?<c>.)"; .c // "")
    | test({{.Pattern}}))
    | {blocked: true, reason: "{{.Name}}: not allowed"}' ||
    echo '{"blocked": true, "reason": "{{.Name}}: jq is missing, or cannot read the event"}'
{{- else}}
  payload=$(cat)
  echo "{{.Name}} saw ${#payload} characters" >&2
{{- end}}
  ;;
*)
  echo "usage: $0 hook|run" >&2
  exit 1
  ;;
esac
