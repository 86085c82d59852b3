#!/bin/sh
input=$(cat)
cmd=$(printf '%s' "$input" | jq -r '.tool_input.command // empty')
if printf '%s\n' "$cmd" | grep -qE 'rm[[:space:]]+-rf'; then
  printf '{"decision":"deny","reason":"no %s"}\n' "rm"
  exit 0
fi
exit 0
