#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compares the processor time of jobs in Rewind with QEMU's TCG (same kernel and root filesystem) and with hardware.

QEMU runs with `-icount shift=0,sleep=off`, so that it too counts instructions and lets no time pass in sleeps;
qemu-run.sh starts it. Processor time is what all threads and processes take, in user mode and in the kernel: what
else the host does has little part in it. Every number is the smallest of some rounds, and the engines take turns
within a round, so that what is left of that meets them alike. Rewind and QEMU boot in each run; the row `boot` is a
job that does nothing. Prints the table of docs/performance.md.
"""

import argparse
import dataclasses
import math
import os
import pathlib
import platform
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
import workload_list  # noqa: E402

SOURCE = r"""
#include <stdio.h>
#include <string.h>
static unsigned table[256];
static void fill(unsigned polynomial)
{
    for (unsigned i = 0; i < 256; i++) {
        unsigned c = i;
        for (int k = 0; k < 8; k++)
            c = c & 1 ? polynomial ^ c >> 1 : c >> 1;
        table[i] = c;
    }
}
static unsigned crc(const char *text, unsigned c)
{
    for (size_t i = 0, n = strlen(text); i < n; i++)
        c = table[(c ^ text[i]) & 255] ^ c >> 8;
    return ~c;
}
int main(int argc, char **argv)
{
    fill(0xedb88320u);
    for (int i = 0; i < argc; i++)
        printf("%08x %s\n", crc(argv[i], ~0u), argv[i]);
    return 0;
}
"""


@dataclasses.dataclass(frozen=True)
class Job:
    name: str
    command: tuple
    counts: bool = True  # in the mean


JOBS = (
    Job("boot", ("/bin/true",), False),
    Job("1,000 fork and exec", ("/bin/sh", "-c", "i=0; while [ $i -lt 1000 ]; do /bin/true; i=$((i + 1)); done")),
    Job("sha256 of 64 MB", ("/bin/sh", "-c", "head -c 64M /dev/zero | sha256sum")),
    Job("shell loop", ("/bin/bash", "-c", "for ((i = s = 0; i < 150000; i++)); do ((s += i % 7)); done; echo $s")),
    Job("gcc -O2", ("/bin/sh", "-c", f"cat >/tmp/p.c <<'END'\n{SOURCE}END\ngcc -O2 -o /tmp/p /tmp/p.c && /tmp/p ok")),
    Job("python start-up", ("/usr/bin/python3", "-c", "import json, re, sys; print(sys.version)")),
)


def run(command, environment=None):
    before = os.times()
    result = subprocess.run(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, **(environment or {})},
    )
    if result.returncode != 0:
        raise SystemExit(f"bench.py: {' '.join(command)[:200]}: status {result.returncode}\n{result.stderr.decode()}")
    after = os.times()
    used = after.children_user - before.children_user + after.children_system - before.children_system
    return used, result


def guest_of(program):
    """The guest's folder that the program uses."""
    program = pathlib.Path(program).resolve()
    given = os.environ.get("REWIND_GUEST_DIR")
    places = [pathlib.Path(given)] if given else [program.parent / "guest", program.parent.parent / "guest"]
    return next(place for place in places if (place / "vmlinux").exists())


class Rewind:
    """The program, with a run store of its own; what it recorded is dropped before the next run."""

    def __init__(self, program, root, scratch):
        self.program = program
        self.home = scratch / "home"
        self.root = root

    def time(self, job):
        shutil.rmtree(self.home / "runs", ignore_errors=True)
        arguments = workload_list.Workload("", False, False, (), job.command).rewind_arguments(self.root)
        return run([str(self.program), *arguments], {"REWIND_HOME": str(self.home)})[0]


class NoTrace:
    """The same machine with nobody listening: neither trace nor store. Takes the image that Rewind made."""

    def __init__(self, program, rewind):
        self.program = pathlib.Path(program).resolve().parent.parent / "tests/machine/machine-run"
        self.rewind = rewind
        self.guest = guest_of(program)

    def time(self, job):
        image = next((self.rewind.home / "images").glob("*.erofs"))
        return run([str(self.program), str(self.guest), str(image), "--", *job.command])[0]


class Qemu:
    """TCG, with the guest that the program uses."""

    def __init__(self, program, root):
        self.root = root
        self.environment = {"REWIND_GUEST_DIR": str(guest_of(program))}

    def time(self, job):
        return run([str(HERE / "qemu-run.sh"), str(self.root), *job.command], self.environment)[0]


class Native:
    """This machine's processor, in a chroot of the same tree; timed inside it."""

    def __init__(self, root, scratch):
        self.tree = scratch / "tree"
        self.tree.mkdir()
        subprocess.run(["tar", "-xf", str(root), "-C", str(self.tree)], check=True)

    def time(self, job):
        namespaces = ["unshare", "--mount", "--pid", "--fork", "--net", "--ipc", "--uts"]
        become = [sys.executable, str(HERE.parent / "native-equal.py"), "--become", str(self.tree)]
        timed = ["/bin/bash", "-c", 'TIMEFORMAT="%3U %3S"; time "$@" 2>/dev/null >/dev/null', "bash", *job.command]
        user, system = run([*namespaces, *become, *timed])[1].stderr.split()[-2:]
        return float(user) + float(system)


def mean(ratios):
    return math.exp(sum(map(math.log, ratios)) / len(ratios))


def measure(engines, rounds):
    """{(engine, job): seconds}, the smallest of the rounds; a first one, not counted, fills all caches."""
    best = {}
    for number in range(rounds + 1):
        for job in JOBS:
            for name, engine in engines.items():
                seconds = engine.time(job)
                print(f"round {number}: {job.name}, {name}: {seconds:.3f} s", file=sys.stderr, flush=True)
                if number > 0:
                    best[name, job.name] = min(seconds, best.get((name, job.name), math.inf))
    return best


def ratio(best, job, above, below):
    top, bottom = best.get((above, job.name)), best.get((below, job.name))
    return top / bottom if top and bottom else None


PAIRS = (("rewind", "qemu"), ("rewind", "no trace"), ("rewind", "native"))


def print_table(best, engines):
    pairs = [pair for pair in PAIRS if set(pair) <= set(engines)]
    titles = ["job", *(f"{name}, s" for name in engines), *(f"{a} / {b}" for a, b in pairs)]
    print("| " + " | ".join(titles) + " |\n|---" + "|---:" * (len(titles) - 1) + "|")
    for job in JOBS:
        cells = [f"{best[name, job.name]:.3f}" for name in engines]
        cells += [f"{value:.2f}" if (value := ratio(best, job, a, b)) else "" for a, b in pairs]
        print(f"| {job.name} | " + " | ".join(cells) + " |")
    means = []
    for a, b in pairs:
        ratios = [value for job in JOBS if job.counts and (value := ratio(best, job, a, b))]
        means.append(f"**{mean(ratios):.2f}**" if ratios else "")
    print("| geometric mean without boot |" + " |" * len(engines) + " " + " | ".join(means) + " |")


def processor():
    with open("/proc/cpuinfo") as lines:
        model = next((line.split(":")[1].strip() for line in lines if line.startswith("model name")), "unknown")
    return f"{model}, {os.cpu_count()} cores, Linux {platform.release()}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("rewind", help="the program under test")
    parser.add_argument("root", help="the tarball of tests/rootfs/debian.sh")
    parser.add_argument("--rounds", type=int, default=3, help="of which the smallest counts (3)")
    parser.add_argument("--no-qemu", action="store_true")
    parser.add_argument("--no-native", action="store_true", help="needs root")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        scratch = pathlib.Path(name)
        engines = {"rewind": Rewind(options.rewind, options.root, scratch)}
        engines["no trace"] = NoTrace(options.rewind, engines["rewind"])
        if not options.no_qemu:
            engines["qemu"] = Qemu(options.rewind, options.root)
        if not options.no_native:
            engines["native"] = Native(options.root, scratch)
        best = measure(engines, options.rounds)
    print(f"{processor()}. Smallest of {options.rounds}.\n")
    print_table(best, engines)


if __name__ == "__main__":
    main()
