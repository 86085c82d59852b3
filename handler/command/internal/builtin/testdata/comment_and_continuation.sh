#!/bin/sh
# a comment
echo one \
  two # trailing
echo 'a # b'
true &&
  echo next ||
  echo never
