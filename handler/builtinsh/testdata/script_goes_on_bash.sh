#!/bin/bash
set -- a b
shift 5; echo $? "$@"
shift 2; echo $? "$#"
shift; echo $?
echo new > present
[ present -nt missing ]; echo $?
[ missing -ot present ]; echo $?
[ missing -nt present ]; echo $?
[ a == a ] && test b == b && [[ c == c ]]; echo $?
x=a; x+=$x; x+=${x}b$x; echo "$x"
l=(a); l+=("$x$x" $x$x); echo "${#l[@]}" "${l[@]}"
v=path/to/file; echo "${v//\//_}" "${v/to/at}"
: > out; exec >> out; echo to the file
