#!/bin/sh
read -r a; echo "$? $a"
read -r b; echo "$? [$b]"
read -r c; echo "$? [$c]"
