# SPDX-License-Identifier: MIT
"""Python's own sources of chance: string hashes and the order of sets, seeds from the system, addresses, times."""
import os, random, secrets, tempfile, threading, time, uuid

print(hash("rewind"), list({"a", "b", "c", "d", "e", "f"}), id(object()))
print(random.random(), secrets.token_hex(8), uuid.uuid4(), uuid.uuid1(), os.urandom(8).hex())
print(time.time_ns(), time.perf_counter_ns(), time.process_time_ns(), os.getpid(), tempfile.mktemp())

order = []


def spin(name):
    for _ in range(30):
        order.append(name)
        sum(range(2000))
        time.sleep(random.random() / 10000)


threads = [threading.Thread(target=spin, args=(name,)) for name in "xyz"]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
print("".join(order))
