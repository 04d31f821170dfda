#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What recording and checking take, in instructions, of several builds of Rewind: each records in a guest of Rewind's.

usage: retired.py REWIND BUILD...

REWIND records; a BUILD is a program `rewind` that is looked at. Each does the same jobs on the same guest, in the same guest. What is
counted is all that the machine executes, its kernel's part too, less what the program's start takes: it is the same each time, whatever else
the host does, so that a part in a thousand shows. Prints a table for docs/performance.md; the first build is what the others are compared with.
"""

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

EXAMPLES = pathlib.Path(__file__).resolve().parent.parent.parent / "docs/examples"
RECORD = "run -q --mem 128 --root /w/{0}.tar --cwd /src -- make check"
JOBS = [
    ("record bank", RECORD.format("bank")),
    ("record thumbnails", RECORD.format("thumbnails")),
    ("record a shell's loop", "run -q --mem 128 --root /w/bank.tar -- sh -c 'i=0; while [ $i -lt 300000 ]; do i=$((i+1)); done'"),
    ("check bank, 8 schedules", "check --schedules 8 --no-narrow --all -j 1 --mem 128 --root /w/bank.tar --cwd /src -- make check"),
]


def libraries(program):
    found = subprocess.run(["ldd", program], check=True, capture_output=True, text=True).stdout
    return re.findall(r"(/\S+)", found)


def make_root(folder, builds, guest):
    for name in ("w", "bin", "lib64", "usr/lib", "tmp"):
        (folder / name).mkdir(parents=True)
    for i, build in enumerate(builds):
        shutil.copy(build, folder / f"w/rewind-{i}")
        for path in libraries(build):
            shutil.copy(path, folder / "usr/lib")
    shutil.copy("/lib64/ld-linux-x86-64.so.2", folder / "lib64")
    shutil.copy("/bin/dash", folder / "bin/sh")
    shutil.copytree(guest, folder / "w/guest")
    for name in ("bank", "thumbnails"):
        subprocess.run([EXAMPLES / "pack.sh", name, "-o", folder / f"w/{name}.tar"], check=True)
    subprocess.run(["tar", "-C", folder, "-cf", folder.with_suffix(".tar"), "."], check=True)
    return folder.with_suffix(".tar")


def count(rewind, root, arguments, build):
    command = f"/w/rewind-{build} {arguments}"
    options = ["-q", "--json", "--mem", "3072", "-e", "LD_LIBRARY_PATH=/usr/lib", "-e", "HOME=/tmp"]
    options += ["-e", "REWIND_HOME=/tmp/home", "-e", "REWIND_GUEST_DIR=/w/guest", "--root", root, "--cwd", "/tmp"]
    done = subprocess.run([rewind, "run", *options, "--", "sh", "-c", command], stdin=subprocess.DEVNULL, capture_output=True, text=True)
    run = re.search(r"^\{.*", done.stdout, re.MULTILINE)
    if not run or done.returncode > 1:
        raise SystemExit(f"retired.py: {arguments}: status {done.returncode}: {done.stderr}")
    return json.loads(run.group())["end"]["instructions"]


def main():
    rewind, *builds = sys.argv[1:]
    guest = os.environ.get("REWIND_GUEST_DIR") or pathlib.Path(rewind).resolve().parent.parent / "guest"
    print("| job |" + "".join(f" {build}, millions |" for build in range(len(builds))) + " ratio |")
    print("|---|" + "---:|" * (len(builds) + 1))
    with tempfile.TemporaryDirectory(prefix="rewind-bench-") as folder:
        os.environ["REWIND_HOME"] = f"{folder}/home"
        root = make_root(pathlib.Path(folder) / "root", builds, guest)
        starts = [count(rewind, root, "--version", build) for build in range(len(builds))]
        for name, arguments in JOBS:
            counts = [count(rewind, root, arguments, build) - starts[build] for build in range(len(builds))]
            cells = " | ".join(f"{n / 1e6:.1f}" for n in counts)
            print(f"| {name} | {cells} | {counts[-1] / counts[0]:.4f} |", flush=True)


main()
