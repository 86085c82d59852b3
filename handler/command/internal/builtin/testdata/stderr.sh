#!/bin/sh
echo to stdout
echo to stderr >&2
printf 'err %s\n' again 1>&2
echo dev > /dev/stderr
echo devout > /dev/stdout
exit 2
