#!/bin/sh
log() { printf '[%s] %s\n' "$1" "$2" >&2; }
die() { log error "$1"; exit "${2:-1}"; }
check() { [ "$1" -lt 3 ] || die "too big: $1" 2; }
check 1; check 2; check 3; check 4
