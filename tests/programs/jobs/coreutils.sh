# SPDX-License-Identifier: MIT
seq 1 50000 | shuf --random-source=/etc/passwd 2>/dev/null | head -1 >/dev/null
seq 1 30000 | sort -R --random-source=/bin/ls | sort -n | uniq | sha256sum
seq 1 10000 | split -l 1000 - part. && ls part.* | wc -l && cat part.* | cksum
seq 1 100 | paste -sd+ | bc
factor 1000000007 999999999989
printf '%s\n' b a c | tac | nl; printf "1 a\n2 b\n" >x; printf "1 c\n3 d\n" >y
join x y; dd if=/bin/ls bs=4k count=4 status=none | b2sum
stat -c '%A %F' /etc /bin/ls; numfmt --to=iec 123456789; date -u -d @86400 +%F; basename /a/b/c.d .d
