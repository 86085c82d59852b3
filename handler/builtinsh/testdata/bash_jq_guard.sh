#!/bin/bash
set -euo pipefail
input=$(cat)
tool=$(jq -r '.tool_name' <<<"$input")
cmd=$(jq -r '.tool_input.command // ""' <<<"$input")
if [[ $tool == Bash && $cmd =~ rm[[:space:]]+-rf ]]; then
  echo "blocked: $cmd" >&2
  exit 2
fi
