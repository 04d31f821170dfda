#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What debian/ says of the project is true: version, licences, dependencies; TAP. usage: test-debian.py ROOT VERSION"""
import os
import re
import sys

from report import ROOT, read, report

VERSION = sys.argv[2]


def paragraphs(text):
    """Those of a control file: fields with their lines."""
    for part in re.split(r"\n\s*\n", text.strip()):
        lines = [line for line in part.splitlines() if not line.startswith("#")]
        yield dict(re.findall(r"^([\w-]+):[ \t]*((?:.*)(?:\n[ \t].*)*)", "\n".join(lines), re.M))


def debian_version():
    first = read("debian/changelog").splitlines()[0]
    if first.split()[1] != f"({VERSION})":
        yield f"debian/changelog begins with {first}, and Meson's version is {VERSION}"


def debian_copyright():
    """Every licence that a file of ours names is in debian/copyright, for that file."""
    stands = list(paragraphs(read("debian/copyright")))
    texts = {part["License"].split("\n")[0] for part in stands if "Files" not in part and "License" in part}
    yield from (f"no text of {part['License']}" for part in stands if "Files" in part and part["License"] not in texts)
    of = {glob: part["License"] for part in stands for glob in part.get("Files", "").split()}
    for folder, _, files in os.walk(os.path.join(ROOT, "guest")):
        for name in files:
            path = os.path.relpath(os.path.join(folder, name), ROOT)
            named = re.match(r"(?:\W{0,5})SPDX-License-Identifier: (\S+)", read(path))
            want = {"GPL-2.0-only": "GPL-2", "MIT": "Expat"}[named[1]] if named else "Expat"
            told = next((of[glob] for glob in reversed(of) if glob in ("*", path) or glob.endswith("/*") and path.startswith(glob[:-1])), None)
            if told != want:
                yield f"{path}: {want}, not {told}"


def debian_dependencies():
    """What tools/deps.sh installs to build with is what the package says."""
    control = next(paragraphs(read("debian/control")))
    said = set(re.findall(r"^ ([\w.+-]+)", control["Build-Depends"] + control["Build-Depends-Indep"], re.M))
    wanted = re.search(r'^build="(.*?)"\napp="\$build (.*?)"', read("tools/deps.sh"), re.M | re.S)
    libraries = [name for name in (wanted[1] + " " + wanted[2]).split() if name.endswith("-dev") and name != "libc6-dev"]
    return [f"{name} is not in debian/control" for name in libraries + ["linux-source-6.1", "busybox-static"] if name not in said]


sys.exit(report([
    ("debian/changelog's version", list(debian_version())),
    ("debian/copyright", list(debian_copyright())),
    ("debian/control's build dependencies", debian_dependencies()),
]))
