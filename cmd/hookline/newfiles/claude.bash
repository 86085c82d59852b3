#!/usr/bin/env bash
# {{.Name}}: a hook for {{.Event}}.
# The event is JSON on stdin. Exit code 2 blocks, and stderr is the reason; a JSON
# object on stdout says more. No output and exit code 0 mean no opinion.
# Test it with: hookline test
set -euo pipefail

payload=$(cat)
{{- if .Blocks}}
case "$payload" in
*"rm -rf"*)
  echo "{{.Name}}: not allowed" >&2
  exit 2
  ;;
esac
{{- else}}
printf '%s\n' "$payload" >>"${TMPDIR:-/tmp}/{{.Name}}.log"
{{- end}}
