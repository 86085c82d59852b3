#!/bin/sh
set -e
f() { false; echo "after false in f"; }
f || echo "f failed"
f && echo "f worked"
g() { return 3; }
g
echo unreachable
