#!/bin/sh
# SPDX-License-Identifier: MIT
#
# gdb changes what was recorded: memory of every kind, registers, calls of the program's functions, in threads that
# run and that wait; signals and another program, both ways.
. "$(dirname "$0")/lib.sh"
here=$(cd "$(dirname "$0")" && pwd)

value() { # value N: what gdb printed as $N
    sed -n "s/^\\\$$1 = //p" "$work/out"
}

step_of() { # step_of OUTPUT: at which it comes
    "$REWIND" events -k output @ | sed -n "s/^ *\([0-9]*\) .*\"$1.*/\1/p" | head -n 1
}

"$EXAMPLES/pack.sh" "$here/change" -o "$work/root.tar" >"$work/err" 2>&1
run 7 "a run" "$REWIND" run --mem 128 --swap 0 --root "$work/root.tar" --cwd /src -- ./change
same "its output" 'loop 55 child 5 caught 10 caught 11 door 66 second 109' "$(tr '\n' ' ' <"$work/out" | sed 's/ $//')"
pid=$("$REWIND" ps -a @ | sed -n 's|^ *\([0-9]*\) *\./change.*|\1|p' | head -n 1)
sum=$(sum_of_runs)
loop=$(step_of 'loop 55')
early=$((loop - 1))

# ---- A variable ----
debug "$loop" 'reverse-continue' 'break loop' 'continue' 'set var limit = 3' 'print limit' 'break report' 'continue' 'print value' \
    'reverse-finish' 'monitor when' 'back' 'print limit' 'monitor when' 'continue' 'print value'
has out "it says that history is left" '^rewind: history is left at [0-9]+(\+[0-9]+)?: what follows is not what was recorded'
same "once" 1 "$(grep -c 'history is left' "$work/out")"
same "another value" 3 "$(value 1)"
same "another course" 6 "$(value 2)"
has out "where it is" '^[0-9]+(\+[0-9]+)?, in what is not recorded: history was left at [0-9]'
same "back in the run" 10 "$(value 3)"
same "its course" 55 "$(value 4)"

# ---- Backwards, off the run ----
debug "$loop" 'reverse-continue' 'break loop' 'continue' 'set var limit = 4' 'delete' 'watch limit' 'break report' 'continue' 'print value' \
    'delete' 'break step' 'reverse-continue' 'print i' 'reverse-continue' 'print i' 'continue' 'print i' 'delete' 'reverse-continue'
same "the changed sum" 10 "$(value 1)"
same "backwards to calls in it" '3 2 3' "$(value 2) $(value 3) $(value 4)"
has out "and to where it was left" '^rewind: here history was left'

# ---- Calls ----
debug "$loop" 'reverse-continue' 'break loop' 'continue' 'print add(2, 3)' 'print half(3.0)' 'print size_of_page()' 'print $rip == (long) &loop + 0' \
    'print add(add(1, 2), 4)' 'frame' 'delete' 'break report' 'continue' 'print value'
same "functions are called" '5 1.5 4096 7' "$(value 1) $(value 2) $(value 3) $(value 5)"
has out "the frame is what it was" '^#0 +loop \(\)'
same "and then it goes on" 55 "$(value 6)"

# ---- Memory that is not the process's own so far ----
debug "$loop" 'reverse-continue' 'break loop' 'continue' "set var *(char *) &fixed[0] = 'F'" 'print *(char *) &fixed[0]@5' 'set var room[12288] = 9' 'print room[12288]' \
    'set var shared = 77' 'print shared' 'delete' 'break report' 'continue' 'continue' 'print value' 'set var *(char *) 1 = 2'
has out "a text that is read-only" '^\$1 = "Fixed"$'
has out "a page that nobody touched" "^\\\$2 = 9 "
same "a page of two processes" 77 "$(value 3)"
same "of which the other keeps its own" 5 "$(value 4)"
has out "no memory" 'Cannot access memory at address 0x1'

# ---- A thread that waits in a system call ----
debug "$early" 'info threads' 'thread 2' 'print add(20, 2)' 'print $_thread' 'handle all nostop noprint' 'break report if value == 66' 'continue' \
    'print value' 'print what'
has out "it waits" 'sleeping in read|runnable in read'
same "it calls" 22 "$(value 1)"
same "it is the same one" 2 "$(value 2)"
same "and its call is begun again" 66 "$(value 3)"

# ---- Another way ----
debug "$loop" 'reverse-continue' 'break step' 'continue' 'return 1000' 'delete' 'break report' 'continue' 'print value'
same "a function that returns something else" 1054 "$(value 1)"
debug "$loop" 'reverse-continue' 'break loop' 'continue' 'call (void) exit(3)' 'monitor when' 'back'
has out "it may end" '^rewind: process [0-9]+ exits with 3$'
has out "and one goes back all the same" '^#0 +loop|^loop \(\)|in loop \(\)'

# ---- Signals ----
last=$("$REWIND" events -k exec @ | sed -n "s/^ *\([0-9]*\) *$pid.*"second".*/\1/p")
debug "$((last - 1))" 'reverse-continue' 'print $_siginfo.si_signo' 'print/x (long) $_siginfo._sifields._sigfault.si_addr' 'frame' 'reverse-continue' 'print $_siginfo.si_signo' \
    'continue' 'print $_siginfo.si_signo' 'handle SIGSEGV nostop noprint pass' 'reverse-continue' 'print $_siginfo.si_signo' 'handle all nostop noprint' \
    'continue' 'reverse-continue' 'print $_siginfo.si_signo'
same "backwards to a signal" 11 "$(value 1)"
same "what it says" 0x10 "$(value 2)"
has out "where it came" '^#0 .* in take_signals \(\)|^#0 +take_signals'
same "and to the one before" 10 "$(value 3)"
same "forwards" 11 "$(value 4)"
same "one that is no reason to stop" 10 "$(value 5)"

debug "$loop" 'reverse-continue' 'break loop' 'continue' 'set var $rip = 4096' 'continue' 'print $_siginfo.si_signo' 'print $_siginfo.si_code' \
    'print/x (long) $_siginfo._sifields._sigfault.si_addr' 'reverse-stepi' 'print/x $rip'
same "one that was not recorded" '11 1 0x1000' "$(value 1) $(value 2) $(value 3)"

# ---- Another program ----
debug "$early" 'catch exec' 'handle all nostop noprint' 'continue' 'break report' 'continue' 'print value' 'delete' 'catch exec' 'reverse-continue' \
    'reverse-continue' 'bt' 'continue' 'frame'
has out "it is followed" 'is executing new program: (target:)?/src/change'
same "what that one does" 109 "$(value 1)"
has out "backwards its first instruction" '^rewind: here the program begins'
has out "the one before it" '^#[0-9] +.* in main \('
has out "and forwards again" '^#0 .*ld-linux'

debug "$early" 'handle all nostop noprint' 'set var limit = 11' 'catch exec' 'continue' 'break report' 'continue' 'print value' 'delete' 'catch exec' 'reverse-continue' \
    'reverse-continue' 'bt' 'print limit' 'reverse-continue' 'continue' 'frame' 'delete' 'break report' 'continue' 'print value'
has out "off the run, too: it is followed" 'is executing new program: (target:)?/src/change'
same "off the run: what that one does" 109 "$(value 1)"
has out "off the run: backwards its first instruction" '^rewind: here the program begins'
has out "off the run: the one before it" '^#[0-9] +.* in main \('
same "off the run: as it was changed" 11 "$(value 2)"
has out "off the run: and its begin" '^rewind: here history was left'
has out "off the run: and forwards again" '^#0 .*ld-linux'
same "off the run: as before" 109 "$(value 3)"

same "the run is what it was" "$sum" "$(sum_of_runs)"
finish
