# SPDX-License-Identifier: MIT
"""The real program on a display, a session bus and an accessibility bus of its own, driven as people drive it: by
keys and by what assistive technology sees of it. No variable that tests use is set."""
import contextlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time

import gi

gi.require_version("Atspi", "2.0")
from gi.repository import Atspi, GLib  # noqa: E402

PATIENCE = 120  # seconds that something may take on a busy machine


class Failure(Exception):
    pass


def wait_for(what, condition, patience=PATIENCE):
    until = time.monotonic() + patience
    while time.monotonic() < until:
        with contextlib.suppress(GLib.Error):  # what went away meanwhile
            found = condition()
            if found:
                return found
        time.sleep(0.2)
    raise Failure(f"waited in vain for: {what}")


def xdotool(*words):
    return subprocess.run(["xdotool", *words], check=True, capture_output=True, text=True).stdout.split()


def walk(node):
    """Every node below, itself included; what goes away meanwhile is left out."""
    yield node
    with contextlib.suppress(GLib.Error):
        for i in range(node.get_child_count()):
            child = node.get_child_at_index(i)
            if child:
                yield from walk(child)


class Program:
    def __init__(self, program, *arguments):
        self.home = tempfile.mkdtemp(prefix="rewind-program-")
        environment = {
            "HOME": self.home,
            "PATH": "/usr/bin:/bin",
            "LANG": "C.UTF-8",
            "DISPLAY": os.environ["DISPLAY"],
            "DBUS_SESSION_BUS_ADDRESS": os.environ["DBUS_SESSION_BUS_ADDRESS"],
        }
        if "XAUTHORITY" in os.environ:
            environment["XAUTHORITY"] = os.environ["XAUTHORITY"]
        self.log = open(os.path.join(self.home, "stderr"), "w+")
        self.process = subprocess.Popen(
            [program, *arguments], env=environment, cwd=self.home, stdout=self.log, stderr=self.log
        )
        self.node = wait_for("the program on the accessibility bus", self.find_program)

    def find_program(self):
        self.check_alive()
        desktop = Atspi.get_desktop(0)
        for i in range(desktop.get_child_count()):
            child = desktop.get_child_at_index(i)
            if child and child.get_process_id() == self.process.pid:
                return child
        return None

    def check_alive(self):
        status = self.process.poll()
        if status is not None:
            self.log.seek(0)
            raise Failure(f"the program ended with {status}: {self.log.read()[-500:]}")

    # ---- What is to be seen ----

    def find(self, name, role=None, last=False):
        """The first node with that name (a string, or a pattern), or the last one; None: what is hidden is not in
        the tree."""
        self.check_alive()
        found = None
        for node in walk(self.node):
            with contextlib.suppress(GLib.Error):
                text = node.get_name() or ""
                if not (name.search(text) if isinstance(name, re.Pattern) else text == name):
                    continue
                if role and node.get_role_name() != role:
                    continue
                if not node.get_state_set().contains(Atspi.StateType.VISIBLE):
                    continue
                found = node
                if not last:
                    break
        return found

    def nodes(self, roles):
        """Those with one of the roles that can be seen."""
        found = []
        for node in walk(self.node):
            with contextlib.suppress(GLib.Error):
                if node.get_role_name() in roles and node.get_state_set().contains(Atspi.StateType.VISIBLE):
                    found.append(node)
        return found

    def way_to(self, node):
        """For messages: the roles and names from the program down to it."""
        way = []
        while node and node != self.node:
            way.append(f"{node.get_role_name()} {node.get_name()!r}")
            node = node.get_parent()
        return " < ".join(way)

    def see(self, name, role=None, last=False):
        return wait_for(f"{name} ({role or 'anything'})", lambda: self.find(name, role, last))

    def keys_until(self, name, *keys):
        """Presses them until it is seen: a window that is still closing something may swallow some."""
        for _ in range(5):
            self.keys(*keys)
            with contextlib.suppress(Failure):
                return wait_for(name, lambda: self.find(name), 5)
        raise Failure(f"waited in vain for: {name}")

    def count(self):
        """Looks at all that there is, as a screen reader may at any time."""
        return sum(1 for _ in walk(self.node))

    # ---- What one does ----

    def press(self, name, role="push button", last=False):
        node = self.see(name, role, last)
        wait_for(f"{name} to be sensitive", lambda: node.get_state_set().contains(Atspi.StateType.SENSITIVE))
        if not node.get_action_iface() or not node.get_action_iface().do_action(0):
            raise Failure(f"{name} cannot be pressed")
        self.settle()

    def fill(self, name, text):
        """Writes into an entry as a dictation does: which has the focus does not matter."""
        node = self.see(name, "text")
        wait_for(f"{name} to take a text", lambda: node.get_editable_text_iface().set_text_contents(text))
        wait_for(f"{name} to have it", lambda: Atspi.Text.get_character_count(node.get_text_iface()) == len(text))
        self.settle()
        return node

    def click(self, node):
        """There is no window manager: the windows are where the screen begins."""
        place = node.get_extents(Atspi.CoordType.WINDOW)
        xdotool("mousemove", str(place.x + place.width // 2), str(place.y + place.height // 2), "click", "1")
        self.settle()

    def focus_window(self):
        """There is no window manager: the newest window gets the keys."""
        windows = xdotool("search", "--onlyvisible", "--pid", str(self.process.pid))
        if windows:
            subprocess.run(["xdotool", "windowfocus", windows[-1]], check=False, stderr=subprocess.DEVNULL)
            time.sleep(0.2)

    def keys(self, *keys):
        self.check_alive()
        for key in keys:
            xdotool("key", key)
            self.settle()

    def type(self, text):
        xdotool("type", "--delay", "30", text)
        self.settle()

    def settle(self):
        time.sleep(0.4)
        self.check_alive()

    # ---- The end ----

    def complaints(self):
        self.log.flush()
        self.log.seek(0)
        return [line for line in self.log.read().splitlines() if re.search("CRITICAL|WARNING|ERROR", line)]

    def close(self):
        if self.process.poll() is None:
            self.process.terminate()
            try:
                self.process.wait(20)
            except subprocess.TimeoutExpired:
                self.process.kill()
        self.log.close()
        shutil.rmtree(self.home, ignore_errors=True)


class Tests:
    """TAP: a step that fails ends the test, and says what could be seen."""

    def __init__(self, program):
        self.program = program
        self.number = 0

    def step(self, name, function, *arguments):
        self.number += 1
        try:
            function(*arguments)
            self.program.count()
            self.program.check_alive()
        except (Failure, GLib.Error, subprocess.CalledProcessError) as error:
            print(f"not ok {self.number} - {name}\n# {error}")
            self.explain()
            print(f"1..{self.number}")
            self.program.close()
            sys.exit(1)
        print(f"ok {self.number} - {name}", flush=True)

    def explain(self):
        self.program.log.flush()
        with open(self.program.log.name) as log:
            for line in log.read().splitlines()[-20:]:
                print(f"# {line}")
        if shutil.which("xwd") and self.program.process.poll() is None:
            picture = os.path.join(os.environ.get("REWIND_SCREENSHOTS", "."), "program-failed.xwd")
            subprocess.run(["xwd", "-root", "-silent", "-out", picture], check=False)
            print(f"# the screen: {picture}")

    def finish(self):
        complaints = self.program.complaints()
        for line in complaints:
            print(f"# {line}")
        self.number += 1
        print(f"{'not ok' if complaints else 'ok'} {self.number} - nothing to complain of")
        print(f"1..{self.number}")
        self.program.close()
        sys.exit(1 if complaints else 0)
