# SPDX-License-Identifier: MIT
# A group of processes is ended 50 ms after it was started by setsid; if that is later there is no such group.
setsid sleep 30 &
sleep 0.05
kill -- -$!
