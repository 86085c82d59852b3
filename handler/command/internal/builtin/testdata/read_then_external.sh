#!/bin/sh
read -r first
read -r second
echo "$first $second"
sed 's/^/> /'
