#!/bin/sh
[ -n x ] && echo 1
[ -z "" ] && echo 2
[ a = a ] && echo 3
[ a != b ] && echo 4
[ 2 -gt 1 ] && [ 1 -le 1 ] && [ 1 -ne 2 ] && echo 5
touch f; mkdir d; [ -f f ] && [ -d d ] && [ -e f ] && [ ! -e g ] && echo 6
[ -r f ] && [ -w f ] && [ ! -x f ] && echo 7
[ -s f ] || echo 8
test "$nothing" || echo 9
[ "(" = "(" ] && echo 10
[ x ] && echo 11
[ ! x ] || echo 12
[ a = b -o c = c ] && echo 13
[ a = a -a b = c ] || echo 14
