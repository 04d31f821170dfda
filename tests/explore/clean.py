#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""rewind check on what has no bug: the examples with their fixes, and the correct programs of programs/list.

Each under --schedules (1,000) schedules, none of which may end differently. Prints a row for each and keeps it in
--results, so that a series can be done in parts; exits with 1 when one of them differs. A series takes some hours of a
processor: nightly, or by hand for some NAMES.
"""

import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
EXAMPLES = HERE.parents[1] / "docs/examples"
OPTIONS = {"site": ["--cores", "4"]}


def jobs():
    """Yields name and how its root is packed."""
    for path in sorted(EXAMPLES.glob("*/Makefile")):
        yield path.parent.name, [EXAMPLES / "pack.sh", path.parent.name, "--fixed"]
    for line in (HERE / "programs/list").read_text().splitlines():
        if line and not line.startswith("#"):
            name, _, fails = line.split(None, 3)[:3]
            if fails == "never":
                yield name, [HERE / "pack.sh", name]


def check(options, name, pack):
    with tempfile.TemporaryDirectory(prefix="rewind-clean-") as home:
        root = os.path.join(home, "root.tar")
        subprocess.run([*pack, "-o", root], check=True, stdout=subprocess.DEVNULL)
        command = [options.rewind, "check", "--all", "--no-narrow", "--json", "--schedules", str(options.schedules)]
        command += [*OPTIONS.get(name, []), "--root", root, "--cwd", "/src", "--", "make", "check"]
        env = {**os.environ, "REWIND_HOME": home, "LC_ALL": "C.UTF-8"}
        start = time.monotonic()
        run = subprocess.run(command, env=env, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    if run.returncode not in (0, 1):
        raise SystemExit(f"{name}: status {run.returncode}: {run.stderr}")
    rows = [row for row in map(json.loads, run.stdout.splitlines()) if "schedule" in row and "ending" in row]
    differs = [row["schedule"] for row in rows if row.get("differs")]
    normal = next(row["ending"] for row in rows if row["schedule"] == 0)
    return {"normal": normal, "tried": len(rows) - 1, "differs": differs, "seconds": round(time.monotonic() - start)}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rewind", default=os.environ.get("REWIND", "build/app/rewind"))
    parser.add_argument("--schedules", type=int, default=1000)
    parser.add_argument("--results", type=pathlib.Path, help="a file of JSON that rows are kept in; what is there is not run again")
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    known = json.loads(options.results.read_text()) if options.results and options.results.exists() else {}
    print("| program | schedules | different |\n|---|---:|---:|")
    bad = False
    for name, pack in jobs():
        if options.names and name not in options.names:
            continue
        if name not in known:
            known[name] = check(options, name, pack)
            if options.results:
                options.results.write_text(json.dumps(known, indent=1) + "\n")
        row = known[name]
        wrong = row["differs"] or row["normal"] != "exited:0" or row["tried"] < options.schedules
        bad = bad or bool(wrong)
        print(f"| {name} | {row['tried']} | {len(row['differs'])}{': ' + str(row['differs'][:5]) if row['differs'] else ''} |", flush=True)
    return bad


sys.exit(main())
