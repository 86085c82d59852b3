#!/bin/sh
prompt=$(jq -r '.prompt // empty')
case $prompt in
*password*|*secret*) jq -nc --arg r "mentions a secret" '{decision:"block"} | .reason = $r | {reason}' ; exit 0 ;;
esac
[ -n "$prompt" ] || exit 0
echo "context: $(printf '%s' "$prompt" | wc -w | tr -d ' ') words"
