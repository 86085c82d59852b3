#!/bin/sh
for w in foo.sh bar.py README x1 '' 'a b' '*'; do
  case $w in
  *.sh | *.py) echo "$w script" ;;
  [A-Z]*) echo "$w upper" ;;
  ?[0-9]) echo "$w digit" ;;
  '') echo empty ;;
  *' '*) echo space ;;
  '*') echo star ;;
  *) echo other ;;
  esac
done
