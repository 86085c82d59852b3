#!/bin/sh
set -u
x=1; echo "$x" "${y:-none}" "${z-}"
