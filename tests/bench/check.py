#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What many schedules cost: the time of 64 on two threads against 64 times that of schedule 0 from the window's
start to its end, and the memory that a machine more takes.

usage: check.py REWIND ROOT [--cwd DIR] -- COMMAND...
"""
import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile


def check(args, home, jobs, schedules):
    command = [args.rewind, "check", "--all", "--no-narrow", "--no-keyframes", "--json", "-j", str(jobs), "--schedules", str(schedules),
               "--root", args.root, "--cwd", args.cwd, "--"] + args.command
    process = subprocess.Popen(command, env=os.environ | {"REWIND_HOME": home}, stdout=subprocess.PIPE, text=True)
    lines = process.stdout.read().splitlines()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode not in (0, 1):
        sys.exit(f"check.py: {' '.join(command)}: exit status {process.returncode}")
    return json.loads(lines[-1]), usage.ru_maxrss / 1024


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("rewind")
    parser.add_argument("root")
    parser.add_argument("--cwd", default="/src")
    parser.add_argument("command", nargs="+")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as home:
        two, two_mib = check(args, home, 2, 64)
    with tempfile.TemporaryDirectory() as home:
        _, ten_mib = check(args, home, 10, 64)
    ratio = two["schedules_seconds"] / (64 * two["schedule_0_seconds"])
    print(f"schedule 0: {two['schedule_0_seconds']:.3f} s; 64 schedules on 2 threads: {two['schedules_seconds']:.3f} s")
    print(f"ratio to 64 times schedule 0: {ratio:.2f} (wanted: at most 0.6)")
    print(f"memory: {two_mib:.0f} MiB with 2 machines, {(ten_mib - two_mib) / 8:.1f} MiB for each further one of 1024 MiB")


if __name__ == "__main__":
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    main()
