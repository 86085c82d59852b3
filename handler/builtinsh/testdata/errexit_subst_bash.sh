#!/bin/bash
set -e
x=$(false; echo in)
echo "[$x]"
