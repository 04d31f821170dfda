# SPDX-License-Identifier: MIT
"""What tests of packages share: reading files of the tree, and TAP."""
import os
import sys

ROOT = sys.argv[1]


def read(path):
    with open(os.path.join(ROOT, path), encoding="utf-8") as file:
        return file.read()


def report(results):
    """Prints each (name, faults); None for faults is a skipped one. Returns the exit status."""
    print(f"1..{len(results)}")
    for number, (name, faults) in enumerate(results, 1):
        print(f"{'not ok' if faults else 'ok'} {number} - {name}{' # SKIP its tool is not installed' if faults is None else ''}")
        for fault in faults or []:
            print(f"# {fault}")
    return 1 if any(faults for _, faults in results) else 0
