#!/bin/bash
trap 'echo "err $?"' ERR
false
true
(exit 4)
echo done
