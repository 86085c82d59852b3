#!/bin/bash
read -r a b <<< "x y z"
echo "$a|$b"
grep -c l <<< "hello"
tr a-z A-Z <<< "up"
