# SPDX-License-Identifier: MIT
# A server is given 0.1 s to listen. If it comes later the connection is refused.
nc -l 127.0.0.1 5000 >got &
sleep 0.1
echo hello | nc -N 127.0.0.1 5000 || exit 1
wait $!
[ "$(cat got)" = hello ]
