#!/bin/sh
set -- x y z
echo $# $1 $3; shift; echo $1 $#; shift 2; echo $#
set -- a; set -- "$@" b; echo "$@"
