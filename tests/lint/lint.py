#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Holds the tree to its rules; TAP output. usage: lint.py ROOT"""
import os
import re
import subprocess
import sys

# A folder's files include headers of these folders only (and of their own).
MAY_USE = {
    "guest/abi": [],
    "guest/init": ["guest/abi"],
    "engine/base": [],
    "engine/cpu": ["engine/base"],
    "engine/machine": ["engine/cpu", "engine/base", "guest/abi"],
    "engine/image": ["engine/base"],
    "engine/store": ["engine/base"],
    "engine/net": ["engine/base"],
    "engine/run": ["engine/machine", "engine/image", "engine/store", "engine/cpu", "engine/base", "guest/abi"],
    "engine/explore": ["engine/run", "engine/machine", "engine/image", "engine/store", "engine/cpu",
                       "engine/base", "guest/abi"],
    "engine/session": ["engine/net", "engine/explore", "engine/inspect", "engine/run", "engine/machine", "engine/image", "engine/store",
                       "engine/cpu", "engine/base", "guest/abi"],
    "app": ["engine/net", "engine/explore", "engine/run", "engine/machine", "engine/image", "engine/store", "engine/cpu",
            "engine/base", "guest/abi"],
    "ui": ["engine/session"],
    "app/desktop": ["ui", "app", "engine/session"],
}
CODE = (".c", ".h")
COMMENTED = (".c", ".h", ".py", ".sh", ".build", ".S", ".asm", ".patch")


def tracked(root):
    out = subprocess.run(["git", "-C", root, "ls-files"], capture_output=True, text=True)
    if out.returncode == 0 and out.stdout:
        return sorted(out.stdout.split("\n"))[1:]
    found = []
    for folder, folders, files in os.walk(root):
        folders[:] = [f for f in folders if not f.startswith((".", "build"))]
        found += [os.path.relpath(os.path.join(folder, f), root) for f in files]
    return sorted(found)


def read(root, path):
    with open(os.path.join(root, path), encoding="utf-8", errors="replace") as f:
        return f.read()


def folder_of(path):
    return max((f for f in MAY_USE if path.startswith(f + "/")), key=len, default=None)


def includes(root, files):
    """Include arrows, and private headers stay in their folder."""
    owner = {}
    for path in files:
        if path.endswith(".h") and folder_of(path):
            owner.setdefault(os.path.basename(path), folder_of(path))
    for path in files:
        here = folder_of(path)
        if not path.endswith(CODE) or not here:
            continue
        for name in re.findall(r'^#include "([^"]+)"', read(root, path), re.M):
            there = owner.get(os.path.basename(name))
            if there in (None, here):
                continue
            if there not in MAY_USE[here]:
                yield f"{path}: {here} must not use {there} ({name})"
            if name.endswith("-private.h"):
                yield f"{path}: {name} is private to {there}"


def licences(root, files):
    """Every source file names its licence at its top."""
    for path in files:
        name = os.path.basename(path)
        if not (path.endswith(COMMENTED) or name in ("Makefile", "meson.build")):
            continue
        want = "GPL-2.0-only" if path.startswith("guest/linux/patches/") else "MIT"
        head = read(root, path)[:3000]
        if f"SPDX-License-Identifier: {want}" not in head:
            yield f"{path}: no line SPDX-License-Identifier: {want}"


def formatting(root, files):
    """clang-format has nothing to change."""
    code = [f for f in files if f.endswith(CODE) and f.startswith(("engine/", "app/", "ui/", "guest/abi", "guest/init"))]
    for path in code:
        run = subprocess.run(["clang-format", "--dry-run", "--Werror", os.path.join(root, path)],
                             capture_output=True, text=True)
        if run.returncode:
            yield f"{path}: run clang-format -i on it"


def listed(root, files):
    """Every test source is named in its folder's meson.build."""
    for path in files:
        if not path.startswith("tests/") or not os.path.basename(path).startswith("test-"):
            continue
        build = os.path.join(os.path.dirname(path), "meson.build")
        stem = os.path.splitext(os.path.basename(path))[0]
        if build not in files or stem not in read(root, build):
            yield f"{path}: not in {build}"


def headers(root, files):
    """Headers guard themselves."""
    for path in files:
        if path.endswith(".h") and path.startswith("engine/"):
            if "#pragma once" not in read(root, path):
                yield f"{path}: no #pragma once"


def potfiles(root, files):
    """po/POTFILES.in names the files that have text to be translated, and no others."""
    if "po/POTFILES.in" not in files:
        return
    named = {line for line in read(root, "po/POTFILES.in").splitlines() if line and not line.startswith("#")}
    for path in files:
        if path.startswith(("ui/", "app/", "engine/", "data/")) and has_text(root, path) != (path in named):
            yield f"{path}: {'not in it' if path not in named else 'has nothing to translate'}"
    for path in named.difference(files):
        yield f"{path}: is not there"


def has_text(root, path):
    text = read(root, path)
    if path.endswith(CODE):
        return re.search(r"\b(N?C?_|n?gettext)\(", text) is not None
    if path.endswith(".ui"):
        return 'translatable="yes"' in text
    return path.endswith((".desktop.in", ".metainfo.xml.in", ".mime.xml.in", ".gschema.xml"))


def templates(root, files):
    """GtkBuilder files are valid, and each template's class is declared by a source beside it."""
    for path in files:
        if not path.endswith(".ui"):
            continue
        run = subprocess.run(["xmllint", "--noout", os.path.join(root, path)], capture_output=True, text=True)
        if run.returncode:
            yield f"{path}: {run.stderr.splitlines()[0]}"
        name = re.search(r'<template class="(\w+)"', read(root, path))
        beside = [f for f in files if f.endswith(CODE) and os.path.dirname(f) == os.path.dirname(path)]
        if name and not any(re.search(rf"\b{name[1]}\b", read(root, f)) for f in beside):
            yield f"{path}: nothing beside it declares {name[1]}"
        for handler in re.findall(r'<signal [^>]*handler="(\w+)"', read(root, path)):
            if not any(re.search(rf"\b{handler}\b", read(root, f)) for f in beside):
                yield f"{path}: nothing beside it has {handler}"


RULES = [includes, licences, formatting, listed, headers, potfiles, templates]


def main():
    root = sys.argv[1] if len(sys.argv) > 1 else "."
    files = tracked(root)
    print(f"1..{len(RULES)}")
    failed = False
    for number, rule in enumerate(RULES, 1):
        broken = list(rule(root, files))
        failed |= bool(broken)
        print(f"{'not ok' if broken else 'ok'} {number} {rule.__name__}: {rule.__doc__}")
        for line in broken:
            print(f"# {line}")
    return 1 if failed else 0


sys.exit(main())
