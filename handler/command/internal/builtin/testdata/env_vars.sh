#!/bin/sh
echo "$GREETING"
FOO=bar sh -c 'echo "$FOO"'
echo "[$FOO]"
export BAZ=qux; sh -c 'echo "$BAZ"'
NOEXP=1; sh -c 'echo "[$NOEXP]"'
unset BAZ; sh -c 'echo "[$BAZ]"'
env | grep ^GREETING
