#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
#
# usage: terminal.py REWIND STEP
#
# The shell on a terminal of ours: what it shows, keys that are signals, sizes, programs that fill the screen,
# and the terminal's settings afterwards.
import fcntl
import os
import pty
import re
import signal
import struct
import sys
import tempfile
import termios
import time

PROMPT = rb"\[rewind\] \S+ # "
failures = 0


class Terminal:
    def __init__(self, command, rows=24, columns=80):
        self.master, self.slave = pty.openpty()
        self.resize(rows, columns)
        self.settings = termios.tcgetattr(self.slave)
        self.pid = os.fork()
        if not self.pid:
            os.setsid()
            fcntl.ioctl(self.slave, termios.TIOCSCTTY, 0)
            for fd in range(3):
                os.dup2(self.slave, fd)
            os.environ["TERM"] = "xterm"
            # Who started the tests may ignore them, as nohup does, and then so would the command.
            for signo in (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT, signal.SIGTERM):
                signal.signal(signo, signal.SIG_DFL)
            os.execvp(command[0], command)
        os.set_blocking(self.master, False)
        self.seen = b""
        self.cursor = b"1;1"

    def resize(self, rows, columns):
        fcntl.ioctl(self.master, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def send(self, keys):
        os.write(self.master, keys)

    # busybox's shell asks where the cursor is, and tells the terminal what to erase.
    def read(self):
        data = os.read(self.master, 65536)
        if b"\x1b[6n" in data:
            os.write(self.master, b"\x1b[" + self.cursor + b"R")
        return re.sub(rb"\x1b\[(6n|J)", b"", data)

    # What was shown up to the pattern, which is taken.
    def expect(self, pattern, timeout=60):
        end = time.monotonic() + timeout
        while True:
            match = re.search(pattern, self.seen, re.DOTALL)
            if match:
                before = self.seen[: match.end()]
                self.seen = self.seen[match.end() :]
                return before
            if time.monotonic() > end:
                return None
            try:
                self.seen += self.read()
            except BlockingIOError:
                time.sleep(0.02)
            except OSError:
                return None

    def run(self, line):
        self.send(line + b"\n")
        return self.expect(PROMPT)

    def wait(self, timeout=30):
        end = time.monotonic() + timeout
        while time.monotonic() < end:
            self.expect(rb"\Zx", 0.05)
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                return os.waitstatus_to_exitcode(status)
        os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)
        return None

    def restored(self):
        return termios.tcgetattr(self.slave) == self.settings

    def close(self):
        os.close(self.master)
        os.close(self.slave)


def check(good, name, more=None):
    global failures
    failures += not good
    print(("ok - " if good else "not ok - ") + name + ("" if good else f": {more!r}"), flush=True)


def has(text, pattern, name):
    check(text is not None and re.search(pattern, text, re.DOTALL), name, text)


def shell(rewind, step, *more):
    return Terminal([rewind, "shell", "@", step, *more])


def test_prompt(rewind, step):
    t = shell(rewind, step)
    has(t.expect(PROMPT), rb"rewind: a shell at step \d+ of [0-9a-f]{16}: what is done in it is gone afterwards; exit leaves it\r\n", "a line first")
    has(t.run(b"tty; stty size"), rb"/dev/pts/\d+\r\n24 80\r\n", "a terminal, with a size")
    t.resize(40, 132)
    t.expect(PROMPT, 5)
    has(t.run(b"sleep 0.2; stty size"), rb"40 132\r\n", "another size")
    has(t.run(b"echo $TERM; printf '\\033[31mred\\033[m\\n'"), rb"xterm\r\n\x1b\[31mred\x1b\[m\r\n", "colours")
    t.send(b"exit 7\n")
    check(t.wait() == 7, "its status")
    check(t.restored(), "the terminal's settings are back")
    t.close()


def test_keys(rewind, step):
    t = shell(rewind, step)
    t.expect(PROMPT)
    t.send(b"sleep 1000\n")
    time.sleep(1)
    t.send(b"\x03")
    has(t.expect(PROMPT), rb"\^C", "Ctrl+C ends a program that sleeps")
    has(t.run(b"echo $?"), rb"130\r\n", "as a signal does")
    t.send(b"while :; do :; done\n")
    time.sleep(1)
    t.send(b"\x03")
    has(t.expect(PROMPT), rb"\^C", "and one that computes")
    t.send(b"sleep 1000\n")
    time.sleep(1)
    t.send(b"\x1a")
    has(t.expect(PROMPT), rb"Stopped", "Ctrl+Z stops it")
    has(t.run(b"jobs; kill %1; fg"), rb"sleep 1000.*Terminated", "job control")
    start = time.monotonic()
    t.run(b"sleep 1")
    took = time.monotonic() - start
    check(0.3 < took < 15, "a second is about one", took)
    t.send(b"\x04")
    check(t.wait() is not None, "Ctrl+D leaves")
    check(t.restored(), "the terminal's settings are back")
    t.close()


def test_screen(rewind, step):
    t = shell(rewind, step, "--", "vi", "/etc/motd")
    t.cursor = b"24;80"
    has(t.expect(rb"of the image.*motd"), rb"\x1b\[", "an editor fills the screen")
    t.send(b"cwgone\x1b")
    time.sleep(1)
    t.send(b":wq\r")
    check(t.wait() == 0, "and writes")
    t.close()


def test_signals(rewind, step):
    for signo in (signal.SIGTERM, signal.SIGHUP):
        t = shell(rewind, step)
        t.expect(PROMPT)
        os.kill(t.pid, signo)
        check(t.wait() == 130, f"{signo.name} ends it")
        check(t.restored(), "the terminal's settings are back")
        t.close()


# The second one does not wait for what the first one began.
def test_two_signals(rewind, step):
    t = shell(rewind, step)
    t.expect(PROMPT)
    for signo in (signal.SIGSTOP, signal.SIGTERM, signal.SIGHUP, signal.SIGCONT):
        os.kill(t.pid, signo)
    check(t.wait() not in (None, 0), "two signals at once end it")
    check(t.restored(), "the terminal's settings are back")
    t.close()


def test_rest(rewind, step):
    t = shell(rewind, step)
    t.expect(PROMPT)
    time.sleep(2)
    fields = lambda: sum(map(int, open(f"/proc/{t.pid}/stat").read().rsplit(")", 1)[1].split()[11:13]))
    before, start = fields(), time.monotonic()
    time.sleep(5)
    share = (fields() - before) / os.sysconf("SC_CLK_TCK") / (time.monotonic() - start)
    check(share < 0.1, f"it costs little while nobody types ({share:.1%} of a processor)", share)
    t.send(b"exit\n")
    check(t.wait() == 0, "and is awake at once")
    t.close()


def wait_for(good, timeout=30):
    end = time.monotonic() + timeout
    while not good() and time.monotonic() < end:
        time.sleep(0.05)
    return good()


# What a program that shows the terminal is told.
def test_status(rewind, step):
    with tempfile.NamedTemporaryFile() as told:
        lines = lambda: open(told.name).read().split("\n")[:-1]
        t = Terminal(["sh", "-c", 'exec "$@" 3>"$0"', told.name, rewind, "shell", "@", step, "--status-fd", "3"])
        t.expect(PROMPT)
        check(wait_for(lambda: len(lines()) == 2), "where it is", lines())
        check(lines()[0] == f"at {step}" and re.fullmatch(r"pid \d+", lines()[1]), "its step and process", lines())
        t.run(b"echo nothing runs then; ls /")
        t.run(b"sleep 1")
        check(wait_for(lambda: lines()[2:] == ["runs", "rests"]), "a program runs, and has ended", lines())
        t.send(b"while :; do :; done\n")
        check(wait_for(lambda: lines()[4:] == ["runs"]), "so does the shell itself", lines())
        t.send(b"\x03")
        t.expect(PROMPT)
        t.send(b"sleep 1000 &\n")
        check(wait_for(lambda: lines()[5:] == ["rests", "runs"]), "and what is in the background", lines())
        t.send(b"kill %1\nexit 3\n")
        check(t.wait() == 3 and lines()[-1] == "end", "it was left", lines())
        t.close()


# A terminal that is closed: a window's, a connection's.
def test_hangup(rewind, step):
    for keys in (b"", b"sleep 1000\n", b"while :; do :; done\n"):
        t = shell(rewind, step)
        t.expect(PROMPT)
        t.send(keys)
        time.sleep(0.5)
        os.close(t.master)
        os.close(t.slave)
        ended = lambda: os.waitpid(t.pid, os.WNOHANG)[0] == t.pid
        check(any(ended() or time.sleep(0.05) for _ in range(400)), f"it ends with its terminal, at {keys!r}")


def main():
    tests = (test_prompt, test_keys, test_screen, test_signals, test_two_signals, test_rest, test_status, test_hangup)
    for test in tests:
        test(*sys.argv[1:3])
    return failures != 0


sys.exit(main())
