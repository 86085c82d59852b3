#!/usr/bin/env bash
# Refuses a push to main or master. "if" in the settings sees to it that only calls
# with a git push get here. Exit code 2 refuses, and stderr tells the model why.
set -euo pipefail

payload=$(cat)
if command -v jq >/dev/null; then
  command=$(jq -r '.tool_input.command // ""' <<<"$payload")
else
  command=$payload # the words are looked for in the whole event
fi

# A word is a branch when blanks, quotes or a colon (as in HEAD:main) bound it.
branch='(^|[[:space:]":])(main|master)($|[[:space:]"\\;&|])'
if [[ $command =~ $branch ]]; then
  echo "push to a branch of your own and open a pull request" >&2
  exit 2
fi
