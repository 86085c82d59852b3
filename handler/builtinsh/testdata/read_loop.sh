#!/bin/sh
i=0
while read -r a b rest; do
  i=$((i + 1))
  printf '%s:[%s][%s][%s]\n' "$i" "$a" "$b" "$rest"
done
echo "$i"
