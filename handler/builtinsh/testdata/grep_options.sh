#!/bin/sh
cat > f <<'X'
alpha
Beta beta
gamma-1
beta
a.b
axb
X
grep beta f; echo $?
grep -i beta f
grep -c beta f
grep -n beta f
grep -v a f; echo $?
grep -x beta f
grep -w beta f
grep -o 'a[lm].' f
grep -F a.b f
grep -E '^(alpha|beta)$' f
grep -qi BETA f && echo found
grep -q zeta f || echo none
grep -iE 'BETA|GAMMA' f
grep -cv beta f
grep -on 'a' f
grep -e alpha -e gamma f
grep -m 1 a f
grep 'a\.b' f
grep 'al\{1,2\}pha\|axb' f
grep -E 'gam{2}a-[0-9]+' f
grep '[[:upper:]]' f
grep -E '\bbeta\b' f
grep -h alpha f f
grep alpha f f
grep -s alpha nowhere; echo $?
