#!/bin/sh
set -- -a -b val rest
while getopts ab: o; do
  case $o in a) echo A ;; b) echo "B $OPTARG" ;; esac
done
shift $((OPTIND - 1)); echo "$1"
