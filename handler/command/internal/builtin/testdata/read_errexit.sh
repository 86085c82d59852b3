#!/bin/sh
set -e
read -r x
echo "$x"
read -r y
echo unreachable
