#!/bin/sh
(exit 7); echo $?
sh -c 'exit 9'; echo $?
f() { return 5; }; f; echo $?
true; echo $?
false; echo $?
exit 42
