#!/bin/sh
sed -n 1p | tr a-z A-Z
cat | wc -c | tr -d ' '
