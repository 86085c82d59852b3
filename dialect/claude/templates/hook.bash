#!/usr/bin/env bash
# {{.Name}}: a hook for {{.Event}}.
{{- if eq .Event "PermissionRequest"}}
# The event is JSON on stdin; a JSON object on stdout decides. No output and exit code 0
# mean no opinion.
{{- else}}
# The event is JSON on stdin. Exit code 2 blocks, and stderr is the reason; a JSON
# object on stdout says more. No output and exit code 0 mean no opinion.
{{- end}}
# Test it with: hookline test
set -euo pipefail

payload=$(cat)
{{- if .Blocks}}
case "$payload" in
*"rm -rf"*)
{{- if eq .Event "PermissionRequest"}}
  echo '{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"deny","message":"{{.Name}}: not allowed"}}}'
{{- else}}
  echo "{{.Name}}: not allowed" >&2
  exit 2
{{- end}}
  ;;
esac
{{- else if eq .Event "WorktreeCreate"}}
# What it prints last is the path of the directory that it has made.
mktemp -d "${TMPDIR:-/tmp}/{{.Name}}-XXXXXX"
{{- else}}
echo "{{.Name}} saw ${#payload} characters" >&2
{{- end}}
