#!/usr/bin/python3
# SPDX-License-Identifier: MIT
import json
import sys


def dump(record, path):
    with open(path, "w", encoding="utf-8") as out:
        json.dump(record, out)
        out.write("\n")


dump({"name": "scribe", "digit": int(sys.argv[1])}, "dump.json")
