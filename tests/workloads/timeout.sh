# SPDX-License-Identifier: MIT
# A computation without end, ended after one second; and one that ignores the first signal.
timeout 1 sh -c 'while :; do :; done'
echo "status $?"
timeout -k 0.2 0.2 sh -c 'trap "" TERM; while :; do :; done'
echo "status $?"
