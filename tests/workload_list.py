# SPDX-License-Identifier: MIT
"""The table of tests/workloads/list, and the settings that all its jobs run with."""

import dataclasses
import pathlib
import shlex

LIST = pathlib.Path(__file__).parent / "workloads" / "list"

# The job's whole environment. The last two hide from glibc (whose maths functions and string functions choose by
# CPU feature) and from OpenSSL all that x86-64-v2 does not have: AVX, FMA, XOP, RDRAND, OSXSAVE in the first
# word, all of CPUID leaf 7 in the second. The machine under test does not advertise these anyway.
ENVIRONMENT = {
    "PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
    "HOME": "/root",
    "LANG": "C.UTF-8",
    "TZ": "UTC",
    "GLIBC_TUNABLES": "glibc.cpu.hwcaps=-AVX,-AVX2,-AVX512F,-AVX512VL,-AVX512BW,-FMA,-FMA4,-BMI1,-BMI2,-LZCNT,"
    "-MOVBE,-RTM,-XSAVE,-XSAVEC",
    "OPENSSL_ia32cap": "~0x5800180000000000:~0xffffffffffffffff",
}


@dataclasses.dataclass(frozen=True)
class Workload:
    name: str
    native: bool
    small: bool
    long: bool
    options: tuple
    command: tuple

    def rewind_arguments(self, root):
        """The arguments of `rewind` that run this workload."""
        environment = [word for key, value in ENVIRONMENT.items() for word in ("-e", f"{key}={value}")]
        return ["run", "--root", str(root), *environment, *self.options, "--", *self.command]


def parse(line):
    name, kind, size, options, command = line.split("#")[0].split(None, 4)
    if kind not in ("native", "own") or size not in ("small", "large", "long"):
        raise ValueError(f"{LIST}: {line}")
    split = () if options == "-" else tuple(options.split(","))
    return Workload(name, kind == "native", size == "small", size == "long", split, tuple(shlex.split(command)))


def load(names=()):
    """All workloads, or those named, in the list's order."""
    lines = LIST.read_text().splitlines()
    workloads = [parse(line) for line in lines if line and not line.startswith("#")]
    unknown = set(names) - {workload.name for workload in workloads}
    if unknown:
        raise SystemExit(f"no workload named {', '.join(sorted(unknown))} in {LIST}")
    return [workload for workload in workloads if not names or workload.name in names]


class Results:
    """Lines in the form of the Test Anything Protocol, and a count."""

    def __init__(self):
        self.count = self.failed = 0

    def add(self, good, what, *details):
        self.count += 1
        self.failed += not good
        print(f"{'ok' if good else 'not ok'} {self.count} - {what}", flush=True)
        for detail in details if not good else ():
            for line in str(detail).splitlines():
                print(f"#   {line}", flush=True)

    def skip(self, what, why):
        self.count += 1
        print(f"ok {self.count} - {what} # SKIP {why}", flush=True)

    def finish(self):
        print(f"1..{self.count}\n# {self.count - self.failed} of {self.count} passed")
        return 1 if self.failed or not self.count else 0
