#!/bin/sh
trap 'echo bye' EXIT
echo hello
exit 3
