#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""store.py REWIND MAKE_RUNS ROOT [RUNS]: a store with very many runs (10,000) beside one with ten.

Records a run of ROOT into each of the two, puts the others beside it, and prints as a table of docs/performance.md
what the usual commands take there: processor time, the smallest of some rounds, and the most memory. A process may
have 64 descriptors, so that a command that needs one a run fails.
"""
import json
import os
import resource
import subprocess
import sys
import tempfile

FILES = 64
ROUNDS = 5
FEW = 10
LOOP = "i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done"


def limit():
    resource.setrlimit(resource.RLIMIT_NOFILE, (FILES, FILES))


def measure(command, home):
    """(seconds of processors, megabytes) of a command."""
    process = subprocess.Popen(command, env=dict(os.environ, REWIND_HOME=home), stdout=subprocess.DEVNULL,
                               stderr=subprocess.PIPE, preexec_fn=limit)
    said = process.stderr.read().decode()
    _, status, usage = os.wait4(process.pid, 0)
    if status:
        sys.exit(f"{' '.join(command)}: status {status}\n{said}")
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss // 1024


class Bench:
    def __init__(self, rewind, make_runs, root):
        self.rewind, self.make_runs, self.root = rewind, make_runs, root
        self.others = 0

    def run(self, *command):
        return [self.rewind, "run", "-q", "--root", self.root, "--", *command]

    def other(self):
        """A run that the store does not have."""
        self.others += 1
        return self.run("echo", str(self.others))

    def fill(self, home, runs):
        measure([*self.run("sh", "-c", LOOP)[:3], "--name", "real", "--root", self.root, "--", "sh", "-c", LOOP], home)
        shown = subprocess.run([self.rewind, "show", "--json", "real"], env=dict(os.environ, REWIND_HOME=home),
                               stdout=subprocess.PIPE, check=True)
        self.id, end = json.loads(shown.stdout)["id"], json.loads(shown.stdout)["end"]
        self.middle = str(end["steps"] // 2)
        cost, memory = measure([self.make_runs, home, str(runs)], home)
        print(f"# {runs} runs made in {cost:.1f} s, {memory} MB", file=sys.stderr, flush=True)

    def commands(self):
        """What is measured: (words, how often, the command, or what makes it anew each time)."""
        r = self.rewind
        return (
            ("`ls`", ROUNDS, [r, "ls"]),
            ("`ls --json`", ROUNDS, [r, "ls", "--json"]),
            ("`show` of a whole id", ROUNDS, [r, "show", self.id]),
            ("`show` of the start of an id", ROUNDS, [r, "show", self.id[:10]]),
            ("`show` of a name", ROUNDS, [r, "show", "real"]),
            ("`show @`", ROUNDS, [r, "show", "@"]),
            ("`ps` at a step", ROUNDS, [r, "ps", self.id, self.middle]),
            ("`cat` at a step", ROUNDS, [r, "cat", self.id, self.middle, "/proc/uptime"]),
            ("`replay --from` the middle", ROUNDS, [r, "replay", "--from", self.middle, self.id]),
            ("`run` of one more", ROUNDS, self.other),
            ("`remove @`", ROUNDS, [r, "remove", "@"]),
            ("`gc --dry-run`", 2, [r, "gc", "--dry-run"]),
            ("`gc`", 1, [r, "gc"]),
            ("`gc` again", 2, [r, "gc"]),
        )

    def measure_all(self, home):
        found = {}
        for words, rounds, command in self.commands():
            taken = [measure(command if isinstance(command, list) else command(), home) for _ in range(rounds)]
            found[words] = min(cost for cost, _ in taken), max(memory for _, memory in taken)
            print(f"# {words}: {found[words][0]:.2f} s, {found[words][1]} MB", file=sys.stderr, flush=True)
        return found


def main():
    if len(sys.argv) not in (4, 5):
        sys.exit(__doc__.splitlines()[0])
    bench = Bench(*(os.path.abspath(path) for path in sys.argv[1:4]))
    many = int(sys.argv[4]) if len(sys.argv) > 4 else 10000
    found = []
    for runs in (FEW, many):
        with tempfile.TemporaryDirectory() as home:
            bench.fill(home, runs)
            found.append(bench.measure_all(home))
    print(f"| command | {FEW} runs, CPU ms | {many:,} runs, CPU ms | ratio | MB | MB |\n|---|---:|---:|---:|---:|---:|")
    for words, (cost, memory) in found[0].items():
        cost_many, memory_many = found[1][words]
        print(f"| {words} | {1000 * cost:.0f} | {1000 * cost_many:.0f} | {cost_many / cost:.1f} | {memory} | {memory_many} |")


main()
