#!/bin/sh
cat /dev/stdin | head -c 12; echo
