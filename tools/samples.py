#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The samples of README.md and docs/tutorial.md, and the example run, against what the program prints.

usage: samples.py REWIND [--update]

What `check` says of the bank is a function of its inputs, so the samples are exact: lines, steps and ids. Their inputs are
the bank's root and the guest. A root that another compiler or C library made gives other ids: then nothing can be
compared, which is said. After a change that reaches runs (the guest, the format of an id, words of `check`)
`--update` writes the samples and data/example anew. Prints TAP.
"""
import difflib
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

SOURCE = pathlib.Path(__file__).resolve().parent.parent
DOCUMENTS = ("README.md", "docs/tutorial.md")
TWINS = ("passing", "failing")
ID = r"[0-9a-f]{8,16}"
COMMAND = re.compile(r"(?:\$ )?(?:build/)?(rewind(?:-app --batch)?) (.*?)(?: +#.*)?$")
# What a sample shows of what `check` prints is some of these lines, in their order.
DECIDES = "decides it: a"
SHOWN = (
    r"schedule +0: .*",
    r"schedule (\d+) ends differently; .*",
    r"perturbing only steps .*",
    r"step \d+ decides it: .*",
    r"  held .*",
    r"  until .*",
    r"  it strikes .*",
    r"  then .* runs.*",
    r"(passing|failing): run .*",
    r"the two are the same run until .*",
    r"where .* first behaves differently:",
    r"  both +\d+ .*Bert books 80.*",
)


class Tests:
    def __init__(self):
        self.count = self.failed = 0

    def ok(self, good, name, *why):
        self.count += 1
        self.failed += not good
        print(f"{'ok' if good else 'not ok'} {self.count} - {name}", flush=True)
        for line in () if good else why:
            print("# " + str(line).replace("\n", "\n# "), flush=True)

    def finish(self):
        print(f"1..{self.count}")
        return self.failed > 0


class Bank:
    """The example, checked: what was printed, and the ids and steps that are in it."""

    def __init__(self, rewind, work):
        self.rewind, self.env = rewind, dict(os.environ, REWIND_HOME=str(work / "home"), LC_ALL="C.UTF-8")
        self.work = work
        subprocess.run([SOURCE / "docs/examples/pack.sh", "bank", "-o", work / "bank.tar"], check=True)
        self.lines = self.run("check", "--root", "bank.tar", "--cwd", "/src", "--", "make", "check").stdout.splitlines()
        self.facts = facts("\n".join(self.lines))

    def run(self, *command):
        return subprocess.run([self.rewind, *command], cwd=self.work, env=self.env, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, errors="replace", check=False)

    def manifest(self, run):
        return json.loads(self.run("show", "--json", run).stdout)


def facts(text):
    """What a sample names: ids and steps."""
    found = {}
    for what in TWINS:
        match = re.search(rf"^ *{what}: run ([0-9a-f]+)", text, re.M)
        found[what] = match.group(1) if match else None
    for number, run in re.findall(r"^ *schedule +(\d+): .* run ([0-9a-f]+)", text, re.M):
        found["first" if number == "0" else "last"] = run
    match = re.search(r"step (\d+) decides it", text)
    found["step"] = int(match.group(1)) if match else None
    return found


def blocks(text):
    """(start, end) in lines of the indented blocks."""
    lines = text.splitlines()
    start = None
    for i, line in enumerate(lines + ["end"]):
        inside = line.startswith("    ") or (not line and start is not None)
        if inside and start is None:
            start = i
        elif not inside and start is not None:
            yield start, i
            start = None


def is_output(line):
    return bool(line) and line != "..." and not line.startswith("$ ") and not COMMAND.match(line)


def samples(text):
    """The blocks that show what `check` prints, as (start, end)."""
    lines = text.splitlines()
    return [(a, b) for a, b in blocks(text) if any(re.match(r" +schedule +0: |.*" + DECIDES, line) for line in lines[a:b])]


# ---- Comparing ----


def check_lines(tests, bank, name, text):
    shown = [line[4:] for a, b in samples(text) for line in text.splitlines()[a:b] if is_output(line[4:])]
    tests.ok(len(shown) >= 4, f"{name} shows what check prints", shown)
    missing = [line for line in shown if line not in bank.lines]
    for line in missing:
        close = difflib.get_close_matches(line, bank.lines, 1)
        print(f"# shown:   {line}\n# printed: {close[0] if close else '(nothing like it)'}")
    tests.ok(not missing, f"{name} shows it as it is", "tools/samples.py REWIND --update writes it anew")


def check_commands(tests, bank, name, text):
    """Each command that names a run names one of these, and does what it says."""
    known = [run for run in bank.facts.values() if isinstance(run, str)]
    for line in re.findall(r"^    (.*)$|`([^`]*)`", text, re.M):
        match = COMMAND.match(line[0] or line[1])
        ids = re.findall(rf"\b{ID}\b", match.group(2)) if match else []
        if not ids:
            continue
        tests.ok(all(any(run.startswith(i) for run in known) for i in ids), f"{name}: {match.group(2)}: a run that there is", known)
        words = match.group(2).split()
        if words[0] == "open":
            continue  # the app's tests open runs
        done = bank.run(*words)
        tests.ok(done.returncode == (1 if words[0] == "compare" else 0), "is a command that works", done.stderr)


def check_example(tests, bank):
    """The run that is shipped is this one: the same inputs, the same id, and executed again the same events."""
    for twin in TWINS:
        done = bank.run("import", str(SOURCE / f"data/example/{twin}.rwd"))
        tests.ok(done.returncode == 0 and done.stdout.split()[:1] == [bank.facts[twin]], f"the example's {twin} run is the bank's",
                 done.stdout, done.stderr)
        done = bank.run("replay", bank.facts[twin])
        tests.ok(done.returncode == 0 and "identical" in done.stdout, "and executed again it is identical", done.stdout, done.stderr)
    words = bank.run("bookmark", bank.facts["failing"]).stdout
    tests.ok(re.search(rf"^ +{bank.facts['step']}  [A-Z]", words, re.M), "its note is at the deciding step", words)


def same_root(bank):
    """Whether the bank that was built here has the bytes of the one that the samples are of."""
    other = Bank.__new__(Bank)
    other.rewind, other.work, other.env = bank.rewind, bank.work, dict(bank.env, REWIND_HOME=str(bank.work / "other"))
    run = other.run("import", str(SOURCE / "data/example/failing.rwd")).stdout.split()[0]
    return other.manifest(run)["inputs"]["image"] == bank.manifest(bank.facts["failing"])["inputs"]["image"]


def compare(bank):
    if not same_root(bank):
        print("1..0 # SKIP the bank built here is not, byte for byte, the one that the samples are of")
        return 0
    tests = Tests()
    check_example(tests, bank)
    for name in DOCUMENTS:
        text = (SOURCE / name).read_text()
        check_lines(tests, bank, name, text)
        check_commands(tests, bank, name, text)
    return tests.finish()


# ---- Writing anew ----


def anew(old, bank):
    """The lines of a sample, with the output that belongs there."""
    output = [i for i, line in enumerate(old) if is_output(line[4:])]
    schedules = not any(DECIDES in line for line in old)
    if schedules:
        wanted = [line for line in bank.lines if re.match(r"schedule +\d+: ", line)]
        shown = [wanted[0], *(line for line in wanted[1:] if bank.facts["last"] in line)]
    else:
        first = next(i for i, line in enumerate(bank.lines) if "ends differently" in line) if "ends diff" in old[output[0]] else \
            next(i for i, line in enumerate(bank.lines) if DECIDES in line)
        shown = pick(bank.lines[first:])
    return old[:output[0]] + ["    " + line if line else "" for line in shown] + old[output[-1] + 1:]


def pick(lines):
    """The lines of SHOWN, paragraphs apart, and the first events that only one of the two has."""
    shown, parted, gap = [], set(), False
    for line in lines:
        side = re.match(r"  (failing|passing) ", line)
        if any(re.fullmatch(pattern, line) for pattern in SHOWN) or (side and side.group(1) not in parted):
            shown += [""] * (gap and bool(shown)) + [line]
            gap = False
            if side:
                parted.add(side.group(1))
        gap |= not line
    return shown


def renamed(text, old, new):
    """Other ids, and another step, for commands that name runs."""

    def command(match):
        line = match.group(0)
        for what, run in old.items():
            if not isinstance(run, str) or not new.get(what):
                continue
            line = re.sub(rf"\b{run[:8]}[0-9a-f]*\b", lambda m, to=new[what]: to[:len(m.group(0))], line)
        if line != match.group(0) or re.search(rf"\b{ID}\b", line):
            line = re.sub(r"(?<= )\d{2,}\b", lambda m: str(int(m.group(0)) + new["step"] - old["step"]), line, count=1)
        return line

    return re.sub(r"(rewind(?:-app --batch)? (?:log|events|ps|replay|cat|where|gdb|shell|fork|compare|blame|export|open) [^\n`#]*)", command, text)


def newest_failing(bank):
    """The failing schedule that is narrowed: it is the one that samples of schedules show."""
    number = next(re.match(r"schedule (\d+) ends differently", line).group(1) for line in bank.lines if "ends differently" in line)
    return next(re.search(r"run ([0-9a-f]+)", line).group(1) for line in bank.lines if re.match(rf"schedule +{number}: ", line))


def update(bank):
    old = facts((SOURCE / DOCUMENTS[0]).read_text())
    for name in DOCUMENTS:
        text = (SOURCE / name).read_text()
        for a, b in reversed(samples(text)):
            lines = text.splitlines()
            text = "\n".join(lines[:a] + anew(lines[a:b], bank) + lines[b:]) + "\n"
        (SOURCE / name).write_text(renamed(text, old, bank.facts))
    subprocess.run([SOURCE / "data/example/make.sh", bank.rewind], check=True, stdout=subprocess.DEVNULL)


def main():
    rewind = shutil.which(sys.argv[1]) if len(sys.argv) > 1 else None
    if not rewind or sys.argv[2:] not in ([], ["--update"]):
        sys.exit("usage: samples.py REWIND [--update]")
    with tempfile.TemporaryDirectory(prefix="rewind-samples-") as work:
        bank = Bank(os.path.abspath(rewind), pathlib.Path(work))
        bank.facts["last"] = newest_failing(bank)
        if sys.argv[2:]:
            update(bank)
            return 0
        return compare(bank)


if __name__ == "__main__":
    sys.exit(main())
