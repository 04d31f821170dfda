#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compares what workloads print and return in the machine with the same on hardware.

The reference is the same command in a chroot of the same tree, in namespaces of its own (processes, mounts,
loopback only), with the CPU features that the machine does not have hidden by GLIBC_TUNABLES and
OPENSSL_ia32cap (see workload_list.py). Needs root, for the chroot.
"""

import argparse
import fcntl
import os
import pathlib
import socket
import struct
import subprocess
import sys
import tempfile

import workload_list

# A workload prints this where there is nothing to compare with: a virtual machine need not have what hardware has.
LACKING = b"lacking:"
DEVICES = {"null": (1, 3), "zero": (1, 5), "full": (1, 7), "random": (1, 8), "urandom": (1, 9), "tty": (5, 0)}
SIOCGIFFLAGS, SIOCSIFFLAGS, IFF_UP = 0x8913, 0x8914, 1


def mount(*arguments):
    subprocess.run(["mount", *arguments], check=True)


def bring_loopback_up():
    with socket.socket() as any_socket:
        request = fcntl.ioctl(any_socket, SIOCGIFFLAGS, struct.pack("16sh14x", b"lo", 0))
        flags = struct.unpack("16sh14x", request)[1]
        fcntl.ioctl(any_socket, SIOCSIFFLAGS, struct.pack("16sh14x", b"lo", flags | IFF_UP))


def make_devices(dev):
    mount("-t", "tmpfs", "-o", "mode=755", "dev", str(dev))
    for name, (major, minor) in DEVICES.items():
        os.mknod(dev / name, 0o020666, os.makedev(major, minor))
        os.chmod(dev / name, 0o666)
    for name, target in (("fd", "/proc/self/fd"), ("stdin", "fd/0"), ("stdout", "fd/1"), ("stderr", "fd/2")):
        os.symlink(target, dev / name)
    for name in ("pts", "shm"):
        (dev / name).mkdir()
    mount("-t", "devpts", "-o", "newinstance,ptmxmode=666", "devpts", str(dev / "pts"))
    os.symlink("pts/ptmx", dev / "ptmx")
    mount("-t", "tmpfs", "-o", "mode=1777", "shm", str(dev / "shm"))


def become(tree, command):
    """Turns this process, alone in its namespaces, into the command over a writable layer of the tree."""
    top = pathlib.Path(tempfile.mkdtemp())
    mount("-t", "tmpfs", "layer", str(top))
    for name in ("upper", "work", "root"):
        (top / name).mkdir()
    root = top / "root"
    layers = f"lowerdir={tree},upperdir={top}/upper,workdir={top}/work"
    mount("-t", "overlay", "-o", layers, "overlay", str(root))
    make_devices(root / "dev")
    mount("-t", "proc", "proc", str(root / "proc"))
    mount("-t", "tmpfs", "-o", "mode=1777", "tmp", str(root / "tmp"))
    bring_loopback_up()
    os.chroot(root)
    os.chdir("/")
    os.execve(command[0], command, workload_list.ENVIRONMENT)


def run_native(tree, workload):
    """(status, standard output) on this machine's processor."""
    program = ["unshare", "--mount", "--pid", "--fork", "--net", "--ipc", "--uts", sys.executable, __file__]
    result = subprocess.run(
        [*program, "--become", str(tree), *workload.command],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        timeout=600,
    )
    return result.returncode, result.stdout


def run_rewind(rewind, root, workload, home):
    result = subprocess.run(
        [rewind, *workload.rewind_arguments(root)],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, "REWIND_HOME": home},
        timeout=3600,
    )
    return result.returncode, result.stdout, result.stderr


def first_difference(expected, actual):
    left, right = expected.splitlines(), actual.splitlines()
    for number, (a, b) in enumerate(zip(left, right), 1):
        if a != b:
            return f"line {number}\nnative: {a[:300]!r}\nrewind: {b[:300]!r}"
    return f"{len(left)} lines native, {len(right)} in rewind"


def compare(options, tree, home, results):
    for workload in workload_list.load(options.workloads):
        if not workload.native:
            continue
        status, output = run_native(tree, workload)
        lacking = next((line for line in output.splitlines() if line.startswith(LACKING)), None)
        if lacking:
            why = "this machine is " + lacking.decode(errors="replace").replace(":", "", 1)
            results.skip(f"{workload.name} equals native", why)
            continue
        if options.native_only:
            got_status, got, errors = (*run_native(tree, workload), b"")
        else:
            got_status, got, errors = run_rewind(options.rewind, options.root, workload, home)
        same = (status, output) == (got_status, got) and status == 0 and output
        details = (
            f"status {status} native, {got_status} in rewind",
            "" if output == got else first_difference(output, got),
            errors[-1000:].decode(errors="replace"),
        )
        results.add(same, f"{workload.name} equals native", *details)


def main():
    if sys.argv[1:2] == ["--become"]:
        become(sys.argv[2], sys.argv[3:])
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("rewind", help="the program under test")
    parser.add_argument("root", help="the tarball of tests/workloads/pack.sh")
    parser.add_argument("workloads", nargs="*", help="names, default all that have a native twin")
    parser.add_argument("--native-only", action="store_true", help="native against native: checks the workloads")
    options = parser.parse_args()
    if os.geteuid() != 0:
        raise SystemExit("native-equal.py: needs root, for a chroot with mounts")
    results = workload_list.Results()
    with tempfile.TemporaryDirectory() as scratch:
        tree = pathlib.Path(scratch) / "tree"
        tree.mkdir()
        subprocess.run(["tar", "-xf", options.root, "-C", str(tree)], check=True)
        compare(options, tree, str(pathlib.Path(scratch) / "home"), results)
    raise SystemExit(results.finish())


if __name__ == "__main__":
    main()
