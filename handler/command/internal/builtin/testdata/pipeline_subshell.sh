#!/bin/sh
n=0
printf 'a\nb\n' | while read -r x; do n=$x; done
echo "$n"
echo x | read -r y
echo "[$y]"
echo z | { read -r w; echo "$w"; exit 3; }
echo "still here $?"
