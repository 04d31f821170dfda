# SPDX-License-Identifier: MIT
# ps | grep finds itself, or not: whether grep is there already when ps reads /proc.
n=31
sleep $n & sleeper=$!
count=$(ps -eo args | grep -c "sleep $n")
kill $sleeper
[ "$count" = 2 ]
