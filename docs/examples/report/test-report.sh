#!/bin/bash
# SPDX-License-Identifier: MIT
#
# The day's sales go into a file as they are, and into another one in order. Both have every line.
set -eu
cd "$(dirname "$0")"

sales() {
    echo "pears 4"
    echo "apples 7"
    echo "quinces 2"
}

sales | tee >(sort >sorted.txt) >sales.txt # side: held
echo "sold today:"
lines=$(wc -l <sorted.txt) # side: passes
cat sorted.txt
[ "$lines" = 3 ] || {
    echo "$lines lines are in order, not 3"
    exit 1
}
