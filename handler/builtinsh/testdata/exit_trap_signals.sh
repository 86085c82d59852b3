#!/bin/sh
t=$(mktemp)
trap 'rm -f "$t"; echo cleaned' EXIT INT TERM
echo data > "$t"
cat "$t"
