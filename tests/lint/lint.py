#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Holds the tree to its rules; TAP output. usage: lint.py ROOT

lint.py --figures ROOT prints the table of docs/newcomers.md instead: what is in each folder."""
import os
import re
import shutil
import subprocess
import sys

# A folder's files include headers of these folders only (and of their own).
MAY_USE = {
    "guest/abi": [],
    "guest/init": ["guest/abi"],
    "engine/base": [],
    "engine/vcpu": [],
    "engine/cpu": ["engine/vcpu", "engine/base"],
    "engine/machine": ["engine/vcpu", "engine/cpu", "engine/base", "guest/abi"],
    "engine/image": ["engine/base"],
    "engine/store": ["engine/base"],
    "engine/net": ["engine/base"],
    "engine/tasks": ["engine/machine", "engine/vcpu", "engine/base", "guest/abi"],
    "engine/trace": ["engine/machine", "engine/base", "guest/abi"],
    "engine/events": ["engine/trace", "engine/machine", "engine/base", "guest/abi"],
    "engine/keyframes": ["engine/store", "engine/machine", "engine/base"],
    "engine/run": ["engine/keyframes", "engine/events", "engine/trace", "engine/machine", "engine/cpu", "engine/image",
                   "engine/store", "engine/base", "guest/abi"],
    "engine/rwd": ["engine/run", "engine/keyframes", "engine/trace", "engine/image", "engine/store", "engine/base"],
    "engine/gc": ["engine/run", "engine/keyframes", "engine/trace", "engine/image", "engine/store", "engine/base"],
    "engine/learn": ["engine/run", "engine/events", "engine/trace", "engine/machine", "engine/vcpu", "engine/base", "guest/abi"],
    "engine/search": ["engine/learn", "engine/run", "engine/machine", "engine/base"],
    "engine/explore": ["engine/search", "engine/learn", "engine/run", "engine/events", "engine/trace", "engine/machine", "engine/store", "engine/base",
                       "guest/abi"],
    "engine/story": ["engine/explore", "engine/run", "engine/events", "engine/trace", "engine/machine", "engine/store", "engine/base", "guest/abi"],
    "engine/job": ["engine/net", "engine/explore", "engine/timeline", "engine/inspect", "engine/debuginfo", "engine/symbols", "engine/learn", "engine/rwd", "engine/run",
                   "engine/events", "engine/trace", "engine/machine", "engine/vcpu", "engine/image", "engine/store",
                   "engine/base"],
    "engine/symbols": ["engine/base"],
    "engine/debuginfo": ["engine/symbols", "engine/base"],
    "engine/inspect": ["engine/symbols", "engine/tasks", "engine/run", "engine/trace", "engine/machine", "engine/vcpu", "engine/base", "guest/abi"],
    "engine/timeline": ["engine/inspect", "engine/tasks", "engine/run", "engine/trace", "engine/machine", "engine/keyframes", "engine/vcpu", "engine/base", "guest/abi"],
    "engine/blame": ["engine/timeline", "engine/inspect", "engine/symbols", "engine/tasks", "engine/events", "engine/trace", "engine/machine", "engine/vcpu",
                     "engine/base", "guest/abi"],
    "engine/gdb": ["engine/blame", "engine/timeline", "engine/tasks", "engine/inspect", "engine/debuginfo", "engine/symbols", "engine/tasks", "engine/run", "engine/events", "engine/trace", "engine/machine", "engine/vcpu", "engine/base",
                   "guest/abi"],
    "engine/shell": ["engine/inspect", "engine/tasks", "engine/machine", "engine/base", "guest/abi"],
    "engine/session": ["engine/blame", "engine/timeline", "engine/story", "engine/job", "engine/debuginfo", "engine/symbols", "engine/explore", "engine/search", "engine/inspect", "engine/rwd", "engine/run", "engine/events",
                       "engine/trace", "engine/machine", "engine/store", "engine/base", "guest/abi"],
    "app": ["engine/story", "engine/job", "engine/shell", "engine/gdb", "engine/blame", "engine/timeline", "engine/explore", "engine/search", "engine/learn", "engine/inspect", "engine/gc", "engine/rwd", "engine/run", "engine/events",
            "engine/trace", "engine/machine", "engine/cpu", "engine/image", "engine/debuginfo", "engine/symbols", "engine/store", "engine/base",
            "guest/abi"],
    "ui": ["engine/session"],
    "app/desktop": ["ui", "app", "engine/session"],
}
CODE = (".c", ".h")
PRODUCT = ("engine/", "app/", "ui/", "guest/abi/", "guest/init/")
# Where a rule stops. Tests that are lists may be longer.
MOST_LINES, MOST_LINES_OF_TEST = 500, 700
MOST_FUNCTION, MOST_PARAMETERS, MOST_FILES = 60, 7, 30
COMMENTED = (".c", ".h", ".py", ".sh", ".build", ".S", ".asm", ".patch")


def tracked(root):
    if shutil.which("git"):
        out = subprocess.run(["git", "-C", root, "ls-files"], capture_output=True, text=True, check=False)
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


def folders(root, files):
    """Each folder of the product is known, and one can see at once what is in it."""
    sources = {}
    for path in files:
        if path.startswith(PRODUCT) and path.endswith(CODE + (".def", ".ui")):
            sources.setdefault(os.path.dirname(path), []).append(path)
    for folder, there in sources.items():
        if not folder_of(there[0]):
            yield f"{folder}: say in MAY_USE what it may use"
        if len(there) > MOST_FILES:
            yield f"{folder}: {len(there)} files, {MOST_FILES} are the most"


def without_comments(text):
    text = re.sub(r"/\*.*?\*/", lambda found: re.sub(r"[^\n]", " ", found[0]), text, flags=re.S)
    return re.sub(r"//[^\n]*", "", text)


def count_parameters(text):
    depth, count = 0, 1
    for letter in text:
        depth += (letter in "([") - (letter in ")]")
        count += letter == "," and depth == 0
    return count


def functions_of(text):
    """(name, first line, lines, parameters, whether it is static) of each; the form is clang-format's."""
    lines = text.split("\n")
    for brace in (i for i, line in enumerate(lines) if line == "{"):
        first = brace
        while first and lines[first - 1].strip() and not re.match(r"[}#]|.*[;}]\s*$", lines[first - 1]):
            first -= 1
        head = " ".join(lines[first:brace])
        found = re.match(r"[^(]*?\b(\w+)\s*\((.*)\)", head)
        if found:
            last = lines.index("}", brace) if "}" in lines[brace:] else len(lines) - 1
            yield found[1], first + 1, last - first + 1, count_parameters(found[2]), re.match(r"static\b|RW_[A-Z]+\b", head)


def sizes(root, files):
    """No file, function or list of parameters is too long to be read."""
    for path in files:
        if not path.endswith(CODE + (".def", ".py", ".sh")):
            continue
        text = read(root, path)
        lines, most = text.count("\n"), MOST_LINES_OF_TEST if path.startswith("tests/") else MOST_LINES
        if lines > most:
            yield f"{path}: {lines} lines, {most} are the most"
        for name, line, length, parameters, _ in functions_of(without_comments(text)) if path.endswith(CODE) else ():
            if length > MOST_FUNCTION:
                yield f"{path}:{line}: {name}() has {length} lines, {MOST_FUNCTION} are the most"
            if parameters > MOST_PARAMETERS:
                yield f"{path}:{line}: {name}() has {parameters} parameters, {MOST_PARAMETERS} are the most"


def called(root, files):
    """Each function is called; one of the engine that only tests call says so above its declaration: "For tests"."""
    used, texts = {}, {path: without_comments(read(root, path)) for path in files if path.endswith(CODE + (".def", ".ui"))}
    for path, text in texts.items():
        if path.endswith(".h"):  # what is declared is not called by that
            text = re.sub(r"^\w[\w *]*\b\w+\([^{}]*?\)[^{};]*;", "", text, flags=re.M)
        for word in re.findall(r"\w+", text):
            used.setdefault(word, []).append(path)
    declared = "\n".join(read(root, path) for path in files if path.endswith(".h") and path.startswith(PRODUCT))
    for path in files:
        if not path.endswith(".c") or not path.startswith(PRODUCT):
            continue
        for name, line, _, _, static in functions_of(texts[path]):
            product = [user for user in used[name] if user.startswith(PRODUCT)]
            if static or name == "main" or len(product) > 1:
                continue
            for_tests = path.startswith("ui/") or "/desktop/" in path or re.search(rf"[Ff]or tests[^;{{]*\b{name}\(", declared)
            if not for_tests or len(used[name]) == 1:
                yield f"{path}:{line}: nothing calls {name}()"


def one_form(root, files):
    """One boolean type (GLib's where its callbacks and GTK ask for it) and one form of comment."""
    for path in files:
        if not path.endswith(CODE) or not path.startswith(PRODUCT) or path.startswith("guest/abi/"):
            continue
        of_gtk = path.startswith(("ui/", "app/desktop/"))
        macro = False
        for number, line in enumerate(read(root, path).split("\n"), 1):
            if re.search(r"\b(gboolean|TRUE|FALSE)\b", line) and not of_gtk and "gpointer" not in line and "gconstpointer" not in line:
                yield f"{path}:{number}: bool, true and false here"
            macro = line.endswith("\\")
            if re.search(r"(^|\s)/\*", line) and not macro and line.rstrip().endswith("*/"):
                yield f"{path}:{number}: comments start with //"


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
    run = subprocess.run(["clang-format", "--dry-run", "--Werror", *code], capture_output=True, text=True, cwd=root)
    wrong = set(re.findall(r"^([^ :]+):\d+:\d+: error: code should be clang-formatted", run.stderr, re.M))
    for path in sorted(wrong):
        yield f"{path}: run clang-format -i on it"
    if run.returncode and not wrong:
        yield run.stderr.strip()[:500]


def listed(root, files):
    """Every test source is named in its folder's meson.build."""
    for path in files:
        if not path.startswith("tests/") or not os.path.basename(path).startswith("test-"):
            continue
        build = os.path.join(os.path.dirname(path), "meson.build")
        stem = os.path.splitext(os.path.basename(path))[0]
        if build not in files or stem not in read(root, build):
            yield f"{path}: not in {build}"


def pictures(root, files):
    """Pictures are icons, or in docs/screenshots and named by a page."""
    pages = "".join(read(root, f) for f in files if f.endswith(".md"))
    for path in files:
        if not path.endswith((".png", ".jpg", ".svg")) or path.startswith("data/app/icons/"):
            continue
        if not path.startswith("docs/screenshots/") or f"screenshots/{os.path.basename(path)}" not in pages:
            yield f"{path}: no page shows it"


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
    if path.endswith(CODE + (".def",)):
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


RULES = [includes, folders, sizes, called, one_form, licences, formatting, listed, pictures, headers, potfiles, templates]


def print_figures(root, files):
    print("| folder | files | lines | median file | longest file | median function | longest function | uses |")
    print("|---|--:|--:|--:|---|--:|---|--:|")
    for folder in MAY_USE:
        sources = [path for path in files if folder_of(path) == folder and path.endswith(CODE + (".def",))]
        texts = {path: read(root, path) for path in sources}
        lines = {path: text.count("\n") for path, text in texts.items()}
        functions = [(found[2], found[0]) for path in sources for found in functions_of(without_comments(texts[path]))]
        if not functions:
            functions = [(0, "-")]
        lengths, longest = sorted(length for length, _ in functions), max(functions)
        file = max(lines, key=lines.get)
        print(f"| `{folder}` | {len(sources)} | {sum(lines.values())} | {sorted(lines.values())[len(lines) // 2]} "
              f"| {lines[file]} `{os.path.basename(file)}` | {lengths[len(lengths) // 2]} | {longest[0]} `{longest[1]}` "
              f"| {len(MAY_USE[folder])} |")


def main():
    figures = "--figures" in sys.argv
    arguments = [argument for argument in sys.argv[1:] if argument != "--figures"]
    root = arguments[0] if arguments else "."
    files = tracked(root)
    if figures:
        print_figures(root, files)
        return 0
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
