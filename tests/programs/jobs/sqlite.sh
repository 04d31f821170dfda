# SPDX-License-Identifier: MIT
sqlite3 db <<'END'
pragma journal_mode=wal;
create table t(id integer primary key, a text, b real);
with recursive n(i) as (select 1 union all select i + 1 from n where i < 20000) insert into t select i, printf('%08x', i * 2654435761 % 4294967296), i / 7.0 from n;
create index ta on t(a); select count(*), round(sum(b), 3), min(a), max(a) from t;
select id, a from t where a > 'fff00000' order by a limit 3;
begin; delete from t where id % 2; rollback; select count(*) from t; pragma integrity_check;
select json_extract('{"a":[1,2,{"b":3}]}', '$.a[2].b');
END
sqlite3 db .dump | sha256sum
