#!/bin/sh
while read -r a b; do
  echo "$b $a"
done <<X
1 one
2 two
X
:
