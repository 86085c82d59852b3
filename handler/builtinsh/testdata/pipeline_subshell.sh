#!/bin/sh
n=0
printf 'a\nb\n' | while read -r x; do n=$((n + 1)); done
echo "$n"
echo x | read -r y
echo "[$y]"
echo z | { read -r w; echo "$w"; exit 3; }
echo "still here $?"
