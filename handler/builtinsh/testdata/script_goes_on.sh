#!/bin/sh
f() { if [ "$1" = a ]; then return 3; fi; echo "not $1"; command return 4; }
f a; echo $?; f b; echo $?
x=$(f a); echo $?
(f b); echo $?
g() { return; }
false; g; echo $?
h() { false || return; echo not here; }; h; echo $?
i() { if false; then :; fi; return; }; i; echo $?
j() { true && return; }; false; j; echo $?
k() { x=$(echo sub); (exit 4); echo "$x" | cat; for y in 1 2; do return 6; done; }; k; echo $?
set -- 1 2 3; shift 1; echo "$#"; shift; shift; echo "$#"; shift 0; echo $?
n=2; set -- a b c; shift $n; echo "$@"
: > /dev/null; exec 2>&1; export y=1 2>/dev/null
echo new > present
[ present -nt missing ]; echo $?
[ missing -ot present ]; echo $?
[ missing -nt present ]; echo $?
[ present -ot missing ]; echo $?
op='='; [ a $op a ]; echo $?
set -e -u; unset y; unset -v z
e=; c=3; p="$c$c$e"; q=$p$c; p="$p$q"; echo "$p" "$e$e" $e$e end
for w in "$c$c" $e$e"$e"; do echo "[$w]"; done
cat <<END
$c $p$q
END
for i in 1 2; do while :; do break 2; done; done
exit $c
