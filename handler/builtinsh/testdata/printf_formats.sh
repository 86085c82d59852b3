#!/bin/sh
printf '%s %d %5s|%-5s|%05d %x %o %c %%\n' str 42 ab cd 7 255 8 xyz
printf '%s\n' a b c
printf '%s=%s\n' k1 v1 k2 v2
printf 'no newline'; printf '\n'
printf '\t|\\|\101|\n'
printf '%b\n' 'a\tb'
printf -- '- item %s\n' x
printf '%.2f\n' 3.14159
