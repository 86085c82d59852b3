#!/bin/sh
printf 'b:2:x\na:1:y\nc:3:z\n' > t
cut -d: -f1 t | tr '\n' ' '; echo
cut -d: -f2- < t
printf 'abcdef\n' | cut -c2-4
head -n 2 t; head -1 t; tail -n 1 t; tail -n +2 t; tail -2 t
head -c 3 t; echo; tail -c 4 t
printf 'Hello World\n' | tr 'a-z' 'A-Z'
printf 'Hello World\n' | tr -d 'lo'
printf 'aabbcc\n' | tr -s 'a-b'
printf 'tab\there\n' | tr '\t' ' '
printf 'a1b2\n' | tr -cd '[:digit:]'; echo
printf 'x y z\n' | tr ' ' '\n'
printf 'one two\nthree\n' | wc -w | tr -d ' '
printf 'one\ntwo\n' | wc -l | tr -d ' '
basename /a/b/c.txt; basename /a/b/c.txt .txt; basename /; dirname /a/b/c; dirname x; dirname /x; dirname a/b/
cat t - < /dev/null | wc -c | tr -d ' '
