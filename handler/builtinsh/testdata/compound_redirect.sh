#!/bin/sh
for i in 1 2; do echo "line $i"; done > out
if true; then cat; fi < out
while read -r l; do echo "r:$l"; done < out
( echo a; echo b ) | while read -r q; do echo "<$q>"; done
