#!/bin/bash
a=(one "two words" three)
echo "${#a[@]}" "${a[1]}"
for x in "${a[@]}"; do echo "<$x>"; done
a+=(four); echo "${a[-1]}" "${a[@]:1:2}"
deny=("rm -rf" "git push --force")
for p in "${deny[@]}"; do [[ "git push --force x" == *"$p"* ]] && echo "hit $p"; done
