# SPDX-License-Identifier: MIT
# Two shells read in a transaction and then write: "database is locked" at once, whatever the time-out.
sqlite3 stock.db 'CREATE TABLE t (n); INSERT INTO t VALUES (10)'
sell() { sqlite3 -bail -cmd '.timeout 2000' stock.db 'BEGIN' 'SELECT n FROM t' 'UPDATE t SET n = n - 1' 'COMMIT'; }
sell & first=$!
sell & second=$!
status=0
wait $first || status=1
wait $second || status=1
exit $status
