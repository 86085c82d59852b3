#!/bin/sh
set -e
false || echo or
if false; then echo no; fi
! true
x=$(echo sub)
echo "$x"
(exit 0)
while false; do :; done
false
echo unreachable
