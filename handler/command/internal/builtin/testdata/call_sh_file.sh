#!/bin/bash
cat > lib.sh <<'X'
echo "in $0 with $*"
VAR=changed
exit 3
X
VAR=same
sh lib.sh a 'b c'; echo "$? $VAR"
sh ./lib.sh; echo $?
sh -c 'echo "inline $0"; exit 4'; echo $?
echo hi | sh -c 'cat; echo done'
