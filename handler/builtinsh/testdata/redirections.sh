#!/bin/sh
echo out > f; echo more >> f; cat f
cat < f | tr a-z A-Z
{ echo one; echo two >&2; } 2>err; cat err
echo both >all 2>&1; cat all
ls nowhere 2>/dev/null || echo "failed quietly"
exec 2>/dev/null
echo gone >&2
echo x >/dev/null
