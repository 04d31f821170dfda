#!/bin/sh
# SPDX-License-Identifier: MIT
#
# gdb on a run of an older guest, which tells nothing of its tasks: this one, in which the function that tells
# it is none. The thread that has the CPU is there, and backwards and forwards whoever meets what is waited for.
. "$(dirname "$0")/lib.sh"

cp -r "$REWIND_GUEST_DIR" "$work/guest"
python3 - "$work/guest" <<'END'
import struct
import sys
folder = sys.argv[1]
with open(folder + "/System.map") as text:
    symbols = {line.split()[2]: int(line.split()[0], 16) for line in text}
address = symbols["rewind_layout_init"]
with open(folder + "/vmlinux", "r+b") as file:
    elf = file.read()
    at, n = struct.unpack_from("<Q", elf, 40)[0], struct.unpack_from("<H", elf, 60)[0]
    for i in range(n):
        kind, _, start, offset, size = struct.unpack_from("<IQQQQ", elf, at + 64 * i + 4)
        if kind == 1 and start <= address < start + size:
            file.seek(offset + address - start)
            file.write(b"\xc3")  # RET
END
cmp -s "$work/guest/vmlinux" "$REWIND_GUEST_DIR/vmlinux"
[ $? -eq 1 ]
ok $? "another guest"
export REWIND_GUEST_DIR="$work/guest"

"$EXAMPLES/pack.sh" bank -o "$work/root.tar" >"$work/err" 2>&1
run 0 "a run" "$REWIND" run --mem 128 --swap 0 --root "$work/root.tar" --cwd /src -- ./bank
pid=$("$REWIND" ps -a @ | sed -n 's|^ *\([0-9]*\) *\./bank.*|\1|p' | head -n 1)
last=$("$REWIND" events -k exit @ | sed -n "s|^ *\([0-9]*\) *$pid/$pid .*|\1|p")
run 1 "it tells nothing" "$REWIND" where --all @ "$last"
sum=$(sum_of_runs)

debug "$last" 'info threads' backtrace 'print balance' 'watch balance' reverse-continue backtrace 'info threads' 'info locals' reverse-continue 'print balance' \
    'thread apply all backtrace' 'x/2i $pc' 'info registers rip'
has out "the thread that ends" '^#[0-9] .* in main \(\)|^#0 .*_exit'
has out "the store" '^#0 .*book_balance .*bank\.c:'
has out "its caller" '^#[1-9] .* work \(arg='
same "twice" 2 "$(grep -c '^New value' "$work/out")"
debug "$last" 'break work' reverse-continue 'info args' 'print *(struct teller *) arg' delete 'break book_balance if after > 500' continue 'print after' 'finish' 'next' \
    'reverse-step' 'delete' 'continue'
has out "an argument" '^arg = 0x'
has out "what it points to" 'name = 0x[0-9a-f]+ "(Anna|Bert)"'
has out "a breakpoint" 'hit Breakpoint 2, '
has out "to the end" '^rewind: process [0-9]+ exits with 0'
debug "$last" 'break book_balance' reverse-continue 'print balance' 'set var balance = 7' 'print balance' 'print (int) getpid()' 'print balance' back 'print balance'
value() { # value N: what gdb printed as $N
    sed -n "s/^\\\$$1 = //p" "$work/out"
}
has out "a change" '^rewind: history is left at '
same "what it makes, and a function that is called" "7 $pid 7" "$(value 2) $(value 3) $(value 4)"
same "and back" "$(value 1)" "$(value 5)"
same "the run is what it was" "$sum" "$(sum_of_runs)"
finish
