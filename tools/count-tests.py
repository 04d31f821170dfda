#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Counts the test cases in Meson's logs of the named build directories.

A test program that ended badly though each of its cases passed (its status, a time limit) is one failed case more.
What is not passed is listed, a failed program with its last lines.
The last line is "N passed, N failed, N skipped"; exits with 1 when a case failed or none ran.
"""
import json
import pathlib
import sys
import xml.etree.ElementTree as xml

VERDICTS = {"OK": "passed", "EXPECTEDFAIL": "passed", "SKIP": "skipped"}
LAST_LINES = 15


def cases(directory):
    """The verdicts of the cases of each test program that tells its cases."""
    found = {}
    path = pathlib.Path(directory, "meson-logs", "testlog.junit.xml")
    if path.exists():
        for suite in xml.parse(path).getroot().iter("testsuite"):
            # PROJECT.PROGRAM; the programs that tell none are the cases of PROJECT.
            _, _, program = suite.get("name").partition(".")
            if program:
                found[program] = [(case.get("name"), verdict(case)) for case in suite.iter("testcase")]
    return found


def verdict(case):
    if case.find("failure") is not None or case.find("error") is not None:
        return "failed"
    return "skipped" if case.find("skipped") is not None else "passed"


def programs(directory):
    """What Meson kept of each test program: its name, result, output."""
    path = pathlib.Path(directory, "meson-logs", "testlog.json")
    if not path.exists():
        print(f"{path}: no test ran there")
        return []
    return [json.loads(line) for line in path.read_text(errors="replace").splitlines()]


def tell_end(directory, program):
    print(f"failed: {directory}: {program['name']}: {program['result']}, status {program.get('returncode')}")
    for stream in ("stdout", "stderr"):
        for line in (program.get(stream) or "").splitlines()[-LAST_LINES:]:
            print(f"    {line}")


def count(directory, counts):
    told = cases(directory)
    for program in programs(directory):
        own = told.get(program["name"], [])
        for name, result in own:
            counts[result] += 1
            if result != "passed":
                print(f"{result}: {directory}: {program['name']}: {name}")
        end = VERDICTS.get(program["result"], "failed")
        if not own or (end == "failed" and all(result != "failed" for _, result in own)):
            counts[end] += 1
        if end == "failed":
            tell_end(directory, program)


def main():
    counts = {"passed": 0, "failed": 0, "skipped": 0}
    for directory in sys.argv[1:]:
        count(directory, counts)
    print(", ".join(f"{n} {word}" for word, n in counts.items()))
    return 1 if counts["failed"] or not counts["passed"] else 0


if __name__ == "__main__":
    sys.exit(main())
