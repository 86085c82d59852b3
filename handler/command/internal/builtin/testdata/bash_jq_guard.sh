#!/bin/bash
set -eo pipefail
input=$(cat)
tool=$(jq -r '.tool_name' <<<"$input")
cmd=$(jq -r '.tool_input.command // ""' <<<"$input")
if [[ $tool == Bash && $cmd == *'rm -rf'* ]]; then
  echo "blocked: $cmd" >&2
  exit 2
fi
