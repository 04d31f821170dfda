#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""The tutorial by the keyboard alone, in the real program, from nothing to the lines of code: no pointer, no action of
assistive technology; that is only asked what has the focus, and what is to be seen.

usage: test-keyboard.py APP, within display.sh and session.sh. SOURCE: the project's folder."""
import os
import re
import subprocess
import sys

from driver import Atspi, Failure, Program, Tests, wait_for, walk

SOURCE = os.environ["SOURCE"]
CELL = re.compile(r"^Schedule \d+: (?!waiting|running)")
FAILED = re.compile(r"^Schedule \d+: exited with [1-9]")
FARTHEST = 120  # presses of Tab

app = Program(sys.argv[1])
tests = Tests(app)
tar = os.path.join(app.home, "bank.tar")


def focused():
    for node in walk(app.node):
        if node.get_state_set().contains(Atspi.StateType.FOCUSED):
            return node
    return None


def tab_to(name, key="Tab"):
    """Presses Tab until what has the focus is named so."""
    seen = []
    for _ in range(FARTHEST):
        node = focused()
        text = (node.get_name() or "") if node else ""
        if name.search(text) if isinstance(name, re.Pattern) else text == name:
            return
        seen.append(text)
        app.keys(key)
    raise Failure(f"{key} never comes to {name}, but to: {'; '.join(dict.fromkeys(seen))}")


def has(name, text):
    node = app.see(name, "text").get_text_iface()
    return Atspi.Text.get_text(node, 0, Atspi.Text.get_character_count(node)) == text


def write(name, text):
    """GTK 4.8 tells nobody that a form's text has the focus: whether it was that one is seen by what it says then."""
    app.keys("ctrl+a")
    app.type(text)
    wait_for(f"{name} to be {text}", lambda: has(name, text))


def tab_to_text():
    app.keys("Tab")
    for _ in range(FARTHEST):
        if not focused():
            return
        app.keys("Tab")
    raise Failure("Tab never comes to a text")


def record():
    subprocess.run([os.path.join(SOURCE, "docs/examples/pack.sh"), "bank", "-o", tar], check=True)
    app.focus_window()
    app.keys("ctrl+r")
    app.see("Root filesystem")
    app.focus_window()
    write("Root filesystem", tar)
    tab_to_text()
    write("Command", "make check")
    tab_to_text()
    write("Working folder", "/src")
    app.keys("Return")
    app.see("Fork From Here")


def check():
    app.focus_window()
    app.keys("Home", "c")
    app.see(re.compile(r"^Check from step"))
    wait_for("all 32 to be finished", lambda: sum(1 for node in walk(app.node) if CELL.search(node.get_name() or "")) == 32, 600)


def compare():
    tab_to(FAILED)
    app.keys("Return")
    app.see("Compare With This Run")
    tab_to("Compare With This Run")
    app.keys("Return")
    app.see("Events of both runs")
    app.see(re.compile(r"^held: thread \d of \./bank (before|after) .*bank\.c:\d+ .*\nuntil: .*bank\.c:\d+", re.M))


def source():
    app.keys("d")
    app.keys("s")
    app.see(re.compile(r"bank\.c:\d+"))
    app.keys("f")
    app.see(re.compile(r"bank\.c"))


def file():
    app.keys("alt+4")
    tab_to(re.compile("^Path of the file"))
    app.keys("ctrl+a")
    app.type("/src/bank.c")
    app.keys("Return")
    app.see("The file’s text")


tests.step("record the example", record)
tests.step("check from its first step", check)
tests.step("compare with one that fails: both lines of code", compare)
tests.step("its source", source)
tests.step("a file", file)
tests.finish()
