#!/bin/sh
greet() {
  name=$1
  shift
  echo "hi $name ($#: $*)"
  return 3
}
greet bob a b; echo $?
outer() { inner_var=1; helper; }
helper() { echo "inner $inner_var"; }
outer
with_local() { local v=in; echo "$v"; }
v=out; with_local; echo "$v"
