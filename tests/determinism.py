#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Records each workload several times under changed host conditions and compares the traces byte for byte.

Each recording has a run store of its own. The conditions come in turns: as it is; all of it otherwise (another user,
home, directory, environment and program name, one core without address randomisation, the host busy); with the host
busy; on one core; from elsewhere; as another user. The first recording is replayed from the start and from some of its
steps. Small workloads are recorded once more with `rewind` itself under QEMU's user-mode emulation of
another vendor's processor without AVX, which stands for another host.
"""

import argparse
import contextlib
import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import time

import workload_list

NOBODY = 65534
# Another vendor than the host's; both have SSE4.2 and neither has AVX.
EMULATED = {
    "GenuineIntel": "Opteron_G5,-avx,-f16c,-fma,-fma4,-xop,-tbm,-xsave",
    "AuthenticAMD": "Nehalem",
}
# Of these the quick part has replays too.
QUICK_SEEKS = ("signals", "sockets", "shell")


class Bench:
    """Where the recordings are made: the program, copies of what it needs that any user can read, scratch room."""

    def __init__(self, options, scratch):
        self.rewind = pathlib.Path(options.rewind).resolve()
        self.scratch = scratch
        self.guest = self.copy_guest(options.guest)
        self.count = 0
        self.timeout = options.timeout
        self.root = pathlib.Path(options.root).resolve()
        self.program = scratch / "some-other-name"
        shutil.copy(self.rewind, self.program)
        scratch.chmod(0o755)

    def copy_guest(self, guest):
        beside = (self.rewind.parent / "guest", self.rewind.parent.parent / "guest")
        given = guest or os.environ.get("REWIND_GUEST_DIR")
        places = [pathlib.Path(given)] if given else beside
        found = next((place for place in places if (place / "vmlinux").exists()), None)
        if found is None:
            return None
        shutil.copytree(found, self.scratch / "guest")
        return self.scratch / "guest"

    def make_home(self):
        self.count += 1
        home = self.scratch / f"home-{self.count}"
        home.mkdir()
        return home

    def record(self, workload, condition):
        """Runs the workload under the condition; returns the store and (id, trace's bytes, status)."""
        home = self.make_home()
        prefix, changes, directory, program = condition(self, home)
        environment = {**os.environ, **changes, "REWIND_HOME": str(home)}
        if self.guest:
            environment["REWIND_GUEST_DIR"] = str(self.guest)
        with open(home.parent / "output", "wb") as output:
            result = subprocess.run(
                [*prefix, str(program), *workload.rewind_arguments(self.root)],
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                env=environment,
                cwd=directory,
                timeout=self.timeout,
            )
        traces = sorted((home / "runs").glob("*/trace"))
        if len(traces) != 1:
            text = (home.parent / "output").read_text(errors="replace")[-500:]
            raise RuntimeError(f"{len(traces)} traces, status {result.returncode}: {text}")
        return home, (traces[0].parent.name, traces[0].read_bytes(), result.returncode)

    def replay(self, home, run, steps):
        """What is wrong with replays of the run from the start and from that many of its steps: a list."""
        environment = {**os.environ, "REWIND_HOME": str(home)}
        if self.guest:
            environment["REWIND_GUEST_DIR"] = str(self.guest)

        def rewind(*words):
            return subprocess.run([self.rewind, *words], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                                  env=environment, timeout=self.timeout)

        count = json.loads(rewind("show", "--json", run).stdout)["end"]["steps"]
        chosen = [count * (2 * i + 1) // (2 * steps) for i in range(steps)]
        wrong = []
        for words in [("replay", run), *(("replay", "--from", str(step), run) for step in chosen)]:
            result = rewind(*words)
            if result.returncode or "identical" not in result.stdout:
                wrong.append(f"{' '.join(words)}: {result.stdout}{result.stderr}")
        return wrong

    def make_image(self, workload):
        """Lets the program make its image of the tarball once, and has all recordings use that."""
        home = self.make_home()
        environment = {**os.environ, "REWIND_HOME": str(home)}
        if self.guest:
            environment["REWIND_GUEST_DIR"] = str(self.guest)
        subprocess.run(
            [self.rewind, *workload.rewind_arguments(self.root)],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env=environment,
            timeout=self.timeout,
            stdin=subprocess.DEVNULL,
        )
        images = sorted(home.glob("images/*.erofs"))
        if len(images) == 1:
            self.root = self.scratch / "root.erofs"
            images[0].rename(self.root)
            self.root.chmod(0o644)
        shutil.rmtree(home)


# ---- Conditions: (prefix of the command, changes of the environment, working directory, program) ----


def as_it_is(bench, home):
    return [], {}, None, bench.rewind


def busy(bench, home):
    return [], {}, None, bench.rewind


def one_core(bench, home):
    return ["taskset", "-c", "0", "setarch", "-R"], {"MALLOC_PERTURB_": "165"}, None, bench.rewind


def elsewhere(bench, home):
    changes = {"PADDING": "x" * 5000, "HOME": str(home), "LC_ALL": "C", "TZ": "Asia/Kathmandu", "TERM": "vt52"}
    return ["nice", "-n", "5"], changes, home, bench.program


def another_user(bench, home):
    if os.geteuid() != 0:
        return elsewhere(bench, home)
    os.chown(home, NOBODY, NOBODY)
    prefix = ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups"]
    return prefix, {"HOME": str(home), "USER": "nobody"}, "/", bench.program


def everything(bench, home):
    prefix, changes, directory, program = another_user(bench, home)
    _, more, _, _ = elsewhere(bench, home)
    return [*one_core(bench, home)[0], *prefix], {**more, **changes, "MALLOC_PERTURB_": "165"}, directory, program


def emulated(bench, home):
    vendor = next(line.split()[-1] for line in open("/proc/cpuinfo") if line.startswith("vendor_id"))
    cpu = EMULATED.get(vendor, EMULATED["GenuineIntel"])
    return ["qemu-x86_64", "-cpu", cpu], {}, None, bench.rewind


CONDITIONS = (as_it_is, everything, busy, one_core, elsewhere, another_user)


@contextlib.contextmanager
def load(condition):
    """Keeps every core busy, twice over, while a recording for which it is to be goes on, unless others do so already."""
    wanted = 2 * os.cpu_count() if condition in (busy, everything) else 0
    count = max(0, wanted - int(os.getloadavg()[0]))
    spinners = [subprocess.Popen(["sh", "-c", "while :; do :; done"]) for _ in range(count)]
    try:
        yield
    finally:
        for spinner in spinners:
            spinner.kill()
            spinner.wait()


def explain(first, second, name):
    """What differs between two recordings, for a reader who wants to find out why."""
    if first[0] != second[0]:
        return f"{name}: run {second[0]}, not {first[0]}: the inputs differ"
    if first[2] != second[2]:
        return f"{name}: status {second[2]}, not {first[2]}"
    shared = min(len(first[1]), len(second[1]))
    at = next((i for i in range(shared) if first[1][i] != second[1][i]), shared)
    return f"{name}: traces of {len(first[1])} and {len(second[1])} bytes differ from byte {at} on"


def conditions_for(workload, options):
    chosen = [CONDITIONS[i % len(CONDITIONS)] for i in range(options.runs)]
    if options.emulated == "all" or (options.emulated == "small" and workload.small):
        chosen.append(emulated)
    return chosen


def check(bench, workload, options, results):
    differences, first, start = [], None, time.monotonic()
    chosen = conditions_for(workload, options)
    steps = 0 if options.quick and workload.name not in QUICK_SEEKS else options.seeks
    for condition in chosen:
        try:
            with load(condition):
                home, recording = bench.record(workload, condition)
            if first is None and steps:
                differences += bench.replay(home, recording[0], steps)
            shutil.rmtree(home)
        except (RuntimeError, subprocess.TimeoutExpired) as error:
            differences.append(f"{condition.__name__}: {error}")
            continue
        if first is None:
            first = recording
        elif recording != first:
            differences.append(explain(first, recording, condition.__name__))
    what = f"{workload.name}: {len(chosen)} recordings alike"
    if steps:
        what += f", replayed from the start and {steps} steps"
    if first is not None:
        what += f", run {first[0]}, {len(first[1])} bytes, status {first[2]}, {time.monotonic() - start:.0f} s"
    results.add(not differences and len(chosen) > 1, what, *differences)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("rewind", help="the program under test")
    parser.add_argument("root", help="the tarball of tests/workloads/pack.sh")
    parser.add_argument("workloads", nargs="*", help="names, default all")
    parser.add_argument("--runs", type=int, default=5, help="recordings of each (5)")
    parser.add_argument("--seeks", type=int, default=3, help="steps from which each is replayed, 0: nor from the start (3)")
    parser.add_argument("--quick", action="store_true", help="without the long ones, and replays of few")
    parser.add_argument("--emulated", choices=("none", "small", "all"), default="small", help="which once more in QEMU")
    parser.add_argument("--guest", help="the guest's folder, default $REWIND_GUEST_DIR or that beside the program")
    parser.add_argument("--timeout", type=int, default=1800, help="seconds for one recording (1800)")
    options = parser.parse_args()
    workloads = workload_list.load(options.workloads)
    if options.quick:
        workloads = [workload for workload in workloads if not workload.long]
    results = workload_list.Results()
    with tempfile.TemporaryDirectory() as scratch:
        bench = Bench(options, pathlib.Path(scratch))
        bench.make_image(workloads[0])
        for workload in workloads:
            check(bench, workload, options, results)
    raise SystemExit(results.finish())


if __name__ == "__main__":
    main()
