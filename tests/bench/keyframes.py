#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What keyframes cost and what they give.

Records jobs with and without keyframes, in turns, and prints the shortest times and their ratio, on the clock and in
processor time of all threads (on a busy machine only that says much); then goes to ten steps of the last run drawn
at random and prints how long that took. Every recording has a store of its own, so
that no page is there already. With --source a folder is put into the root as /source and `make` in it is the last
job.
"""

import argparse
import math
import os
import pathlib
import random
import resource
import shutil
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
import bench  # noqa: E402


def processor_time():
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def record(program, home, root, command, more):
    """Seconds of the run as the program says, processor time of the program, and the id."""
    shutil.rmtree(home / "runs", ignore_errors=True)
    shutil.rmtree(home / "store", ignore_errors=True)
    arguments = [program, "run", "-q", "--root", root, *more, "--", *command]
    before = processor_time()
    result = subprocess.run(arguments, env={**os.environ, "REWIND_HOME": str(home)}, capture_output=True, text=True)
    line = next((line for line in result.stderr.splitlines() if " wall (" in line), None)
    if not line:
        raise SystemExit(f"keyframes.py: {' '.join(command)[:200]}: {result.stderr}")
    words = line.split()
    seconds = float(words[words.index("wall") - 1].rstrip("s"))
    return seconds, processor_time() - before, words[words.index("run") + 1]


def measure(arguments, home, name, command, rounds):
    """The run's id and the two ratios."""
    best = [[math.inf, math.inf], [math.inf, math.inf]]
    for _ in range(rounds):
        for which, more in enumerate((["--no-keyframes"], [])):
            *times, run_id = record(arguments.rewind, home, arguments.root, command, more)
            best[which] = [min(pair) for pair in zip(best[which], times)]
    ratios = [best[1][i] / best[0][i] for i in range(2)]
    stored = sum(path.stat().st_size for path in (home / "store").glob("pack-*"))
    size = (home / "runs" / run_id / "keyframes").stat().st_size
    columns = [f"{best[which][i]:.2f}" for i in range(2) for which in range(2)]
    print(f"| {name} | {columns[0]} | {columns[1]} | {ratios[0]:.2f} | {columns[2]} | {columns[3]} | {ratios[1]:.2f} "
          f"| {(stored + size) / 1e6:.1f} |", flush=True)
    return run_id, ratios


def seek(arguments, home, run_id):
    program = pathlib.Path(arguments.rewind).resolve().parent.parent / "tests/run/seek-time"
    text = subprocess.run(
        [arguments.rewind, "show", run_id, "--json"], env={**os.environ, "REWIND_HOME": str(home)},
        capture_output=True, text=True, check=True).stdout
    steps = int(text.split('"steps":')[1].split(",")[0].split("}")[0])
    drawn = sorted(random.Random(1).sample(range(100, steps), 10))
    print("\n| step | restored, ms | then, million instructions | in all, ms |\n|---:|---:|---:|---:|")
    out = subprocess.run(
        [program, home, bench.guest_of(arguments.rewind), run_id, *map(str, drawn)],
        capture_output=True, text=True, check=True).stdout
    for line in out.splitlines():
        step, restored, instructions, whole = line.split()
        print(f"| {step} | {float(restored):.0f} | {int(instructions) / 1e6:.0f} | {float(whole):.0f} |")


def with_source(root, source, scratch):
    """The tarball with the folder in it."""
    tar = scratch / "root.tar"
    shutil.copyfile(root, tar)
    name = pathlib.Path(source).resolve()
    subprocess.run(
        ["tar", "--append", "-f", str(tar), "-C", str(name.parent), f"--transform=s|^{name.name}|source|", name.name],
        check=True)
    return str(tar)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("rewind", help="the program under test")
    parser.add_argument("root", help="the tarball of tests/rootfs/debian.sh")
    parser.add_argument("--source", help="a folder with a Makefile, to be compiled as the last job")
    parser.add_argument("--rounds", type=int, default=3, help="of which the shortest counts (3)")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="rewind-bench-") as scratch:
        scratch = pathlib.Path(scratch)
        jobs = [(job.name, job.command, arguments.rounds) for job in bench.JOBS]
        if arguments.source:
            arguments.root = with_source(arguments.root, arguments.source, scratch)
            jobs.append(("make", ("make", "-C", "/source"), 1))
        print("| job | without, s | with, s | ratio | without, CPU s | with, CPU s | ratio | stored, MB |")
        print("|---|---:|---:|---:|---:|---:|---:|---:|")
        ratios = []
        for name, command, rounds in jobs:
            run_id, both = measure(arguments, scratch / "home", name, command, rounds)
            ratios.append(both)
        means = [bench.mean([both[i] for both in ratios]) for i in range(2)]
        print(f"| geometric mean | | | {means[0]:.2f} | | | {means[1]:.2f} | |")
        seek(arguments, scratch / "home", run_id)


if __name__ == "__main__":
    start = time.monotonic()
    main()
    print(f"{time.monotonic() - start:.0f} s", file=sys.stderr)
