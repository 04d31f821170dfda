# SPDX-License-Identifier: MIT
python3 - <<'END'
import collections, functools, hashlib, json, re, sqlite3, subprocess, threading, queue, zlib, decimal, fractions
print(hashlib.sha256(b"x" * 100000).hexdigest())
print(json.dumps({"b": [1, 2.5, None], "a": "\u00e9"}, sort_keys=True))
print(collections.Counter("mississippi").most_common())
@functools.lru_cache(None)
def fib(n): return n if n < 2 else fib(n - 1) + fib(n - 2)
print(fib(300))
db = sqlite3.connect(":memory:"); db.execute("create table t(a, b)")
db.executemany("insert into t values (?, ?)", ((i, i * i) for i in range(2000)))
print(db.execute("select sum(b), count(*) from t where a % 7 = 3").fetchone())
q = queue.Queue(); ts = [threading.Thread(target=lambda i=i: q.put(i * i)) for i in range(8)]
[t.start() for t in ts]; [t.join() for t in ts]; print(sorted(q.queue))
print(subprocess.run(["tr", "a-z", "A-Z"], input=b"piped", capture_output=True).stdout)
decimal.getcontext().prec = 50; print(decimal.Decimal(2).sqrt(), fractions.Fraction(1, 3) + fractions.Fraction(1, 6))
print(len(zlib.compress(bytes(range(256)) * 200)), re.findall(r"\w+@\w+", "a@b c@d"))
END
