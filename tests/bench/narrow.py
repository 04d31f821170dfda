#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What narrowing costs when candidates start where they part, against the same where there is no room for snapshots, so
that each executes all that lies before: instructions and processor time, in turns.

usage: narrow.py CHECK_BUDGET ROOT [--strategy NAMES] -- COMMAND...
"""
import argparse
import os
import re
import resource
import statistics
import subprocess
import sys
import tempfile

ROOM = {"snapshots": 4_000_000_000, "no room for them": 4096}


def narrow(args, budget):
    with tempfile.TemporaryDirectory() as home:
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        done = subprocess.run([args.check_budget, args.root, str(budget), args.strategy, *args.command], env=os.environ | {"REWIND_HOME": home},
                              capture_output=True, text=True, check=False)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
    told = re.search(r"^narrowing: (\d+) instructions, ([\d.]+) s", done.stderr, re.M)
    if done.returncode or not told:
        sys.exit(f"narrow.py: {done.stderr}")
    spent = after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime
    return int(told[1]), float(told[2]), spent, done.stdout


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("check_budget")
    parser.add_argument("root")
    parser.add_argument("--strategy", default="flip")
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("command", nargs="+")
    args = parser.parse_args()
    rounds = [{name: narrow(args, budget) for name, budget in ROOM.items()} for _ in range(args.rounds)]
    if len({found[3] for round_ in rounds for found in round_.values()}) != 1:
        sys.exit("narrow.py: they found different answers")
    first = [statistics.median(round_["snapshots"][i] / round_["no room for them"][i] for round_ in rounds) for i in range(3)]
    print(f"narrowing from where candidates part: {first[0]:.2f} times the instructions, {first[1]:.2f} times the time, "
          f"the whole check {first[2]:.2f} times the processor time")


if __name__ == "__main__":
    main()
