# SPDX-License-Identifier: MIT
# tail -f of new lines is given 0.1 s to start. If it comes later the line is not new any more.
: >log
tail -n 0 -f log >seen &
sleep 0.1
echo ready >>log
sleep 1.2
kill $!
grep -q ready seen
