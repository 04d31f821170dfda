#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
#
# usage: terminal.py REWIND RUN STEP PID
#
# gdb on a terminal of ours that is closed while gdb waits, while it runs, and before it is there: neither it nor
# its folder is left. And what --status-fd tells.
import os
import pty
import select
import sys
import tempfile
import time

rewind, run, step, pid = sys.argv[1:5]
scratch = tempfile.mkdtemp()
failures = 0


def check(good, name, more=None):
    global failures
    failures += not good
    print(("ok - " if good else "not ok - ") + name + ("" if good else f": {more!r}"), flush=True)


class Session:
    def __init__(self):
        read, write = os.pipe()
        self.pid, self.master = pty.fork()
        if not self.pid:
            os.dup2(write, 3)
            os.environ.update(TMPDIR=scratch, TERM="dumb")
            os.execv(rewind, [rewind, "gdb", run, step, "--pid", pid, "--status-fd", "3", "--", "-nx"])
        os.close(write)
        self.status, self.seen, self.told = read, b"", b""

    # Until it has been shown, or told.
    def wait(self, shown=b"", told=b"", timeout=120):
        end = time.monotonic() + timeout
        while (shown not in self.seen or told not in self.told) and time.monotonic() < end:
            for fd in select.select([self.master, self.status], [], [], 0.1)[0]:
                data = os.read(fd, 65536)
                if fd == self.master:
                    self.seen += data
                else:
                    self.told += data
        return shown in self.seen and told in self.told

    def send(self, keys):
        self.seen = self.told = b""
        os.write(self.master, keys)

    def hang_up(self, name):
        os.close(self.master)
        os.close(self.status)
        for _ in range(600):
            if os.waitpid(self.pid, os.WNOHANG)[0]:
                break
            time.sleep(0.05)
        else:
            check(False, f"{name}: it ends")
            os.kill(self.pid, 9)
            os.waitpid(self.pid, 0)
        left = [p for p in os.listdir("/proc") if p.isdigit() and holds(p)]
        check(not left, f"{name}: no process is left", left)
        check(not os.listdir(scratch), f"{name}: no file is left", os.listdir(scratch))


def holds(process):
    try:
        return f"TMPDIR={scratch}".encode() in open(f"/proc/{process}/environ", "rb").read()
    except OSError:
        return False


s = Session()
check(s.wait(b"gone afterwards", f"pid {pid}\n".encode()), "it says what becomes of what is changed", s.seen)
check(s.wait(b"(gdb) ", b"at "), "it tells where it stands", s.told)
s.send(b"reverse-stepi\n")
check(s.wait(b"(gdb) ", b"rests\n") and s.told.startswith(b"runs\nat "), "that it goes, and where it has come to", s.told)
s.send(b"monitor go " + step.encode() + b"\n")
check(s.wait(b"(gdb) ", f"at {step}\n".encode()), "and where it was put", s.told)
s.send(b"quit\ny\n")
check(s.wait(told=b"end\n"), "that it was left", s.told)
s.hang_up("left")

s = Session()
s.wait(b"(gdb) ")
s.hang_up("at its prompt")

s = Session()
s.wait(b"(gdb) ")
s.send(b"watch *(char *) $sp if 0\nset confirm off\n")
s.send(b"while 1\nreverse-continue\ncontinue\nend\n")
s.wait(told=b"runs\n")
s.hang_up("while it runs")

for delay in (0, 0.05, 0.2, 0.5):
    s = Session()
    time.sleep(delay)
    s.hang_up(f"{delay} s after it was started")

os.rmdir(scratch)
sys.exit(failures != 0)
