#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""rewind conflicts on the programs of races/. Prints TAP.

Each data race that is told is between lines that the source marks with "// race", and a program with such lines has one.
"""

import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
PACK = HERE.parent.parent / "docs/examples/pack.sh"
HIDDEN = ["hidden"]  # by how schedule 0 runs them
LOCKS = {"locked": {"counter": "lock", "other": "spin"}}  # variables, and what they are locked by


class Tests:
    def __init__(self):
        self.count = self.failed = 0

    def ok(self, good, name, why=""):
        self.count += 1
        self.failed += not good
        print(f"{'ok' if good else 'not ok'} {self.count} - {name}", flush=True)
        if not good:
            print("# " + str(why).replace("\n", "\n# "), flush=True)


class Rewind:
    def __init__(self, program, home):
        self.program, self.env = program, {**os.environ, "REWIND_HOME": home, "LC_ALL": "C.UTF-8"}

    def run(self, *command):
        done = subprocess.run([self.program, *command], env=self.env, stdin=subprocess.DEVNULL, capture_output=True, text=True)
        if done.returncode:
            raise SystemExit(f"rewind {' '.join(command)}: status {done.returncode}: {done.stderr}{done.stdout}")
        return done.stdout

    def conflicts(self, root, *command):
        self.run("run", "-q", "--no-keyframes", "--root", root, "--cwd", "/src", "--", *command)
        return json.loads(self.run("conflicts", "--json", "@"))


def marked(source):
    return {number for number, line in enumerate(source.read_text().splitlines(), 1) if line.endswith("// race")}


def lines_of(race):
    """Those of the program's own."""
    return {site["line"] for side in ("first", "second") for site in race[side] if "line" in site}


def named(found, name):
    """What is told of a variable."""
    return next((one for one in found["objects"] if one.get("function") == name and not one["function_offset"]), None)


def test(tests, rewind, root, source):
    name, lines = source.stem, marked(source)
    found = rewind.conflicts(root, f"./{name}")
    data = [race for race in found["races"] if race["kind"] == "data race"]
    told = set().union(*map(lines_of, data)) if data else set()
    tests.ok(told <= lines, f"{name}: no line is told that does not race", sorted(told - lines))
    tests.ok(len(data) == len(found["races"]), f"{name}: nothing is left open", found["races"])
    tests.ok(not found["unjudged"], f"{name}: all of it is judged")
    if name in HIDDEN:
        tests.ok(not data and named(found, "last")["ordered"] > 0, f"{name}: the race is hidden", found)
    elif lines:
        tests.ok(data and all(any(site["changes"] for site in race["first"] + race["second"]) for race in data), f"{name}: it races", found)
    for variable, lock in LOCKS.get(name, {}).items():
        what = named(found, variable)
        tests.ok(what["lock"]["function"] == lock and not what["ordered"], f"{name}: {variable} is ordered by {lock}", what)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rewind", default=os.environ.get("REWIND"))
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    tests = Tests()
    with tempfile.TemporaryDirectory(prefix="rewind-test-") as home:
        root, rewind = os.path.join(home, "root.tar"), Rewind(options.rewind, home)
        subprocess.run([PACK, HERE / "races", "-o", root], check=True)
        for source in sorted((HERE / "races").glob("*.c")):
            if not options.names or source.stem in options.names:
                test(tests, rewind, root, source)
    print(f"1..{tests.count}")
    return tests.failed > 0


sys.exit(main())
