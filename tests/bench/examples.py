#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Measures the examples of docs/examples and writes the table of its README.md.

`native` counts how many of 1,000 runs of `make check` fail on this machine, without Rewind. `check` runs
`rewind check` on each: as a user would, which gives the deciding step and the time, and with `--all`, which gives the
failures of 64; then `--all` on the fixed program. Both keep their figures in docs/examples/results.json, so that one
can be repeated without the other.
"""

import argparse
import json
import os
import pathlib
import platform
import shutil
import subprocess
import sys
import tempfile
import time

EXAMPLES = pathlib.Path(__file__).resolve().parent.parent.parent / "docs/examples"
RESULTS = EXAMPLES / "results.json"
README = EXAMPLES / "README.md"
BEGIN, END = "<!-- table: tests/bench/examples.py -->\n", "<!-- end of table -->\n"
# A run that takes longer hangs or waits in vain: it is left to its own time-out, and the next one starts.
PATIENCE = 0.5
OPTIONS = {"site": ["--cores", "4"]}
QUIET_MAKE = ["env", "-u", "MAKEFLAGS", "-u", "MAKELEVEL", "make", "-s"]


def example_names():
    return sorted(path.parent.name for path in EXAMPLES.glob("*/Makefile"))


def processor():
    with open("/proc/cpuinfo") as lines:
        model = next((line.split(":")[1].strip() for line in lines if line.startswith("model name")), "unknown")
    return f"{model}, {os.cpu_count()} cores, Linux {platform.release()}"


class Copies:
    """Built copies of an example. Each run has one to itself, in case it outlasts the next run's start."""

    def __init__(self, name, scratch):
        self.built = scratch / "built"
        shutil.copytree(EXAMPLES / name, self.built)
        subprocess.run([*QUIET_MAKE, "clean", "all"], cwd=self.built, check=True)
        self.scratch, self.count, self.free = scratch, 0, []

    def take(self):
        if self.free:
            return self.free.pop()
        self.count += 1
        return pathlib.Path(shutil.copytree(self.built, self.scratch / str(self.count)))

    def give_back(self, copy):
        self.free.append(copy)


def start(copy):
    with open(copy / "log", "wb") as log:
        return subprocess.Popen([*QUIET_MAKE, "check"], cwd=copy, stdin=subprocess.DEVNULL, stdout=log, stderr=log)


def collect(slow, copies, wait):
    """Statuses of the slow runs that have ended (all of them, if told to wait); takes them off the list."""
    ended = [(run, copy) for run, copy in slow if wait or run.poll() is not None]
    for run, copy in ended:
        run.wait()
        slow.remove((run, copy))
        copies.give_back(copy)
    return [run.returncode for run, _ in ended]


def native_statuses(name, runs, scratch):
    """The exit statuses of that many runs. One at a time works; only those that hang are left behind."""
    copies, slow, statuses = Copies(name, scratch), [], []
    for _ in range(runs):
        copy = copies.take()
        run = start(copy)
        try:
            statuses.append(run.wait(PATIENCE))
            copies.give_back(copy)
        except subprocess.TimeoutExpired:
            slow.append((run, copy))
        statuses += collect(slow, copies, False)
    return statuses + collect(slow, copies, True)


def measure_native(name, runs):
    with tempfile.TemporaryDirectory() as scratch:
        begin = time.monotonic()
        statuses = native_statuses(name, runs, pathlib.Path(scratch))
    failures = sum(status != 0 for status in statuses)
    print(f"{name}: {failures} of {len(statuses)} native runs failed, {time.monotonic() - begin:.0f} s", flush=True)
    return {"failures": failures, "runs": len(statuses), "host": processor(), "load": round(os.getloadavg()[1], 1)}


def pack(name, fixed, path):
    subprocess.run([str(EXAMPLES / "pack.sh"), name, *(["--fixed"] if fixed else []), "-o", str(path)], check=True)


def rewind_check(program, name, root, *options):
    """The objects that check prints, and how long it took; with a store of its own."""
    with tempfile.TemporaryDirectory() as home:
        command = [program, "check", "--json", "--schedules", "64", "--root", str(root), "--cwd", "/src", *options]
        command += [*OPTIONS.get(name, []), "--", "make", "check"]
        begin = time.monotonic()
        run = subprocess.run(command, stdout=subprocess.PIPE, env={**os.environ, "REWIND_HOME": home})
        seconds = time.monotonic() - begin
    if run.returncode not in (0, 1) or not run.stdout:
        raise SystemExit(f"examples.py: {' '.join(command)}: status {run.returncode}")
    return [json.loads(line) for line in run.stdout.splitlines()], seconds


def both_sides(hold):
    """Who is held where, and what it waits for; or what a system call answered."""
    if "fault" in hold:
        return f"{hold['held']['who']} at {hold['held']['what']}: {hold['answer']}"
    until = hold.get("until")
    waits = f"{until['who']} has passed {until['what']}" if isinstance(until, dict) else hold["hold"].split(" until ")[-1]
    return f"{hold['held']['who']} held before {hold['held']['what']} until {waits}"


def perturbation(found):
    """What happens at the deciding step, in short."""
    if found.get("holds"):
        return "; ".join(both_sides(hold) for hold in found["holds"])
    parts = ["reschedule"] if found.get("reschedule") else []
    if found.get("stall_ns"):
        parts.append(f"stall of {found['stall_ns'] / 1000:g} µs")
    if found.get("late_ns"):
        parts.append(f"timers {found['late_ns'] / 1000:g} µs late")
    if count := found.get("preempt_after"):
        parts.append(f"preemption {count:,} instruction{'s' if count > 1 else ''} on")
    return ", ".join(parts)


def measure_check(program, name):
    with tempfile.TemporaryDirectory() as scratch:
        broken, fixed = pathlib.Path(scratch) / "broken.tar", pathlib.Path(scratch) / "fixed.tar"
        pack(name, False, broken)
        pack(name, True, fixed)
        found, seconds = rewind_check(program, name, broken)
        everything, _ = rewind_check(program, name, broken, "--all", "--no-narrow")
        repaired, _ = rewind_check(program, name, fixed, "--all")
    result = {
        "failures": everything[-1]["differing"],
        "schedules": everything[-1]["perturbed"],
        "fixed_failures": repaired[-1]["differing"],
        "seconds": round(seconds, 1),
        "step": found[-1].get("deciding_step"),
        "perturbation": perturbation(found[-1]),
    }
    print(f"{name}: {result}", flush=True)
    return result


def table(results):
    yield "| example | failures of 64 | the deciding step | time of `check` | native failures | with the fix, of 64 |"
    yield "|---|---:|---|---:|---:|---:|"
    for name, result in sorted(results.items()):
        check, native = result.get("check", {}), result.get("native")
        step = f"{check['step']}: {check['perturbation']}".replace("|", "\\|") if check.get("step") is not None else "none found"
        seconds = f"{check['seconds']:.1f} s" if check else ""
        rate = f"{native['failures']:,} of {native['runs']:,}" if native else ""
        yield (
            f"| {name} | {check.get('failures', '')} | {step} | {seconds} | {rate} | {check.get('fixed_failures', '')} |"
        )


def keep(results):
    RESULTS.write_text(json.dumps(results, indent=2, sort_keys=True) + "\n")
    head, rest = README.read_text().split(BEGIN)
    tail = rest.split(END)[1]
    README.write_text(head + BEGIN + "\n".join(table(results)) + "\n" + END + tail)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    commands = parser.add_subparsers(dest="command", required=True)
    native = commands.add_parser("native", help="count failures without Rewind")
    native.add_argument("--runs", type=int, default=1000)
    check = commands.add_parser("check", help="run rewind check on each")
    check.add_argument("rewind", help="the program")
    for command in (native, check):
        command.add_argument("--dry-run", action="store_true", help="print figures, write nothing")
        command.add_argument("names", nargs="*", default=example_names(), metavar="NAME")
    options = parser.parse_args()
    results = json.loads(RESULTS.read_text()) if RESULTS.exists() else {}
    for name in options.names:
        if options.command == "native":
            figures = measure_native(name, options.runs)
        else:
            figures = measure_check(options.rewind, name)
        if not options.dry_run:
            results.setdefault(name, {})[options.command] = figures
            keep(results)


if __name__ == "__main__":
    sys.exit(main())
