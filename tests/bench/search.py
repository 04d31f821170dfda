#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What searching costs, as ratios in one run: learning from schedule 0 against executing it once, schedules of holds against schedule 0's
length, and the time of the default check.

usage: search.py REWIND ROOT [--cwd DIR] -- COMMAND...
"""
import argparse
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile


def run(args, home, *words):
    """The words as a command; its output and its processor time."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run([args.rewind, *words], env=os.environ | {"REWIND_HOME": home}, capture_output=True, text=True, check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode not in (0, 1):
        sys.exit(f"search.py: {' '.join(words)}: {done.stderr}")
    return done.stdout, after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


def job(args):
    return ["--root", args.root, "--cwd", args.cwd, "--", *args.command]


def learning(args, home):
    """Processor time of watching over that of one execution, both from the state where the job is handed over."""
    run(args, home, "run", "-q", "--no-keyframes", *job(args))  # images, and that state
    pairs = []
    for seed in range(5):
        _, plain = run(args, home, "run", "-q", "--no-keyframes", "--seed", str(seed + 1), *job(args))
        told, watched = run(args, home, "conflicts", "--json", "@")
        pairs.append(watched / plain)
    learned = json.loads(told)
    print(f"learning: {learned['executed'] / learned['instructions']:.2f} times the instructions of schedule 0, "
          f"{statistics.median(pairs):.2f} times its processor time (median of 5; wanted: at most 10)")


def lengths(args, home):
    told, _ = run(args, home, "check", "--all", "--keep", "all", "--no-narrow", "--json", "--schedules", "64", "--strategy", "flip,wait,order,demote,both", *job(args))
    rows = [row for row in map(json.loads, told.splitlines()) if "steps" in row]
    ends = {row["id"]: json.loads(run(args, home, "show", "--json", row["id"])[0]) for row in rows if row["ending"] == rows[0]["ending"]}
    base = ends[rows[0]["id"]]["end"]["instructions"]
    ratios = [end["end"]["instructions"] / base for end in ends.values()]
    print(f"schedules of holds: {statistics.median(ratios):.3f} times schedule 0's instructions, from power-on, "
          f"at most {max(ratios):.3f} ({len(ratios)} that end alike; wanted: at most 1.1)")


def whole(args, home):
    told, spent = run(args, home, "check", "--json", *job(args))
    last = json.loads(told.splitlines()[-1])
    print(f"default check: {last['perturbed']} schedules in {last['schedules_seconds']:.1f} s, "
          f"narrowing {last.get('narrowing_seconds', 0):.1f} s, {spent:.1f} s of processor time in all")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("rewind")
    parser.add_argument("root")
    parser.add_argument("--cwd", default="/src")
    parser.add_argument("command", nargs="+")
    args = parser.parse_args()
    for measure in (learning, lengths, whole):
        with tempfile.TemporaryDirectory() as home:
            measure(args, home)


if __name__ == "__main__":
    main()
