# SPDX-License-Identifier: MIT
b() { busybox "$@"; }
b seq 1 20000 | b awk '{ s += $1 * $1 } END { print s }'
b seq 1 3000 | b sort -r | b md5sum
b seq 1 5000 | b gzip -c | b gunzip -c | b sha256sum
mkdir -p t/a t/b && echo hi >t/a/f && b tar cf - t | b tar tf - | b sort
b find t -type f -exec b cat {} \;
b sh -c 'i=0; while [ $i -lt 2000 ]; do i=$((i+1)); done; echo $i'
printf 'b\na\nc\n' | b sort | b tr a-z A-Z
