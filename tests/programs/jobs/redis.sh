# SPDX-License-Identifier: MIT
(redis-server --save '' --daemonize yes --logfile log --unixsocket r.sock >/dev/null); sleep 1; r() { redis-cli "$@"; }
r set a 1; r incrby a 41; for i in 1 2 3 4 5; do r rpush l $i; done; r lrange l 1 3; r eval 'return redis.call("get", KEYS[1]) * 2' 1 a
(r subscribe c >sub & echo $! >pid); sleep 0.5; r publish c hello; sleep 0.2; kill $(cat pid); cat sub
r -s r.sock zadd z 3 c 1 a 2 b; r zrange z 0 -1 withscores; r expire a 1; sleep 1.2; r exists a; r bgsave >/dev/null; seq 1 500 | sed 's/.*/set k& &/' | r --pipe | tail -1; r shutdown nosave
