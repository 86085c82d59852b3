#!/bin/bash
x=hello.sh
[[ $x == *.sh ]] && echo 1
[[ $x != *.py ]] && echo 2
[[ $x =~ ^h(.)llo ]] && echo "3 ${BASH_REMATCH[0]} ${BASH_REMATCH[1]}"
[[ -n $x && ! -f $x ]] && echo 4
[[ a < b || b < a ]] && echo 5
[[ 3 -gt 2 ]] && echo 6
[[ "$x" == "*.sh" ]] || echo 7
