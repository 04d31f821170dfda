# SPDX-License-Identifier: MIT
# options: cores=4
cat >mp.py <<'END'
import multiprocessing as mp
def work(n): return sum(i * i for i in range(n))
def put(q, i): q.put(i)
if __name__ == "__main__":
    for method in "fork", "spawn":
        ctx = mp.get_context(method)
        with ctx.Pool(3) as pool: print(method, pool.map(work, range(0, 5000, 500)))
        q = ctx.Queue(); ps = [ctx.Process(target=put, args=(q, i)) for i in range(3)]
        [p.start() for p in ps]; print(sorted(q.get() for _ in ps)); [p.join() for p in ps]
END
python3 mp.py
