#!/usr/bin/python3 -IS
# SPDX-License-Identifier: MIT
"""Makes small pictures of large ones, by two threads. They are kept in a directory for each day."""

import os
import sys
import threading

PICTURES = {"sun.png": "monday", "rain.png": "tuesday", "wind.png": "monday", "snow.png": "tuesday"}
failed = []


def store(picture, day):
    directory = os.path.join("cache", day)
    if not os.path.isdir(directory):  # side: passes
        os.makedirs(directory)  # side: held, side: passes
    with open(os.path.join(directory, picture), "w") as out:
        out.write("small\n")


def work(pictures):
    try:
        for picture in pictures:
            store(picture, PICTURES[picture])
    except OSError as error:
        print(error)
        failed.append(error)


names = sorted(PICTURES)
threads = [threading.Thread(target=work, args=(names[i::2],)) for i in range(2)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
print(f"{len(failed)} threads failed")
sys.exit(1 if failed else 0)
