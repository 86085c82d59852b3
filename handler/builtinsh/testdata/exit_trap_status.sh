#!/bin/sh
trap 'echo "status $?"' EXIT
false
