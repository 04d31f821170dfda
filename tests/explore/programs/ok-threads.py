#!/usr/bin/python3 -IS
# SPDX-License-Identifier: MIT
"""Correct: threads that count under a lock, and a queue made of a condition."""

import sys
import threading

lock = threading.Lock()
changed = threading.Condition()
items = []
total = 0


def count():
    global total
    for _ in range(20):
        with lock:
            total += 1


def put():
    for item in range(5):
        with changed:
            items.append(item)
            changed.notify()


def take(taken):
    for _ in range(5):
        with changed:
            while not items:
                changed.wait()
            taken.append(items.pop(0))


taken = []
threads = [threading.Thread(target=count) for _ in range(3)]
threads += [threading.Thread(target=take, args=(taken,)), threading.Thread(target=put)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
print(total, taken)
sys.exit(0 if total == 60 and taken == [0, 1, 2, 3, 4] else 1)
