#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Counts the test cases in Meson's JUnit files of the named build directories.

The last line is "N passed, N failed, N skipped"; exits with 1 when a case failed or none ran.
"""
import pathlib
import sys
import xml.etree.ElementTree as xml


def cases(directory):
    path = pathlib.Path(directory, "meson-logs", "testlog.junit.xml")
    if not path.exists():
        print(f"{path}: no test ran there")
        return
    for suite in xml.parse(path).getroot().iter("testsuite"):
        for case in suite.iter("testcase"):
            yield f"{suite.get('name')}: {case.get('name')}", case


def verdict(case):
    if case.find("failure") is not None or case.find("error") is not None:
        return "failed"
    return "skipped" if case.find("skipped") is not None else "passed"


def main():
    counts = {"passed": 0, "failed": 0, "skipped": 0}
    for directory in sys.argv[1:]:
        for name, case in cases(directory):
            result = verdict(case)
            counts[result] += 1
            if result != "passed":
                print(f"{result}: {directory}: {name}")
    print(", ".join(f"{n} {word}" for word, n in counts.items()))
    return 1 if counts["failed"] or not counts["passed"] else 0


sys.exit(main())
