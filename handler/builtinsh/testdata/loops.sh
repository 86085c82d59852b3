#!/bin/sh
for i in 1 2 3 4 5; do
  [ $i -eq 2 ] && continue
  [ $i -eq 4 ] && break
  echo $i
done
i=0; until [ $i -ge 2 ]; do i=$((i + 1)); echo "u$i"; done
while :; do for j in a b; do break 2; done; done; echo out
