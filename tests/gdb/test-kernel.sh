#!/bin/sh
# SPDX-License-Identifier: MIT
#
# gdb on the guest's kernel: its functions, stops and watchpoints both ways, and what is changed there.
. "$(dirname "$0")/lib.sh"

options=--kernel
mkdir -p "$work/root/bin" "$work/root/tmp"
cp /bin/busybox "$work/root/bin/sh"
run 0 "a run" "$REWIND" run --mem 128 --swap 0 --root "$work/root" -- sh -c 'echo one; echo two; exit 0'
sum=$(sum_of_runs)
two=$("$REWIND" events -k output @ | sed -n 's/^ *\([0-9]*\) .*two.*/\1/p')

debug "$two" 'info threads' 'break vfs_write' 'reverse-continue' 'monitor when' 'backtrace 2' 'print $rdx' 'stepi' 'reverse-stepi' 'monitor when' \
    'reverse-continue' 'print $rdx' 'continue' 'monitor when'
has out "the CPU, and who has it" 'Thread 1\.1 "CPU" \(thread [0-9]+ of process [0-9]+, in the kernel\)'
has out "a function of the kernel's" 'Breakpoint 1, 0x[0-9a-f]+ in vfs_write \(\)'
has out "its caller" '^#1  0x[0-9a-f]+ in ksys_write \(\)'
same "what it writes" '4 4' "$(sed -n 's/^\$[0-9] = //p' "$work/out" | tr '\n' ' ' | sed 's/ $//')"
same "it comes back to the same place" 1 "$(grep -E '^[0-9]+(\+[0-9]+)?$' "$work/out" | sort -u | wc -l)"
debug "$two" 'break vfs_write' 'reverse-continue' 'watch -l *(long *) ($rsp - 8)' 'reverse-continue' 'reverse-continue' 'continue' 'info breakpoints'
has out "a watchpoint" 'hit Hardware watchpoint 2|^Hardware watchpoint 2: '
has out "from one value to another" '^New value = '
debug "$two" 'reverse-continue' 'monitor when' 'continue'
has out "back to the start of the job" "$no_more"
debug "$two" 'break vfs_write' 'reverse-continue' 'set var $rdx = 1' 'print $rdx' 'back' 'print $rdx' 'set var *(char *) $rip = 0x90' 'x/1i $pc'
has out "a register" '^rewind: history is left at '
same "and back" '1 4' "$(sed -n 's/^\$[0-9] = //p' "$work/out" | tr '\n' ' ' | sed 's/ $//')"
has out "code" 'nop'
same "the run is what it was" "$sum" "$(sum_of_runs)"
finish
