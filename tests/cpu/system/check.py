#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks what the bare-metal test guest prints, test by test.

check.py BARE-RUN GUEST EXPECTED          against the file of what it must print
check.py --qemu BARE-RUN GUEST DIFFERS    against QEMU's TCG; skipped where there is none

DIFFERS lists the tests in which QEMU is known not to follow the manual, one a line, with the reason after
a colon. One that is listed and does not differ is an error too, so that the list stays true.
"""
import os
import shutil
import subprocess
import sys
import tempfile

SKIP = 77  # as Meson understands it


def blocks(text, with_own):
    """Lines by test. Lines that start with "rewind:" have nothing to be compared with elsewhere."""
    out, name = {}, "start"
    for line in text.splitlines():
        own = line.startswith("rewind:")
        if own and not with_own:
            name = None
        elif own or not line.startswith(" "):
            name = line.strip()
            while name in out:
                name += "'"
            out[name] = []
        elif name is not None:
            out.setdefault(name, []).append(line.rstrip())
    return out


def run_ours(program, guest):
    done = subprocess.run([program, guest], stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode:
        sys.exit(f"{program} ended with {done.returncode}; its last lines:\n" + done.stdout[-600:])
    return done.stdout


def run_qemu(guest):
    qemu = shutil.which("qemu-system-x86_64")
    if not qemu:
        print("skipped: no qemu-system-x86_64 to compare with")
        sys.exit(SKIP)
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "text")
        command = [qemu, "-accel", "tcg", "-cpu", "Westmere,+rdtscp", "-m", "64", "-display", "none"]
        command += ["-nodefaults", "-no-reboot", "-net", "none", "-kernel", guest, "-debugcon", "file:" + path]
        try:
            subprocess.run(command, timeout=100, check=False, stdin=subprocess.DEVNULL)
        except subprocess.TimeoutExpired:
            print("QEMU did not come to the end of the guest")
        with open(path, encoding="ascii") as text:
            return text.read()


def read_known(path):
    known = {}
    with open(path, encoding="utf-8") as lines:
        for line in lines:
            if line.strip() and not line.startswith("#"):
                name, reason = line.split(":", 1)
                known[name.strip()] = reason.strip()
    return known


def compare(ours, wanted, known):
    bad = 0
    for name in list(ours) + [n for n in wanted if n not in ours]:
        same = ours.get(name) == wanted.get(name)
        if same == (name not in known):
            continue
        bad += 1
        if same:
            print(f"{name}: listed as different ({known[name]}), but the same")
            continue
        print(f"{name}: differs")
        for who, text in (("got", ours.get(name)), ("wanted", wanted.get(name))):
            for line in text if text is not None else ["(missing)"]:
                print(f"  {who:7}{line}")
    print(f"{len(ours)} tests, {len(known)} known differences, {bad} wrong")
    return bad


def main():
    qemu = sys.argv[1] == "--qemu"
    program, guest, path = sys.argv[2 if qemu else 1 :]
    text = run_ours(program, guest)
    if qemu:
        bad = compare(blocks(text, False), blocks(run_qemu(guest), False), read_known(path))
    else:
        with open(path, encoding="ascii") as expected:
            bad = compare(blocks(text, True), blocks(expected.read(), True), {})
    return bad != 0


sys.exit(main())
