#!/bin/sh
read -r first
echo "first: $first"
echo rest:
cat
