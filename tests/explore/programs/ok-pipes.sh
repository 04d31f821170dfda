#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Correct: chains of pipes, each read to its end.
set -eu
sum=$(seq 1 200 | grep -v 7 | sed 's/$/ x/' | awk '{ s += $1 } END { print s }')
lines=$(seq 1 50 | tee numbers | sort -r | head -n 50 | wc -l)
[ "$sum" = 15824 ]
[ "$lines" = 50 ]
[ "$(wc -l <numbers)" = 50 ]
(sleep 0.05; echo late) | (read -r word; [ "$word" = late ])
