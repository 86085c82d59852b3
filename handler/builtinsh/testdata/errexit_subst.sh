#!/bin/sh
set -e
x=$(false; echo in)
echo "[$x]"
