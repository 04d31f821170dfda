#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""compare.py OURS THEIRS [DIFFERS]: compares two outputs of the test guest, test by test.

DIFFERS lists tests where the other implementation is known not to follow the manual, one a line, with the
reason after a colon; one that is listed and does not differ is an error too, so that the list stays true.
"""
import sys


def blocks(path):
    out, name = {}, "start"
    for line in open(path, encoding="ascii"):
        if line.startswith("rewind:"):
            continue
        if not line.startswith(" "):
            name = line.strip()
            while name in out:
                name += "'"
            out[name] = []
        else:
            out.setdefault(name, []).append(line.rstrip())
    return out


def main():
    ours, theirs = blocks(sys.argv[1]), blocks(sys.argv[2])
    known = {}
    if len(sys.argv) > 3:
        for line in open(sys.argv[3], encoding="utf-8"):
            if line.strip() and not line.startswith("#"):
                name, reason = line.split(":", 1)
                known[name.strip()] = reason.strip()
    bad = 0
    for name in list(ours) + [n for n in theirs if n not in ours]:
        same = ours.get(name) == theirs.get(name)
        if same == (name not in known):
            continue
        bad += 1
        print(f"{name}: {'listed as different, but the same' if same else 'differs'}")
        if not same:
            for who, text in (("ours", ours.get(name)), ("theirs", theirs.get(name))):
                for line in text if text is not None else ["(missing)"]:
                    print(f"  {who:7}{line}")
    print(f"{len(ours)} tests, {len(known)} known differences, {bad} wrong")
    return bad != 0


sys.exit(main())
