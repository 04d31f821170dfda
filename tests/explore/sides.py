#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""rewind check on the examples whose sources mark both sides: whether it names the marked lines. Prints TAP.

`side: held` stands on a line before which somebody has to be kept waiting, `side: passes` on one that another has to
pass meanwhile. A line is right when it belongs to a marked statement. Which of several ways to fail is found first, and told,
is the search's luck: a side that is not told is a TODO, and fewer sides than LEAST are a failure.

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
LEAST = 50


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


def check(rewind, examples, name, home):
    root = os.path.join(home, "root.tar")
    subprocess.run([examples / "pack.sh", name, "-o", root], check=True)
    command = [rewind, "check", "--json", "--root", root, "--cwd", "/src", "--", "make", "check"]
    env = {**os.environ, "REWIND_HOME": home, "LC_ALL": "C.UTF-8"}
    run = subprocess.run(command, env=env, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    if run.returncode not in (0, 1):
        raise SystemExit(f"rewind check: status {run.returncode}: {run.stderr}")
    return json.loads(run.stdout.splitlines()[-1])


def ask(rewind, home, *arguments):
    env = {**os.environ, "REWIND_HOME": home, "LC_ALL": "C.UTF-8"}
    run = subprocess.run([rewind, *arguments, "--json"], env=env, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    if run.returncode:
        raise SystemExit(f"rewind {arguments}: status {run.returncode}: {run.stderr}")
    return [json.loads(line) for line in run.stdout.splitlines()]


def moments(rewind, home, run, step, at_return):
    """Where one is about to be kept waiting, and where the other passes: before its instruction, or behind its call; or None."""
    begins, number, before = str(step), 0, None
    for item in ask(rewind, home, "events", run, "--steps", "--from", str(step - 1)):
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


def is_in_time(rewind, home, run, hold):
    """Whether a hold until a place is passed ended before its time was over: else nobody passed that."""
    number, unit = re.search(r" for ([0-9]+)(ns|us|ms|s)\b", hold["hold"]).groups()
    index, begun = 0, 0
    for item in ask(rewind, home, "events", run, "--steps", "--from", str(hold["step"])):
        if item.get("hold") and item["step"] == hold["step"]:
            index, begun = item["hold"], item["tsc"]
        if index and item.get("release") == index:
            return item["tsc"] - begun < int(number) * UNITS[unit] * TICKS_PER_NS
    return False


def stands(threads, side):
    """The lines that the thread of a side is on, innermost first, and None where there is no such thread."""
    for thread in threads:
        if (thread["pid"], thread["tid"]) == (side["pid"], side["tid"]):
            return lines_of({"calls": thread.get("python", []) + thread["frames"]})
    return None


def is_sane(thread):
    """Whether each function of a stack is somewhere; the innermost may be a call of nothing."""
    return all("path" in frame for frame in thread["frames"][1:]) and thread["state"] != "?"


def look(rewind, home, answer):
    """What `where` says against what check says: pairs of what was asked and whether it is right."""
    run = answer["failing"] if not answer.get("schedule_0_fails") else answer["passing"]
    yield "what is held begins", all(hold["step"] > 0 for hold in answer.get("holds", []))
    for hold in answer.get("holds", []):
        held, passed = hold["held"], hold.get("until")
        if passed:
            yield "until: it is passed", is_in_time(rewind, home, run, hold)
        begins, ends = moments(rewind, home, run, hold["step"], passed and ":return" in passed["place"])
        threads = ask(rewind, home, "where", "--all", run, begins)
        yield "stacks", all(is_sane(thread) for thread in threads)
        if lines_of(held) and not held["behind"]:
            yield f"where: {held['who']} at {lines_of(held)[0]}", lines_of(held)[0] in (stands(threads, held) or [])
        if not ends or not passed:
            continue
        threads = ask(rewind, home, "where", "--all", run, ends)
        if lines_of(passed) and not passed["place"].endswith(":end"):
            yield f"where: {passed['who']} at {lines_of(passed)[0]}", lines_of(passed)[0] in (stands(threads, passed) or [])
        if lines_of(held) and not held["behind"]:
            yield f"where: {held['who']} there still", lines_of(held)[0] in (stands(threads, held) or [])


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


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rewind", default=os.environ.get("REWIND"))
    parser.add_argument("--examples", type=pathlib.Path, default=HERE.parent.parent / "docs/examples")
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    count = told = others = wrong = 0
    for folder in sorted(options.examples.iterdir()):
        marked = marks(folder) if folder.is_dir() else {"held": set()}
        if not marked["held"] or (options.names and folder.name not in options.names):
            continue
        with tempfile.TemporaryDirectory(prefix="rewind-test-") as home:
            answer = check(options.rewind, options.examples, folder.name, home)
            right, said = judge(marked, answer)
            looked = list(look(options.rewind, home, answer))
        for side, good in ((side, good) for side, good in right.items() if marked[side]):
            count += 1
            told += good
            print(f"{'ok' if good else 'not ok'} {count + others} - {folder.name}: {side}{'' if good else ' # TODO another way is told'}")
        for what, good in looked:
            others += 1
            wrong += not good
            print(f"{'ok' if good else 'not ok'} {count + others} - {folder.name}: {what}")
        print("\n".join(f"# {line}" for line in said), flush=True)
    enough = told >= (count if options.names else LEAST)
    print(f"{'ok' if enough else 'not ok'} {count + others + 1} - {told} of {count} sides are told\n1..{count + others + 1}")
    return not enough or wrong > 0


sys.exit(main())
