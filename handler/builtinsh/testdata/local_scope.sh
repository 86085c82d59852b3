#!/bin/bash
f() { local a=1 b; b=2; g; echo "$a$b"; }
g() { a=9; local b=7; }
a=0; f; echo "$a"
