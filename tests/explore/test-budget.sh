#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Narrowing finds the same with little memory for its snapshots, and takes no more.
. "$(dirname "$0")/../app/lib.sh"

# Two writers of one file: the second finds what the first left only where nobody came between.
root=$work/root
mkdir -p "$root/bin" "$root/tmp"
cp /bin/busybox "$root/bin/"
for applet in sh cat echo rm head; do
    ln -s busybox "$root/bin/$applet"
done
job='head -c 9000000 /dev/zero >/tmp/zeros
echo 0 >/tmp/n
add() { for i in 1 2 3 4 5 6; do read n </tmp/n; echo $((n + 1)) >/tmp/n; done; }
add & add; wait; read n </tmp/n; [ "$n" = 12 ]'
find "$root" -exec touch -h -d @1700000000 {} +

for budget in 4000000000 30000000 4096; do
    run 0 "with $budget bytes" "$CHECK_BUDGET" "$root" "$budget" /bin/sh -c "$job"
    mv "$work/out" "$work/found-$budget"
    sed -n 's/^peak/# &/p' "$work/err"
done
cat "$work/found-4096" | sed 's/^/# /'
for budget in 30000000 4096; do
    cmp -s "$work/found-$budget" "$work/found-4000000000"
    ok $? "$budget bytes lead to the same"
done
finish
