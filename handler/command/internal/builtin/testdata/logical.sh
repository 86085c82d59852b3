#!/bin/sh
true && echo a || echo b
false && echo a || echo b
true || echo no; false || echo yes
{ echo grouped; false; } || echo after
! false && echo negated
