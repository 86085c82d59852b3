#!/bin/sh
touch a.txt b.txt c.md .hidden
echo *.txt
echo *
echo *.none
echo "[ab].txt" [ab].txt
for f in *.md; do echo "$f"; done
set -f; echo *.txt; set +f
mkdir -p d/e; touch d/e/x; echo d/*/x
