#!/bin/sh
IFS=: read -r user x uid rest
echo "$user $uid $rest"
IFS= read -r whole
printf '[%s]\n' "$whole"
IFS=, read -r a b
printf '[%s][%s]\n' "$a" "$b"
