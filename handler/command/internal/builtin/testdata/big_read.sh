#!/bin/sh
read -r line
printf '%s' "$line" | wc -c | tr -d ' '
