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
    run 0 "with $budget bytes" "$CHECK_BUDGET" "$root" "$budget" mixed /bin/sh -c "$job"
    mv "$work/out" "$work/found-$budget"
    sed -n 's/^peak/# &/p' "$work/err"
done
cat "$work/found-4096" | sed 's/^/# /'
for budget in 30000000 4096; do
    cmp -s "$work/found-$budget" "$work/found-4000000000"
    ok $? "$budget bytes lead to the same"
done

# Holds: candidates that start where they part end as those that start where all do.
bank=$work/bank.tar
run 0 "the bank is packed" "$(dirname "$0")/../../docs/examples/pack.sh" bank -o "$bank"
for budget in 4000000000 4096; do
    run 0 "holds with $budget bytes" "$CHECK_BUDGET" "$bank" "$budget" flip /bin/sh -c 'cd /src && make check'
    mv "$work/out" "$work/holds-$budget"
    sed -n 's/^narrowing/# &/p' "$work/err"
    eval "n$budget=$(sed -n 's/^narrowing: \([0-9]*\) .*/\1/p' "$work/err")"
done
sed 's/^/# /' "$work/holds-4096"
grep -q ' until ' "$work/holds-4096"
ok $? "a hold is found"
cmp -s "$work/holds-4096" "$work/holds-4000000000"
ok $? "the same one"
# shellcheck disable=SC2154
[ "$n4000000000" -lt $((n4096 * 2 / 3)) ]
ok $? "with much less to execute"
finish
