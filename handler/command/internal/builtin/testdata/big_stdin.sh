#!/bin/sh
input=$(cat)
printf '%s' "$input" | wc -c | tr -d ' '
printf '%s' "$input" | jq -r '.text | length'
