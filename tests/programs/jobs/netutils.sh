# SPDX-License-Identifier: MIT
ip -o -4 addr show lo | awk '{ print $2, $4 }'; ping -c 2 -i 0.2 127.0.0.1 | grep -oE '[0-9] received'; ping -6 -c 1 ::1 | grep -oE '[0-9] received'
(nc -l 127.0.0.1 5000 >got &); sleep 0.3; echo text | nc -q 0 127.0.0.1 5000; sleep 0.3; cat got; ss -Hltn | wc -l; curl -s --max-time 1 http://127.0.0.1:1/ ; echo $?; ip route | wc -l
