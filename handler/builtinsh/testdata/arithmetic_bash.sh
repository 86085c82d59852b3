#!/bin/bash
i=0
((i++)); ((i += 5)); echo $i
for ((j = 0; j < 3; j++)); do echo -n "$j "; done; echo
if ((i > 3)); then echo big; fi
echo $((2 ** 10))
let k=3*4; echo $k
