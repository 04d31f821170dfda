# SPDX-License-Identifier: MIT
# sort -o FILE FILE truncates the file before it writes it: a reader finds a part of it.
seq 1 300 >numbers
sort -rn -o numbers numbers & sorter=$!
lines=$(wc -l <numbers)
wait $sorter
[ "$lines" = 300 ]
