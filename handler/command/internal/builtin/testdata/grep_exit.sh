#!/bin/sh
echo x | grep -q y; echo $?
echo x | grep -q x; echo $?
echo x | grep -E 'x(' 2>/dev/null; echo $?
grep x nowhere 2>/dev/null; echo $?
