#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""rewind check on every example: it passes under schedule 0, fails under some other, one step of which decides, and once
it is fixed fails under none of 64. Prints TAP. Those of HARD may take more schedules: if none finds it, only the fix is
tested. Names of examples as arguments take some of them.

Where the sources mark both sides, whether the answer names them: `side: held` stands on a line before which somebody has
to be kept waiting, `side: passes` on one that another has to pass meanwhile. A line is right when it belongs to a marked
statement. Which of several ways to fail is found first, and told, is the search's luck: a side that is not told is a
TODO, and fewer sides than LEAST are a failure.

Then rewind where at the steps at which the hold begins and ends: for each of the two threads it has to name the line that
check names, and every thread's stack has to be one.
"""

import argparse
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
LEAST = 61
HARD = ("thumbnails",)
CORES = {"site": 4}
SMALL = 200_000  # bytes of a run of an example that is exported


def statement(lines, at):
    """The numbers of the lines of the statement that line `at` (from 0) is a part of."""
    def ends(line):
        code = re.sub(r"/\*.*?\*/|//.*|\s#.*", "", line).rstrip()
        return not code or code.endswith((";", "{", "}", ":"))

    first = last = at
    while first > 0 and not ends(lines[first - 1]):
        first -= 1
    while last + 1 < len(lines) and not ends(lines[last]):
        last += 1
    return range(first + 1, last + 2)


def marks(folder):
    """What is marked: {"held": {(file, line)}, "passes": …}."""
    found = {"held": set(), "passes": set()}
    for path in sorted(folder.iterdir()):
        if not path.is_file() or path.suffix in (".patch", ".md"):
            continue
        lines = path.read_text(errors="replace").splitlines()
        for number, line in enumerate(lines):
            for side in re.findall(r"side: (held|passes)\b", line):
                found[side].update((path.name, of) for of in statement(lines, number))
    return found


def lines_of(side):
    """Lines that a side of the answer names: where it stands, and of the calls that led there."""
    shown = [side, *side.get("calls", [])]
    return [(os.path.basename(where["file"]), where["line"]) for where in shown if "line" in where]


class Tap:
    """Counts and prints tests."""

    def __init__(self):
        self.count = self.failures = 0

    def ok(self, good, name, directive=""):
        self.count += 1
        self.failures += not good and not directive
        print(f"{'ok' if good else 'not ok'} {self.count} - {name}{f' # {directive}' if directive else ''}", flush=True)

    def end(self):
        print(f"1..{self.count}")
        return self.failures > 0


class Rewind:
    """The command with a store of its own."""

    def __init__(self, program, home):
        self.program, self.env = program, {**os.environ, "REWIND_HOME": home, "LC_ALL": "C.UTF-8"}

    def run(self, *arguments, status=(0,)):
        run = subprocess.run([self.program, *arguments], env=self.env, stdin=subprocess.DEVNULL, capture_output=True, text=True)
        if run.returncode not in status:
            raise SystemExit(f"rewind {' '.join(arguments)}: status {run.returncode}: {run.stderr}")
        return run.stdout

    def ask(self, command, *arguments, status=(0,)):
        return [json.loads(line) for line in self.run(command, "--json", *arguments, status=status).splitlines()]

    def check(self, name, root, *options):
        cores = str(CORES.get(name, 1))
        job = ("--root", root, "--cwd", "/src", "--", "make", "check")
        return self.ask("check", "--cores", cores, *options, *job, status=(0, 1))


def moments(rewind, run, step, at_return):
    """Where one is about to be kept waiting, and where the other passes: before its instruction, or behind its call; or None."""
    begins, number, before = str(step), 0, None
    for item in rewind.ask("events", run, "--steps", "--from", str(step - 1)):
        if "icount" not in item:
            continue
        if item["step"] == step:
            number = item["hold"]
        if item["kind"] == "release" and item["release"] == number:
            if at_return or before["icount"] == item["icount"]:
                return begins, str(item["step"])
            return begins, f"{before['step']}+{item['icount'] - before['icount'] - 1}"
        before = item
    return begins, None


UNITS = {"ns": 1, "us": 10**3, "ms": 10**6, "s": 10**9}
TICKS_PER_NS = 4


def is_in_time(rewind, run, hold):
    """Whether a hold until a place is passed ended before its time was over: else nobody passed that."""
    number, unit = re.search(r" for ([0-9]+)(ns|us|ms|s)\b", hold["hold"]).groups()
    index, begun = 0, 0
    for item in rewind.ask("events", run, "--steps", "--from", str(hold["step"])):
        if item.get("hold") and item["step"] == hold["step"]:
            index, begun = item["hold"], item["tsc"]
        if index and item.get("release") == index:
            return item["tsc"] - begun < int(number) * UNITS[unit] * TICKS_PER_NS
    return False


def stands(threads, side):
    """The lines that the thread of a side is on, innermost first, and None where there is no such thread."""
    for thread in threads:
        if (thread["pid"], thread["tid"]) == (side["pid"], side["tid"]):
            return lines_of({"calls": thread.get("python", []) + thread.get("script", []) + thread["frames"]})
    return None


def agrees(threads, side):
    """Whether the thread is on the line that check names. A program that has none is told by the line that started it."""
    lines = stands(threads, side)
    return lines is not None and (not lines or lines_of(side)[0] in lines)


def is_sane(thread):
    """Whether each function of a stack is somewhere; the innermost may be a call of nothing."""
    return all("path" in frame for frame in thread["frames"][1:]) and thread["state"] != "?"


def look(rewind, answer):
    """What `where` says against what check says: pairs of what was asked and whether it is right."""
    run = answer["failing"] if not answer.get("schedule_0_fails") else answer["passing"]
    yield "what is held begins", all(hold["step"] > 0 for hold in answer.get("holds", []))
    for hold in answer.get("holds", []):
        held, passed = hold["held"], hold.get("until")
        if passed:
            yield "until: it is passed", is_in_time(rewind, run, hold)
        begins, ends = moments(rewind, run, hold["step"], passed and ":return" in passed["place"])
        threads = rewind.ask("where", "--all", run, begins)
        yield "stacks", all(is_sane(thread) for thread in threads)
        if lines_of(held) and not held["behind"]:
            yield f"where: {held['who']} at {lines_of(held)[0]}", agrees(threads, held)
        if not ends or not passed:
            continue
        threads = rewind.ask("where", "--all", run, ends)
        if lines_of(passed) and not passed["place"].endswith(":end"):
            yield f"where: {passed['who']} at {lines_of(passed)[0]}", agrees(threads, passed)
        if lines_of(held) and not held["behind"]:
            yield f"where: {held['who']} there still", agrees(threads, held)


def judge(marked, answer):
    """Which sides of the answer are right, and what it says."""
    holds = answer.get("holds", [])
    right = {"held": False, "passes": False}
    for hold in holds:
        right["held"] |= bool(marked["held"].intersection(lines_of(hold["held"])))
        right["passes"] |= bool(marked["passes"].intersection(lines_of(hold.get("until", {}))))
    said = [f"{side}: {hold[side]['who']} {hold[side]['what']}" for hold in holds for side in ("held", "until") if side in hold]
    said += [f"no place is waited for: {hold['hold']}" for hold in holds if "until" not in hold]
    return right, said or [answer.get("deciding", "nothing found")]


def compare_preemption(tap, rewind, name, root):
    """The race without system calls: draws alone find twins that differ in one preemption, at an exact instruction."""
    answer = rewind.check(name, root, "--schedules", "64", "--strategy", "mixed")[-1]
    decides = r"step [0-9]+ decides it: a preemption [0-9]+ instructions after it makes the run fail; one instruction less does not"
    tap.ok(re.fullmatch(decides, answer.get("deciding", "")), f"{name}: a preemption, to the instruction")
    part = r"^the two are the same run until step [0-9]+: there left has nothing and right a preemption [0-9]+ instructions after it$"
    compared = rewind.run("compare", answer["passing"], answer["failing"], status=(1,))
    tap.ok(re.search(part, compared, re.MULTILINE), f"{name}: its twins part in it")


def try_sides(tap, rewind, name, answer, marked):
    """What check and where say of the two sides. Which of them are told."""
    right, said = judge(marked, answer)
    for side, good in right.items():
        if marked[side]:
            tap.ok(good, f"{name}: {side}", "" if good else "TODO another way is told")
    for what, good in look(rewind, answer):
        tap.ok(good, f"{name}: {what}")
    print("\n".join(f"# {line}" for line in said))
    return right


def try_broken(tap, rewind, name, root, marked):
    """What check says of the example as it is. Which sides of it are told."""
    *schedules, answer = rewind.check(name, root)
    tap.ok(schedules[0]["ending"] == "exited:0", f"{name} passes without")
    if name in HARD and not answer["differing"]:
        tap.ok(True, f"{name} fails under some schedule", "SKIP this one is hard to find")
        return {}
    tap.ok(any(one["ending"] == "exited:2" for one in schedules), f"{name} fails under some schedule, by its own status")
    tap.ok(re.match(r"step [0-9]+ decides it: ", answer.get("deciding", "")), f"{name}'s deciding step")
    exported = f"{root}.rwd"
    rewind.run("export", answer["failing"], "-o", exported)
    tap.ok(os.path.getsize(exported) < SMALL, f"what was seen of {name} is exported in less than {SMALL} bytes")
    return try_sides(tap, rewind, name, answer, marked) if any(marked.values()) else {}


def try_fixed(tap, rewind, name, root):
    answer = rewind.check(name, root, "--schedules", "64", "--all")[-1]
    tap.ok((answer["perturbed"], answer["differing"]) == (64, 0), f"{name} fixed never fails, under 64 schedules")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rewind", default=os.environ.get("REWIND"))
    parser.add_argument("--examples", type=pathlib.Path, default=HERE.parent.parent / "docs/examples")
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    tap, sides, told = Tap(), 0, 0
    for folder in sorted(make.parent for make in options.examples.glob("*/Makefile")):
        if options.names and folder.name not in options.names:
            continue
        marked = marks(folder)
        with tempfile.TemporaryDirectory(prefix="rewind-test-") as home:
            rewind, root = Rewind(options.rewind, home), os.path.join(home, "root.tar")
            subprocess.run([options.examples / "pack.sh", folder.name, "-o", root], check=True)
            right = try_broken(tap, rewind, folder.name, root, marked)
            if folder.name == "wordcount":
                compare_preemption(tap, rewind, folder.name, root)
            subprocess.run([options.examples / "pack.sh", folder.name, "--fixed", "-o", root], check=True)
            try_fixed(tap, rewind, folder.name, root)
        sides += sum(bool(lines) for lines in marked.values())
        told += sum(right.values())
    tap.ok(told >= (sides if options.names else LEAST), f"{told} of {sides} sides are told")
    return tap.end()


sys.exit(main())
