#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""tools/count-tests.py on programs that end in every way: no way of failing may be counted as none."""
import pathlib
import subprocess
import sys
import tempfile

COUNT = pathlib.Path(__file__).resolve().parents[2] / "tools" / "count-tests.py"

# name: (protocol, script, what it adds to passed, failed, skipped)
PROGRAMS = {
    "plain": ("exitcode", "exit 0", (1, 0, 0)),
    "plain-status": ("exitcode", "exit 3", (0, 1, 0)),
    "plain-hangs": ("exitcode", "exec sleep 30", (0, 1, 0)),
    "plain-skip": ("exitcode", "exit 77", (0, 0, 1)),
    "cases": ("tap", "echo 1..2; echo ok 1; echo ok 2", (2, 0, 0)),
    "cases-one": ("tap", "echo 1..2; echo ok 1; echo not ok 2; exit 1", (1, 1, 0)),
    "cases.dot": ("tap", "echo 1..1; echo not ok 1", (0, 1, 0)),
    "cases-status": ("tap", "echo 1..1; echo ok 1; exit 3", (1, 1, 0)),
    "cases-killed": ("tap", "echo 1..1; echo ok 1; kill -9 $$", (1, 1, 0)),
    "cases-hang": ("tap", "echo 1..2; echo ok 1; exec sleep 30", (1, 1, 0)),
    "cases-short": ("tap", "echo 1..3; echo ok 1", (1, 1, 0)),
    "cases-none": ("tap", "exit 3", (0, 1, 0)),
    "cases-skip": ("tap", "echo 1..2; echo ok 1 '# SKIP why'; echo ok 2", (1, 0, 1)),
}


def run_meson(directory, programs):
    lines = ["project('count')"]
    for name, (protocol, script, _) in programs.items():
        path = directory / (name + ".sh")
        path.write_text("#!/bin/sh\n" + script + "\n")
        path.chmod(0o755)
        lines.append(f"test('{name}', find_program('{path}'), protocol: '{protocol}', suite: 'guest', timeout: 2)")
    (directory / "meson.build").write_text("\n".join(lines) + "\n")
    build = directory / "build"
    subprocess.run(["meson", "setup", build, directory], check=True, stdout=subprocess.DEVNULL)
    subprocess.run(["meson", "test", "-C", build], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return subprocess.run([COUNT, build], text=True, stdout=subprocess.PIPE)


def main():
    print(f"1..{len(PROGRAMS) + 1}")
    for number, (name, program) in enumerate(PROGRAMS.items(), 1):
        with tempfile.TemporaryDirectory() as directory:
            done = run_meson(pathlib.Path(directory), {name: program})
        passed, failed, skipped = program[2]
        wanted = f"{passed} passed, {failed} failed, {skipped} skipped"
        fine = done.stdout.endswith(wanted + "\n") and done.returncode == (1 if failed or not passed else 0)
        print(f"{'ok' if fine else 'not ok'} {number} - {name}: {wanted}")
        if not fine:
            print(f"# {done.stdout!r}, status {done.returncode}")
    with tempfile.TemporaryDirectory() as directory:
        done = subprocess.run([COUNT, directory], text=True, stdout=subprocess.PIPE)
    print("ok" if done.returncode == 1 else "not ok", len(PROGRAMS) + 1, "- where no test ran is no success")


sys.exit(main())
