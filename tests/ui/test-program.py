#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Everything in the real program once, with assistive technology there as on every desktop.

usage: test-program.py APP, within display.sh and session.sh"""
import re
import sys

from driver import Failure, Program, Tests

STOPS = ["Timeline", "Previous and Next", "Build Log", "Processes", "Files", "Tabs", "Fork and Check"]

app = Program(sys.argv[1])
tests = Tests(app)


def start_page():
    app.see("New Run…")
    app.see("Example Run")
    app.focus_window()
    app.keys("F10", "Escape")


def tour_to_its_end():
    for number, stop in enumerate(STOPS, 1):
        app.see(f"{number}/{len(STOPS)}")
        app.see(stop)
        app.press("Next" if number < len(STOPS) else "Done", last=True)
    app.focus_window()
    app.keys("Right")


def tour_back_and_skip():
    app.focus_window()
    app.keys("F1")
    app.see("1/7")
    app.press("Next", last=True)
    app.see("2/7")
    app.press("Back", last=True)
    app.see("1/7")
    app.press("Skip", last=True)
    app.focus_window()
    app.keys("Left")


def every_tab():
    contents = (
        "Until the Next Step",
        re.compile("--replayable"),  # the example can not be executed
        "Events of both runs",
        re.compile("Path of"),
        "Runs",
    )
    for number, content in enumerate(contents, 1):
        app.keys(f"alt+{number}")
        app.see(content)
    app.keys("b")
    app.see("Remove this bookmark")
    app.keys("Escape")


def playhead():
    app.keys("Home", "Right", "Left", "End", "f", "d", "x", "x", "plus", "0", "alt+Left")


def menu_and_dialogs():
    app.keys("F10", "Escape")
    app.keys("ctrl+comma")
    app.see("Preferences")
    app.focus_window()
    app.keys("Escape")
    app.focus_window()
    app.keys("ctrl+question")
    app.see(re.compile("^Shortcuts|Keyboard Shortcuts$"))
    app.focus_window()
    app.keys("Escape")
    app.focus_window()
    app.keys("ctrl+f")
    app.type("bank")
    app.see("Close the search")
    app.keys_until("Go to Step", "Escape", "g")
    app.focus_window()
    app.keys("Escape")
    app.focus_window()
    app.keys("b")


def example():
    app.press("Example Run")
    app.see("Events of both runs")


def has_name(node):
    return bool(node.get_name()) and not re.match("^(Gtk|Adw|Rui)[A-Z]", node.get_name())


def names():
    """Whatever can be pressed says what it is, and by no name of a class. A combo box speaks for its button."""
    nodes = app.nodes(("push button", "toggle button", "menu button", "check box", "radio button", "slider"))
    if len(nodes) < 5:
        raise Failure(f"only {len(nodes)} that can be pressed")
    for node in nodes:
        parent = node.get_parent()
        if not has_name(node) and not (parent.get_role_name() == "combo box" and has_name(parent)):
            raise Failure(f"a {node.get_role_name()} without a name: {app.way_to(node)}")


def home():
    app.press("All runs")
    app.see("New Run…")


def quit_program():
    app.focus_window()
    app.keys("ctrl+q")


tests.step("the start page", start_page)
tests.step("the example opens", example)
tests.step("the tour, to its end", tour_to_its_end)
tests.step("the tour again: back, and left", tour_back_and_skip)
tests.step("every tab", every_tab)
tests.step("the playhead", playhead)
tests.step("menu, dialogs, search", menu_and_dialogs)
tests.step("what can be pressed has a name", names)
tests.step("home", home)
tests.step("on the start page, too", names)
tests.finish()
