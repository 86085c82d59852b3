#!/bin/sh
a='single $x `y` "z"'
b="double \$x \`y\` \"z\" \\ back"
c=un\ quoted\ \$
printf '%s\n' "$a" "$b" "$c" "it's" 'say "hi"' "a'b"c'd"e'
set -- "a b" c 'd  e'
echo $# ; for i in "$@"; do echo "[$i]"; done; for i in $*; do echo "<$i>"; done
echo "$*"
