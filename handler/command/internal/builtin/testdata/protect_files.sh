#!/bin/sh
f=$(jq -r '.tool_input.file_path // .tool_input.path // empty')
for p in .env .git/ package-lock.json; do
  case $f in *"$p"*) echo "Blocked: $f matches $p" >&2; exit 2 ;; esac
done
