#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Races of programs as Debian has them, which were reported in public: how many schedules of `rewind check` show them.

usage: run.py --rewind REWIND --root DIR [--jobs DIR] [--schedules N] [--native N] [--all] [--table FILE]
              [JOB...]

Each job is a shell script of jobs/ that ends with 0 unless the race is lost. A job must pass under schedule 0. Prints
TAP, and with --table writes rows: failures natively, failing schedules, the first of them, and both sides of what decides.
Needs root.
"""

import argparse
import importlib.util
import json
import os
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
# Roots, images and native runs are those of the programs' tests.
SPEC = importlib.util.spec_from_file_location("programs", HERE.parent.parent / "programs/run.py")
programs = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(programs)


def read_job(folder, name):
    return programs.PROLOGUE + (folder / (name + ".sh")).read_text()


def check(args, script):
    """What the schedules did, schedule 0 first, and what decides. Runs that passed are not kept."""
    argv = [args.rewind, "check", "--json", "--no-keyframes", "--schedules", str(args.schedules), *["--all"] * args.all]
    done = subprocess.run([*argv, "--root", args.image, "--", "sh", "-c", script], stdin=subprocess.DEVNULL, capture_output=True,
                          text=True, check=False)
    if done.returncode not in (0, 1, 3):
        raise SystemExit(f"rewind check: status {done.returncode}: {done.stderr}")
    rows = list(map(json.loads, done.stdout.splitlines()))
    return sorted((row for row in rows if "steps" in row), key=lambda row: row["schedule"]), rows[-1]


def words_of(side):
    return f"{side['who']} {'after' if side['behind'] else 'before'} {side['what'].split('   ')[0]}"


def answer_of(summary):
    """Both sides of each hold that is left, or the disturbance of a step."""
    words = []
    for hold in summary.get("holds", []):
        until = "had passed: " + words_of(hold["until"]) if "until" in hold else hold["hold"].split(" until ", 1)[1]
        words.append(f"held {words_of(hold['held'])} until {until}")
    return "; ".join(words) or summary.get("deciding", "")


class Report:
    def __init__(self, table):
        self.count = self.failed = 0
        self.table = open(table, "a", encoding="utf-8") if table else None

    def ok(self, good, name, why):
        self.count += 1
        self.failed += not good
        print(f"{'ok' if good else 'not ok'} {self.count} - {name}", flush=True)
        if not good:
            print("# " + why.replace("\n", "\n# "), flush=True)

    def row(self, *cells):
        if self.table:
            self.table.write("| " + " | ".join(str(cell) for cell in cells) + " |\n")
            self.table.flush()


def judge(report, args, name):
    script = read_job(args.jobs, name)
    failures = sum(programs.native(args.root, script, args.scratch).status != 0 for _ in range(args.native))
    runs, summary = check(args, script)
    report.ok(runs[0]["ending"] == "exited:0", f"{name} passes under schedule 0", runs[0]["ending"])
    failing = [run for run in runs[1:] if run["differs"]]
    first = failing[0]["schedule"] if failing else "none"
    natively = f"{failures} of {args.native}" if args.native else ""
    print(f"# {name}: {natively} natively, {len(failing)} of {len(runs) - 1} schedules, the first: {first}", flush=True)
    answer = answer_of(summary) if failing else ""
    print(f"# {answer}", flush=True)
    report.row(name, natively, f"{len(failing)} of {len(runs) - 1}", first, answer)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rewind", required=True)
    parser.add_argument("--root", required=True)
    parser.add_argument("--jobs", type=pathlib.Path, default=HERE / "jobs")
    parser.add_argument("--schedules", type=int, default=64)
    parser.add_argument("--native", type=int, default=0)
    parser.add_argument("--all", action="store_true", help="go on after the first 16 schedules of which one differs")
    parser.add_argument("--table")
    parser.add_argument("names", nargs="*", metavar="JOB")
    args = parser.parse_args()
    names = args.names or sorted(path.stem for path in args.jobs.glob("*.sh"))
    report = Report(args.table)
    print(f"1..{len(names)}")
    with tempfile.TemporaryDirectory(prefix="rewind-real-") as args.scratch:
        os.environ.setdefault("REWIND_HOME", os.path.join(args.scratch, "store"))
        args.image = programs.make_image(args.rewind, args.root)
        for name in names:
            judge(report, args, name)
    return report.failed > 0


if __name__ == "__main__":
    sys.exit(main())
