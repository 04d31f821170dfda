#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What a look into a run costs: the first one, another near it, and one without a timeline.

usage: look.py REWIND LOOK_COST [EXAMPLE...]

Records the examples and two jobs of a shell, one of them of some hundred thousand steps, and has tests/timeline/look-cost
look into each at random positions. Prints the table of docs/performance.md: millions of instructions executed for a look, on
average and at most, and processor time in relation to that of rw_seek(), and at most in milliseconds.
"""

import os
import pathlib
import re
import subprocess
import sys
import tempfile

EXAMPLES = pathlib.Path(__file__).resolve().parent.parent.parent / "docs/examples"
PIPES = "seq 3000 | sort -r | sha256sum; for i in 1 2 3; do seq $i 400 | sort | tail -n 1; done"
LONG = "i=0; while [ $i -lt 2600 ]; do echo $i >/tmp/x; cat /tmp/x | sed s/1/2/ >/tmp/y; i=$((i+1)); done"
ROW = re.compile(r"^(\S.*?)\s+([\d.]+) million instructions, at most\s+([\d.]+);\s+([\d.]+) ms, at most\s+([\d.]+)")


def main():
    rewind, look_cost = sys.argv[1:3]
    names = sys.argv[3:] or ["bank", "philosophers", "thumbnails"]
    jobs = [(name, name, ["make", "check"]) for name in names]
    jobs += [("a shell's pipes", names[0], ["sh", "-c", PIPES]), ("a long loop of a shell", names[0], ["sh", "-c", LONG])]
    print("| run | first look | another within 100 steps | `rw_seek()` | time of the first | of another | at most, ms |")
    print("|---|---:|---:|---:|---:|---:|---:|")
    with tempfile.TemporaryDirectory(prefix="rewind-bench-") as home:
        env = {**os.environ, "REWIND_HOME": home}
        for title, example, command in jobs:
            root = f"{home}/root.tar"
            subprocess.run([EXAMPLES / "pack.sh", example, "-o", root], check=True)
            arguments = [rewind, "run", "-q", "--json", "--root", root, "--cwd", "/src", "--", *command]
            run = subprocess.run(arguments, env=env, stdin=subprocess.DEVNULL, capture_output=True, text=True)
            steps = re.search(r'"steps":(\d+)', run.stdout)
            if not steps:
                raise SystemExit(f"look.py: {title}: {run.stderr}")
            out = subprocess.run([look_cost, "@", "30"], env=env, check=True, capture_output=True, text=True).stdout
            first, near, plain = (list(map(float, ROW.match(line).groups()[1:])) for line in out.splitlines()[:3])
            cells = [f"{row[0]:.1f}, {row[1]:.1f}" for row in (first, near, plain)]
            times = f"{first[2] / plain[2]:.2f} | {near[2] / plain[2]:.3f} | {near[3]:.0f}"
            print(f"| {title}, {steps.group(1)} steps | {' | '.join(cells)} | {times} |", flush=True)


main()
