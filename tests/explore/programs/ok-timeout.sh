#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Correct: processes that sleep, work and wait for each other, none of which should take as long as it may.
set -eu
work() {
    i=0
    while [ $i -lt 200 ]; do
        i=$((i + 1))
    done
}
for n in 1 2 3; do
    (work; sleep 0.2; echo $n >done$n) &
done
wait
cat done1 done2 done3 >/dev/null
timeout 8 sh -c 'seq 1 100 | sort -n | tail -n 1' >last
[ "$(cat last)" = 100 ]
