# SPDX-License-Identifier: MIT
(socat TCP-LISTEN:7000,bind=127.0.0.1,fork,reuseaddr SYSTEM:'tr a-z A-Z' & echo $! >p1); (socat UNIX-LISTEN:s,fork TCP:127.0.0.1:7000 & echo $! >p2); sleep 0.5
for w in one two three; do echo $w | socat - UNIX-CONNECT:s; done; echo pty | socat - EXEC:'cat',pty,raw,echo=0; (socat UDP-RECV:7001,bind=127.0.0.1 OPEN:u,creat & echo $! >p3); sleep 0.3; echo datagram | socat - UDP-SENDTO:127.0.0.1:7001; sleep 0.3; cat u
kill $(cat p1 p2 p3); echo done
