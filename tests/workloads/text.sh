# SPDX-License-Identifier: MIT
# sort, awk, sed, grep, tr, cut, uniq, join, paste, bc, diff, od over a generated text.
set -e
cd /tmp
awk 'BEGIN { x = 1; for (i = 0; i < 4000; i++) { x = (x * 1103515245 + 12345) % 2147483648; print x % 1000, i, sqrt(x) } }' >t
sort -n t | sha256sum
sort -k 2,2nr -k 1,1n t | head -n 3
cut -d ' ' -f 1 t | sort | uniq -c | sort -rn | head -n 5
awk '{ sum[$1 % 7] += $2; n[$1 % 7]++ } END { for (i = 0; i < 7; i++) print i, n[i], sum[i] / n[i] }' t
sed -n 's/^\([0-9]*\)5 \(.*\)$/\2:\1/p' t | tail -n 3
grep -c '^[13579]*[02468] ' t
grep -E '(11|22|33)([0-9])\2' t | wc -l
tr '0-9' 'a-j' <t | head -c 60 && echo
paste -d, t t | tail -n 1
split -l 1500 t part- && cat part-* | cmp - t && wc -l part-*
sort -u -k 1,1n t | join - t 2>/dev/null | wc -l
sed 's/7/seven/' t | diff t - | grep -c '^>' || true
echo 'scale=60; 4*a(1); 2^200; sqrt(2)' | bc -l
seq 1 20 | xargs -n 3 echo | tail -n 2
printf '%s\n' "$(seq -s + 1 100)" | bc
gawk 'BEGIN { printf "%.15g %s %d\n", exp(1) * atan2(1, 1), toupper("gawk"), strtonum("0xff") }'
