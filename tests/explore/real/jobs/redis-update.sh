# SPDX-License-Identifier: MIT
# Two clients read a number, add to it and store it: one addition is lost (redis).
redis-server --save '' --port 0 --unixsocket "$PWD/r.sock" >log & server=$!
until redis-cli -s r.sock ping >/dev/null 2>&1; do sleep 0.1; done
redis-cli -s r.sock set n 10 >/dev/null
add() { n=$(redis-cli -s r.sock get n); redis-cli -s r.sock set n $((n + $1)) >/dev/null; }
add 1 & first=$!
sleep 0.05
add 2 & second=$!
wait $first; wait $second
n=$(redis-cli -s r.sock get n)
redis-cli -s r.sock shutdown nosave; wait $server
[ "$n" = 13 ]
