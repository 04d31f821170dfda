# SPDX-License-Identifier: MIT
"""Python: hashing, seeded chance, json, threads, processes, regular expressions, decimals, asyncio."""
import asyncio, collections, decimal, hashlib, json, queue, random, re, struct, subprocess, threading, zlib

random.seed(42)
print(random.random(), random.randint(0, 10**20), random.sample(range(1000), 5), random.gauss(0, 1))
data = bytes(random.getrandbits(8) for _ in range(20000))
for name in ("md5", "sha1", "sha256", "sha3_512", "blake2b"):
    print(name, hashlib.new(name, data).hexdigest()[:32])
print(zlib.crc32(data), len(zlib.compress(data[:5000] * 3, 9)))

tree = {"list": [1, 2.5, None, True], "text": "ünïcode\n", "nested": {str(i): i * i for i in range(20)}}
text = json.dumps(tree, sort_keys=True, indent=1)
assert json.loads(text) == tree
print(len(text), hashlib.sha256(text.encode()).hexdigest()[:16])

jobs, results, lock = queue.Queue(), [], threading.Lock()


def work():
    while (item := jobs.get()) is not None:
        value = sum(i * i for i in range(item))
        with lock:
            results.append(value)


threads = [threading.Thread(target=work) for _ in range(4)]
for thread in threads:
    thread.start()
for i in range(100):
    jobs.put(i * 10)
for thread in threads:
    jobs.put(None)
for thread in threads:
    thread.join()
print(len(results), sum(results))

print(subprocess.run(["sh", "-c", "echo out; cat; exit 7"], input=b"piped", capture_output=True))
decimal.getcontext().prec = 50
print(decimal.Decimal(2).sqrt(), 2**200 % 1000007, 10**40 // 7)
print(re.findall(r"(\w+)@(\w+)\.org", "a@b.org, cc@dd.org; e@f.net"), struct.pack("<dfqH", 1 / 3, 1 / 3, -5, 65535).hex())
print(repr(0.1 + 0.2), (1 / 3).hex(), round(2.675, 2), f"{1e22:.3f}", float("1e-320"))


async def tick(name, delay):
    await asyncio.sleep(delay)
    return name


async def run():
    return await asyncio.gather(*(tick(i, (5 - i) / 100) for i in range(5)))


print(asyncio.run(run()), collections.Counter("mississippi").most_common(2))
try:
    {}["missing"]
except KeyError as error:
    print(type(error).__name__, error)
