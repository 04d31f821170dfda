#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""`rewind threads` says what the run's own events say; TAP output. usage: test-threads.py REWIND EXAMPLE EXAMPLES

EXAMPLE has recorded runs as files, which need no guest; EXAMPLES are programs to record."""
import json
import os
import shutil
import subprocess
import sys
import tempfile

rewind, example, examples = sys.argv[1:4]
count = failures = 0


def ok(good, name, why=""):
    global count, failures
    count += 1
    failures += not good
    print(f"{'ok' if good else 'not ok'} {count} - {name}")
    if not good and why:
        print(f"# {why}")


def objects(*args):
    out = subprocess.run([rewind, *args, "--json"], capture_output=True, check=True).stdout
    return [json.loads(line) for line in out.splitlines()]


def moment(of):
    return of["step"], of.get("instructions", 0)


def check(name, run):
    """Turns follow each other without a gap, and each switch of the trace is between two of them."""
    turns = objects("threads", run)
    switches = objects("events", run, "--kind", "switch")
    ok(len(turns) == len(switches) + 1, f"{name}: a turn more than switches", f"{len(turns)} and {len(switches)}")
    gaps = [(a, b) for a, b in zip(turns, turns[1:]) if a["to"] != b["from"]]
    ok(not gaps, f"{name}: no gap", gaps[:1])
    wrong = [(turn, switch) for turn, switch in zip(turns, switches)
             if (turn["pid"], turn["tid"]) != (switch["pid"], switch["tid"])
             or moment(turn["to"]) != (switch["step"], switch["instructions"])]
    ok(not wrong, f"{name}: they end where the events say", wrong[:1])
    wrong = [(turn, switch) for turn, switch in zip(turns[1:], switches) if turn["pid"] != switch["next_pid"]]
    ok(not wrong, f"{name}: and go to whom they say", wrong[:1])
    totals = objects("threads", run, "--total")
    ok(sum(t["ticks"] for t in totals) == turns[-1]["to"]["tsc"] - turns[0]["from"]["tsc"],
       f"{name}: the totals are all of the time")
    ended = {t["tid"] for t in totals if "end" in t["left"]}
    exits = {e["tid"] for e in objects("events", run, "--kind", "exit")}
    lived = {t["tid"] for t in turns}
    ok(ended <= exits and exits & lived <= ended | {turns[-1]["tid"]}, f"{name}: those that ended did",
       f"{ended} and {exits}")
    middle = turns[len(turns) // 2]["from"]["step"]
    part = objects("threads", run, "--from", str(middle), "--to", str(middle + 3))
    wanted = [t for t in turns if t["to"]["step"] >= middle and t["from"]["step"] <= middle + 3]
    ok(part == wanted, f"{name}: a part of it is the same")
    return turns


def record(root, *args):
    out = subprocess.run([rewind, "run", "--json", "--root", root, *args], capture_output=True, check=False)
    return json.loads(out.stdout.splitlines()[-1])["id"]


def make_pipeline(root):
    os.makedirs(f"{root}/bin")
    shutil.copy("/bin/busybox", f"{root}/bin/busybox")
    for applet in ("sh", "seq", "grep", "sort", "wc"):
        os.symlink("busybox", f"{root}/bin/{applet}")


with tempfile.TemporaryDirectory(prefix="rewind-test-") as work:
    os.environ["REWIND_HOME"] = f"{work}/home"
    for kind in ("passing", "failing"):
        file = f"{example}/{kind}.rwd"
        subprocess.run([rewind, "import", file], check=True, capture_output=True)
        check(f"imported, {kind}", "@")
    missing = subprocess.run([rewind, "threads", "@", "--from", "99999999"], capture_output=True, check=False)
    ok(missing.returncode == 1 and missing.stderr.count(b"\n") == 1, "a step past the end is an error")
    make_pipeline(f"{work}/root")
    run = record(f"{work}/root", "--", "sh", "-c", "seq 20000 | grep 7 | sort -r | wc -l")
    turns = check("a pipe-line", run)
    names = {t.get("name") for t in turns}
    ok(names >= {"sh", "grep", "wc"}, "a pipe-line: its programs", names)
    for name in ("bank", "philosophers"):
        subprocess.run([f"{examples}/pack.sh", name, "-o", f"{work}/{name}.tar"], check=True, capture_output=True)
        run = record(f"{work}/{name}.tar", "--schedule", "3", "--cwd", "/src", "--", "make", "check")
        turns = check(name, run)
        ok(any(t["left"] == "schedule" for t in turns), f"{name}: the schedule takes the CPU away")
print(f"1..{count}")
sys.exit(failures > 0)
