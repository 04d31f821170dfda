# SPDX-License-Identifier: MIT
# sqlite3: tables, an index, transactions, window functions, JSON, text search, a dump; two writers at once.
set -e
cd /tmp
sqlite3 db <<'END'
pragma journal_mode = wal;
create table t (id integer primary key, name text, x real);
with recursive n(i) as (values (1) union all select i + 1 from n where i < 3000)
insert into t select i, 'name' || (i * 7919 % 1000), i * 1.1 / 3 from n;
create index by_name on t (name);
select count(*), sum(x), avg(x), max(name) from t;
select name, count(*) c from t group by name order by c desc, name limit 3;
explain query plan select * from t where name = 'name5';
select id, sum(x) over (order by id rows 2 preceding) from t where id % 700 = 0;
select json_group_array(json_object('id', id, 'x', round(x, 3))) from t where id < 4;
begin; delete from t where id % 2; rollback;
select group_concat(printf('%e %g', x, x * 1e10)) from t where id in (7, 77, 777);
pragma integrity_check;
END
for writer in 1 2; do
    (for i in 1 2 3 4 5; do sqlite3 -cmd '.timeout 20000' db "insert into t (name, x) values ('writer$writer', $i)"; done) &
done
wait
sqlite3 db "select name, count(*), sum(x) from t where name like 'writer%' group by name"
sqlite3 db .dump | sed '/writer/d' | sha256sum
sqlite3 :memory: "create virtual table f using fts5(body); insert into f values ('the quick fox'), ('lazy dogs'); select * from f where f match 'quick'"
