#!/bin/sh
printf '1\n2\n3\n' | jq -n '[inputs] | add'
printf '1\n2\n' | jq '[., input]' -c
