#!/bin/sh
false | true; echo $?
true | false; echo $?
! true | false; echo $?
printf 'b\na\n' | sort | head -n 1
