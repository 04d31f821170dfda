#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""rewind check on the programs of programs/list. Prints TAP.

Every program passes under schedule 0; a correct one under all others, too; one that is not fails in the way that the
list says, if at all, and within so many schedules as are promised there. With --table the result is a table instead: how many schedules fail, and the first that does, which
is what the search is measured with. With --seeds N it is the mean of the first over N lists of schedules (--search-seed 1 to
N); those in which none fails are counted apart.
"""

import argparse
import collections
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
Program = collections.namedtuple("Program", "name source fails holds within command")
# How make ends when what it runs fails, and what its last words say then.
WORDS = {"status": r"Error 1\b", "hang": r"Error 124\b"}


def programs():
    for line in (HERE / "programs/list").read_text().splitlines():
        if line and not line.startswith("#"):
            name, source, fails, holds, within, command = line.split(None, 5)
            yield Program(name, source, fails, int(holds), int(within) if within.isdigit() else 0, command)


class Check:
    """A `rewind check` of a program: all schedules, or with `first` only as many as it takes to fail."""

    def __init__(self, rewind, program, schedules, home, seed=0, first=False):
        root = os.path.join(home, "root.tar")
        if not os.path.exists(root):
            subprocess.run([HERE / "pack.sh", program.name, "-o", root], check=True)
        self.rewind, self.env = rewind, {**os.environ, "REWIND_HOME": home, "LC_ALL": "C.UTF-8"}
        options = ["--no-narrow", "--json", "--schedules", str(schedules), "--search-seed", str(seed)]
        options += [] if first else ["--all"]
        command = ["check", *options, "--root", root, "--cwd", "/src", "--", "make", "check"]
        run = self.run(*command)
        if run.returncode not in (0, 1):
            raise SystemExit(f"rewind {' '.join(command)}: status {run.returncode}: {run.stderr}")
        found = [row for row in map(json.loads, run.stdout.splitlines()) if "steps" in row]
        self.runs = sorted(found, key=lambda row: row["schedule"])
        self.first = self.runs[0]["ending"]
        self.failing = [found for found in self.runs[1:] if found["differs"]]

    def run(self, *command):
        return subprocess.run([self.rewind, *command], env=self.env, stdin=subprocess.DEVNULL, capture_output=True, text=True)

    def log(self, found):
        return self.run("log", found["id"]).stdout


def as_expected(program, check):
    """Whether the first failing run failed as the list says."""
    signal = {"SIGSEGV": "Segmentation fault", "SIGABRT": "Aborted"}.get(program.fails)
    return re.search(signal or WORDS[program.fails], check.log(check.failing[0])) is not None


class Tests:
    def __init__(self):
        self.count = self.failed = 0

    def ok(self, good, name, why=""):
        self.count += 1
        self.failed += not good
        print(f"{'ok' if good else 'not ok'} {self.count} - {name}", flush=True)
        if not good and why:
            print("# " + why.replace("\n", "\n# "), flush=True)


def test(tests, program, check):
    tests.ok(check.first == "exited:0", f"{program.name} passes under schedule 0", check.first)
    failed = ", ".join(f"schedule {found['schedule']}: {found['ending']}" for found in check.failing)
    if program.fails == "never":
        tests.ok(not check.failing, f"{program.name} is never made to fail", failed)
        return
    if program.within:
        tests.ok(check.failing, f"{program.name} fails within {program.within} schedules", f"none of {len(check.runs) - 1} did")
    if check.failing:
        tests.ok(as_expected(program, check), f"{program.name} fails as it should", check.log(check.failing[0]))


def print_row(program, check):
    first = check.failing[0]["schedule"] if check.failing else "none"
    print(f"| {program.name} | {program.fails} | {program.holds} | {len(check.failing)} of {len(check.runs) - 1} | {first} |", flush=True)


def print_mean(program, options, home):
    firsts = []
    for seed in range(1, options.seeds + 1):
        check = Check(options.rewind, program, options.schedules, home, seed, first=True)
        firsts.append(check.failing[0]["schedule"] if check.failing else None)
    found = [first for first in firsts if first is not None]
    mean = f"{sum(found) / len(found):.1f}" if found else "none"
    most = max(found) if found else "none"
    print(f"| {program.name} | {program.holds} | {mean} | {most} | {len(firsts) - len(found)} of {len(firsts)} |", flush=True)


def show_table(options, chosen):
    if options.seeds:
        print(f"| program | holds | mean of the first | latest | none in {options.schedules} |\n|---|---:|---:|---:|---:|")
    else:
        print("| program | fails | holds | failing schedules | the first |\n|---|---|---:|---:|---:|")
    for program in chosen:
        with tempfile.TemporaryDirectory(prefix="rewind-test-") as home:
            if options.seeds:
                print_mean(program, options, home)
            else:
                print_row(program, Check(options.rewind, program, options.schedules, home))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rewind", default=os.environ.get("REWIND"))
    parser.add_argument("--schedules", type=int, default=8)
    parser.add_argument("--table", action="store_true")
    parser.add_argument("--seeds", type=int, default=0)
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    chosen = [program for program in programs() if not options.names or program.name in options.names]
    if options.table:
        show_table(options, [program for program in chosen if options.names or program.fails != "never"])
        return 0
    tests = Tests()
    for program in chosen:
        with tempfile.TemporaryDirectory(prefix="rewind-test-") as home:
            schedules = max(program.within, options.schedules)
            test(tests, program, Check(options.rewind, program, schedules, home, first=bool(program.within)))
    print(f"1..{tests.count}")
    return tests.failed > 0


sys.exit(main())
