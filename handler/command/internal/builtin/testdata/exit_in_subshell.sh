#!/bin/sh
( echo sub; exit 6 )
echo "after $?"
x=$(exit 8)
echo "subst $?"
