#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Races of programs as Debian has them, which were reported in public: how many schedules of `rewind check` show them.

usage: run.py --rewind REWIND --root DIR [--jobs DIR] [--schedules N] [--native N] [--all] [--table FILE]
              [JOB...]

Each job is a shell script of jobs/ that ends with 0 unless the race is lost. A job must pass under schedule 0. What a job's
folder has is built natively by its script `build`, and is the job's standard input, a tarball. A line "# options: …" of the script is
for `rewind check`. Prints TAP, and with --table writes rows: failures natively, failing schedules, the first of them, and
both sides of what decides. Needs root.
"""

import argparse
import importlib.util
import io
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tarfile
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
# Roots, images and native runs are those of the programs' tests.
SPEC = importlib.util.spec_from_file_location("programs", HERE.parent.parent / "programs/run.py")
programs = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(programs)


def read_job(folder, name):
    return programs.PROLOGUE + (folder / (name + ".sh")).read_text()


def build(args, name):
    """What the job's folder has, built in the root: a tarball, empty where there is no such folder."""
    folder = args.jobs / name
    if not folder.is_dir():
        return b""
    sources = io.BytesIO()
    with tarfile.open(fileobj=sources, mode="w") as tar:
        tar.add(folder, ".")
    script = programs.PROLOGUE + "tar x && sh -e ./build >&2 && rm build && tar c --sort=name --mtime=@0 ."
    done = programs.native(args.root, script, args.scratch, sources.getvalue())
    if done.status:
        raise SystemExit(f"{name}: cannot be built: {done.err.decode()}")
    return done.out


def check(args, script, stdin):
    """What the schedules did, schedule 0 first, and what decides. Runs that passed are not kept."""
    found = re.search(r"^# options: (.*)$", script, re.M)
    argv = [args.rewind, "check", "--json", "--no-keyframes", "--schedules", str(args.schedules), *["--all"] * args.all,
            *shlex.split(found.group(1) if found else ""), *["--stdin"] * bool(stdin)]
    done = subprocess.run([*argv, "--root", args.image, "--", "sh", "-c", script], input=stdin, capture_output=True, check=False)
    if done.returncode not in (0, 1, 3):
        raise SystemExit(f"rewind check: status {done.returncode}: {done.stderr.decode()}")
    rows = list(map(json.loads, done.stdout.decode().splitlines()))
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
    stdin = build(args, name)
    failures = sum(programs.native(args.root, script, args.scratch, stdin).status != 0 for _ in range(args.native))
    runs, summary = check(args, script, stdin)
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
