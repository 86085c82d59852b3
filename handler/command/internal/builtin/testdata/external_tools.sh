#!/bin/sh
echo 'some text' | sed 's/some/other/'
printf '3\n1\n2\n' | sort -r
echo 'a b c' | awk '{print $2}'
date +%Y | grep -qE '^[0-9]{4}$' && echo year
