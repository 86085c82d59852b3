#!/bin/sh
definitely-not-a-command-xyz 2>/dev/null; echo $?
./nofile 2>/dev/null; echo $?
touch plain; ./plain 2>/dev/null; echo $?
command -v definitely-not-a-command-xyz || echo none
command -v sh >/dev/null && echo "has sh"
command -v jq >/dev/null || { echo "jq required" >&2; exit 1; }
