# SPDX-License-Identifier: MIT
#
# Terminals: a shell with job control that is typed to, its jobs stopped and put to the front, lines as they are edited,
# sizes that change, output that waits, a program whose terminal goes.
import os
import pty
import select
import signal
import struct
import termios
import time
import tty
import fcntl


class Shell:
    def __init__(self):
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            os.environ.update(PS1="ready> ", TERM="dumb", HISTFILE="")
            os.execvp("bash", ["bash", "--norc", "--noprofile", "--noediting", "-i"])
        self.text = ""

    def see(self, wanted):
        while wanted not in self.text:
            select.select([self.fd], [], [])
            self.text += os.read(self.fd, 1000).decode()
        before, _, self.text = self.text.partition(wanted)
        return before

    def type(self, keys):
        os.write(self.fd, keys.encode())

    def say(self, line):
        self.type(line + "\n")
        self.see(line)  # the echo
        return " ".join(self.see("ready> ").split())


def jobs():
    shell = Shell()
    shell.see("ready> ")
    print("a line:", shell.say("echo one; echo two"))
    shell.type("echo mistako\x7f\x7fen\x17word; echo\x15echo kept\n")  # erased by letter, word, line
    shell.see("kept")
    print("edited:", " ".join(shell.see("ready> ").split())[-4:])
    print("size:", shell.say("stty size"))
    fcntl.ioctl(shell.fd, termios.TIOCSWINSZ, struct.pack("HHHH", 33, 99, 0, 0))
    print("another:", shell.say("stty size"))
    shell.type("cat\n")
    shell.see("cat\r\n")
    shell.type("to cat\n")
    shell.see("to cat\r\nto cat\r\n")
    shell.type("\x1a")
    shell.see("Stopped")
    shell.see("ready> ")
    print("stopped:", "cat" in shell.say("jobs"))
    shell.type("fg\n")
    shell.see("cat\r\n")
    shell.type("again\n")
    shell.see("again\r\nagain\r\n")
    shell.type("\x04")
    shell.see("ready> ")
    shell.type("sleep 1000\n")
    shell.see("sleep 1000")
    time.sleep(0.2)
    shell.type("\x03")
    shell.see("ready> ")
    print("interrupted:", shell.say("echo $?"))
    shell.say("stty tostop; (sleep 0.1; echo from behind) & sleep 0.3")
    print("waits:", "Stopped" in shell.say("sleep 0.3; jobs -l"))
    os.close(shell.fd)  # its terminal goes
    status = os.waitpid(shell.pid, 0)[1]
    print("hung up:", os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGHUP or os.WEXITSTATUS(status) >= 128)


def raw():
    ours, theirs = os.openpty()
    print("name:", os.ttyname(theirs).startswith("/dev/pts/"))
    tty.setraw(theirs)
    os.write(ours, b"\x03\x04\r\n")
    print("raw:", os.read(theirs, 100))
    attributes = termios.tcgetattr(theirs)
    attributes[6][termios.VMIN], attributes[6][termios.VTIME] = 5, 1
    termios.tcsetattr(theirs, termios.TCSANOW, attributes)
    os.write(ours, b"abc")
    start = time.monotonic()
    print("in time:", os.read(theirs, 100), time.monotonic() - start >= 0.09)
    os.close(ours)
    try:
        print("gone:", os.read(theirs, 100))
    except OSError as error:
        print("gone:", error.strerror)


jobs()
raw()
