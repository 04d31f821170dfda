# SPDX-License-Identifier: MIT
# What is written to a file after gzip has read it, and before it removes it, is lost.
seq 1 100 >log
exec 8>>log
gzip log & packer=$!
echo 101 >&8
wait $packer
[ "$(zcat log.gz | wc -l)" = 101 ]
