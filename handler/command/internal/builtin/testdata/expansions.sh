#!/bin/sh
x=path/to/file.tar.gz
echo "${x##*/}" "${x%/*}" "${x%%.*}" "${x#*/}"
echo "${unset:-default}" "${x:+set}" "${unset-d2}" "${unset+no}"
e=; echo "${e:-empty}" "${e-notempty}"
