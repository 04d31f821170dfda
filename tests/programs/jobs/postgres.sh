# SPDX-License-Identifier: MIT
# options: mem=2048
P=$(ls -d /usr/lib/postgresql/*/bin); mkdir -p /tmp/pg && chown postgres /tmp/pg; cd /tmp
run() { setpriv --reuid=postgres --regid=postgres --clear-groups env PATH=$P:$PATH LC_ALL=C "$@"; }
run initdb -D /tmp/pg/d -A trust -N >/dev/null && run pg_ctl -D /tmp/pg/d -o '-k /tmp/pg -c fsync=off' -w -l /tmp/pg/log start >/dev/null
q() { run psql -h "$1" -U postgres -At -c "$2"; }
q /tmp/pg "create table t as select i, md5(i::text) m from generate_series(1, 5000) i; create index on t(m)"
q 127.0.0.1 "select count(*), sum(i) from t where m > 'c'"; q /tmp/pg "with recursive f(a, b) as (select 0::numeric, 1::numeric union all select b, a + b from f where b < 1000) select string_agg(a::text, ',') from f"
run pgbench -i -q -h /tmp/pg -U postgres postgres >/dev/null 2>&1; run pgbench -c 3 -t 20 -h /tmp/pg -U postgres postgres 2>/dev/null | grep processed
run pg_dump -h /tmp/pg -U postgres -t t postgres | grep -c . ; run pg_ctl -D /tmp/pg/d -m fast -w stop >/dev/null; echo stopped
