# SPDX-License-Identifier: MIT
# Two processes read a number and store what they make of it, without a transaction around both: one addition is lost (SQLite).
sqlite3 db 'create table stock (n); insert into stock values (10)'
take() {
    n=$(sqlite3 -cmd '.timeout 5000' db 'select n from stock')
    sqlite3 -cmd '.timeout 5000' db "update stock set n = $((n - $1))"
}
take 1 & first=$!
sleep 0.05
take 2 & second=$!
wait $first; wait $second
[ "$(sqlite3 db 'select n from stock')" = 7 ]
