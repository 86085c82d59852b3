#!/bin/bash
set -eo pipefail
input=$(cat)
[ -z "$input" ] && exit 0
if ! echo "$input" | grep -q nothing-like-it; then
  echo "not there"
fi
for word in a b; do
  if [ "$word" = b ]; then echo "$word"; fi
done
[ "$word" = c ] && echo never
echo goes on
false
echo not here
