#!/bin/sh
x='a  b   c'
set -- $x; echo $#
set -- "$x"; echo $#
IFS='
'; y='1 2
3'; set -- $y; echo $#; unset IFS
z=; set -- $z; echo $#; set -- "$z"; echo $#
