#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The Flatpak manifest has all that a build without a network needs, and no permission too many; TAP. usage: test-flatpak.py ROOT"""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

from report import ROOT, read, report

try:
    import yaml
except ImportError:
    print("1..0 # SKIP python3-yaml is not installed")
    sys.exit(0)

FLATPAK = "flatpak/dev.rewindvm.Rewind.yml"
# What pkg-config finds: in the runtime, or by which module.
RUNTIME = {"gio-2.0", "glib-2.0", "gtk4", "gtksourceview-5", "json-glib-1.0", "libadwaita-1", "libarchive", "libsoup-3.0",
           "libzstd", "nettle", "zlib"}
MODULES = {"libdw": "elfutils", "libelf": "elfutils", "vte-2.91-gtk4": "vte"}
KEYS = {"archive": {"sha256", "url"}, "dir": {"path"}, "file": {"path"}}


def flatpak_faults(text):
    """What is wrong with a manifest."""
    try:
        manifest = yaml.safe_load(text)
        modules = manifest["modules"]
    except (yaml.YAMLError, KeyError, TypeError) as error:
        return [f"it is no manifest: {error}"]
    faults = [f"no {key}" for key in ("id", "runtime", "runtime-version", "sdk", "command", "finish-args") if not manifest.get(key)]
    for module in modules:
        for source in module["sources"]:
            faults += [f"{module['name']}: {fault}" for fault in source_faults(source)]
        if "--share=network" in str(module.get("build-options")):
            faults.append(f"{module['name']} is built with a network")
    for line in text.split("finish-args:")[1].split("\n\n")[0].splitlines():
        if re.search(r"--(filesystem|device=all|talk-name|socket=session-bus|allow)", line):
            faults.append(f"a permission that nobody needs: {line.strip()}")
    return faults


def source_faults(source):
    missing = KEYS.get(source["type"], {"a known type"}) - source.keys()
    if missing:
        yield f"a source without {', '.join(sorted(missing))}"
    if source["type"] == "archive":
        if not re.fullmatch(r"[0-9a-f]{64}", str(source.get("sha256"))):
            yield "sha256 is none"
        urls = [str(source.get("url")), *source.get("mirror-urls", [])]
        yield from (f"{url}: https only" for url in urls if not url.startswith("https://"))
    elif "path" in source and not source["path"].startswith("../build/") and \
            not os.path.exists(os.path.join(ROOT, "flatpak", source["path"])):
        yield f"{source['path']} is not there"


def missing_dependencies():
    """What the build asks for comes with the runtime or is a module before Rewind's."""
    modules = [module["name"] for module in yaml.safe_load(read(FLATPAK))["modules"]]
    before = modules[:modules.index("rewind")]
    for folder in ("app", "engine", "ui"):
        for place, _, files in os.walk(os.path.join(ROOT, folder)):
            text = read(os.path.join(place, "meson.build")) if "meson.build" in files else ""
            for name in re.findall(r"dependency\('([^']+)'", text):
                if name not in RUNTIME and MODULES.get(name) not in before:
                    yield f"{os.path.relpath(place, ROOT)} asks for {name}"


def shown_manifest():
    """flatpak-builder reads it as we do."""
    if not shutil.which("flatpak-builder"):
        return None
    with tempfile.TemporaryDirectory() as folder:
        run = subprocess.run(["flatpak-builder", "--show-manifest", os.path.join(ROOT, FLATPAK)], capture_output=True,
                             text=True, cwd=folder, check=False)
    if run.returncode or run.stderr:
        return [run.stderr.strip()]
    shown, ours = json.loads(run.stdout), yaml.safe_load(read(FLATPAK))
    lost = [key for key in ours if key not in shown]
    return [f"unknown: {key}" for key in lost] + [
        f"{mine['name']}: unknown: {key}" for mine, its in zip(ours["modules"], shown["modules"]) for key in mine if key not in its]


HOSTILE = {
    "no hash": lambda text: re.sub(r"sha256: \w+", "sha256: ''", text),
    "a short one": lambda text: re.sub(r"(sha256: \w{60})\w+", r"\1", text),
    "none at all": lambda text: re.sub(r".*sha256: .*\n", "", text),
    "an address without TLS": lambda text: text.replace("url: https:", "url: http:"),
    "another kind of source": lambda text: text.replace("type: archive", "type: svn"),
    "a folder that is not there": lambda text: text.replace("path: ..\n", "path: ../elsewhere\n"),
    "all of the host": lambda text: text.replace("  - --share=ipc", "  - --share=ipc\n  - --filesystem=host"),
    "no runtime": lambda text: text.replace("runtime: ", "run: "),
    "no YAML": lambda text: text + "\n- : [",
}


def main():
    results = [(f"refused: {name}", [] if flatpak_faults(spoil(read(FLATPAK))) else ["it was accepted"]) for name, spoil in HOSTILE.items()]
    return report(results + [("the manifest", flatpak_faults(read(FLATPAK))),
                             ("what the build asks for", list(missing_dependencies())), ("as flatpak-builder reads it", shown_manifest())])


sys.exit(main())
