#!/bin/sh
read -r line
printf '%s\n' "$line"
printf '%s' "$line" | wc -c
