#!/bin/sh
read a b
printf '%s|%s\n' "$a" "$b"
read -r c
printf '%s\n' "$c"
