#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Looks at the CPU's object code: a handler goes on with the next op by a jump. Where the compiler makes a call
of it (the address of a local variable is enough for that), each op of a chain would take room on the host's
stack. usage: tail-calls.py LIBRARY"""
import re
import subprocess
import sys

# Calls of functions by pointer that are no ops. Whoever runs ops from a loop is here, too.
NO_OPS = re.compile(
    r"rw_cpu_run|run|execute|run_one|run_rest|run_blocks|turn"
    r"|tell_page|rw_watch_tell"
    r"|rw_decode_block|emit\w*|rw_emit\w*|rw_jit_\w+|write_insns|elements|op_unary"
)
LEAST_HANDLERS = 2000


def main():
    out = subprocess.run(["objdump", "-d", "--no-show-raw-insn", sys.argv[1]], capture_output=True, text=True, check=True)
    name, jumps, bad = None, set(), []
    for line in out.stdout.splitlines():
        start = re.match(r"[0-9a-f]+ <([\w.]+)>:", line)
        if start:
            name = re.sub(r"\..*", "", start[1])
            continue
        indirect = re.search(r"\t(call|jmp) +\*(\S+)", line)
        if not indirect or "(%rip)" in indirect[2]:  # a function of another file, without a PLT
            continue
        if indirect[1] == "jmp":
            jumps.add(name)
        elif not NO_OPS.fullmatch(name):
            bad.append(f"{name}: {line.strip()}")
    for text in bad:
        print("not a jump:", text)
    print(len(jumps), "functions end in a jump")
    return 1 if bad or len(jumps) < LEAST_HANDLERS else 0


sys.exit(main())
