#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""docs/tutorial.md, step by step in the real program: the commands and the words to press are taken from it, so
that what it says is what one can do.

usage: test-tutorial.py APP, within display.sh and session.sh. SOURCE: the project's folder; BUILD: the build's."""
import os
import re
import subprocess
import sys

from driver import Atspi, Failure, Program, Tests, wait_for, walk

SOURCE = os.environ["SOURCE"]
REWIND = os.path.join(os.environ["BUILD"], "app/rewind")
TEXT = re.sub(r"\s+", " ", open(os.path.join(SOURCE, "docs/tutorial.md")).read())
CELL = re.compile(r"^Schedule \d+: (?!waiting|running)")
FAILED = re.compile(r"^Schedule \d+: exited with [1-9]")

app = Program(sys.argv[1])
tests = Tests(app)
tar = os.path.join(app.home, "bank.tar")


def said(sentence):
    """What is done next has to be said there, in these words. Returns them."""
    if sentence not in TEXT:
        raise Failure(f"the tutorial does not say: {sentence}")
    return sentence


def bold(word):
    said(f"**{word}**")
    return word


def pack():
    said("docs/examples/pack.sh bank -o /tmp/bank.tar")
    subprocess.run([os.path.join(SOURCE, "docs/examples/pack.sh"), "bank", "-o", tar], check=True)


def record():
    app.focus_window()
    app.press(bold("New Run…"))
    app.fill(bold("Root filesystem"), tar)
    for name, text in ((bold("Command"), "make check"), (bold("Working folder"), "/src")):
        said(f"`{text}` as the **{name}**")
        app.fill(name, text)
    app.press(bold("Record"))
    app.see("Fork From Here")


def check():
    app.focus_window()
    said("Press `Home`")
    app.keys("Home")
    said("open the menu beside **Fork From Here** and choose **32 Schedules** (or press `c`")
    app.keys("c")
    app.see(re.compile(r"^Check from step"))
    wait_for("all 32 to be finished", lambda: count(CELL) == 32, 600)
    failed = count(FAILED)
    said("A few of them lose money")
    if not 0 < failed <= 12:
        raise Failure(f"{failed} of 32 failed: are these a few?")


def count(pattern):
    return sum(1 for node in walk(app.node) if pattern.search(node.get_name() or ""))


def compare():
    said("Press a red cell and choose **Compare With This Run**")
    app.press(FAILED)
    app.focus_window()
    app.keys("Return")
    app.see("Events of both runs")
    said("the failing one, opened at its failure, and the passing one beside it")
    app.see(re.compile("failed, exited with"))
    said("Above them stands who was held where, and until who had passed what, in lines of the source")
    app.see(re.compile(r"^held: thread \d of \./bank (before|after) .*bank\.c:\d+ .*\nuntil: ", re.M))
    app.focus_window()


def keys():
    for key, words in (("f", "`f` goes there"), ("d", "(`d`)"), ("x", "Press `x` to swap"), ("x", "`x`"), ("b", "Press `b`")):
        said(words)
        app.keys(key)
        app.see("Fork From Here")
    app.see(re.compile("^Bookmark"))
    app.keys("Escape")


def read_file():
    app.focus_window()
    app.keys("alt+4")
    said("press **Files**, write its path (`/src/bank.c`")
    app.click(app.see(re.compile("^Path of the file"), "text"))
    app.keys("ctrl+a")
    app.type("/src/bank.c")
    app.keys("Return")
    app.see("The file’s text")


def from_a_shell():
    said("$ rewind-app --batch check --root /tmp/bank.tar --cwd /src -- make check")
    out = subprocess.run(
        [sys.argv[1], "--batch", "check", "--root", tar, "--cwd", "/src", "--", "make", "check"],
        env={"HOME": app.home, "PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8"}, capture_output=True, text=True, check=False,
    )
    for line in (r"^step (\d+) decides it: a (\w+)", r"^passing: run [0-9a-f]+, schedule", r"^failing: run [0-9a-f]+, ",
                 r"^the two are the same run until step (\d+)"):
        if not re.search(line, out.stdout, re.M):
            raise Failure(f"no line {line} in:\n{out.stdout}{out.stderr}")
    said("decides it: a hold there makes the run fail")


tests.step("pack the example", pack)
tests.step("record it", record)
tests.step("check from here", check)
tests.step("see where they part", compare)
tests.step("the keys", keys)
tests.step("read a file", read_file)
tests.step("the same from a shell", from_a_shell)
tests.finish()
