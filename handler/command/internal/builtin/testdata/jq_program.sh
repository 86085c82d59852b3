#!/bin/sh
jq -r '
  .tool_input
  | to_entries
  | sort_by(.key)
  | .[]
  | "\(.key)=\(.value)"
'
