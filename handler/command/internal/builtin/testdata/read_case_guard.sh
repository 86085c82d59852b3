#!/bin/sh
read -r line
case $line in
*'rm -rf'*)
  echo "blocked: rm -rf" >&2
  exit 2
  ;;
esac
exit 0
