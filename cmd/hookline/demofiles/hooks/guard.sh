#!/usr/bin/env bash
# Refuses commands that delete recursively. Exit code 2 blocks, and what is
# written to stderr is the reason that the model is told.
payload=$(cat)
if [[ $payload =~ rm[[:space:]]+-[a-zA-Z]*r ]]; then
  echo "recursive delete is not allowed here" >&2
  exit 2
fi
