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
  payload=$(cat)
{{- if .Blocks}}
  case "$payload" in
  *"rm -rf"*)
    echo '{"blocked": true, "reason": "{{.Name}}: not allowed"}'
    ;;
  esac
{{- else}}
  echo "{{.Name}} saw ${#payload} characters" >&2
{{- end}}
  ;;
*)
  echo "usage: $0 hook|run" >&2
  exit 1
  ;;
esac
