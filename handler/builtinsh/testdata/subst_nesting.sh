#!/bin/sh
x=$(echo "outer $(echo "inner $(echo deep)")")
echo "$x"
y=`echo back \`echo tick\``
echo "$y"
z=$(printf 'trailing\n\n\n'); echo "[$z]"
echo "$(cat <<X
here $x
X
)"
