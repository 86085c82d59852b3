#!/bin/bash
x=Hello.World.txt
echo "${x/o/0}" "${x//o/0}"
echo "${x:0:5}" "${x:6}" "${x: -3}" "${x^^}" "${x,,}"
y=x; echo "${!y}"
