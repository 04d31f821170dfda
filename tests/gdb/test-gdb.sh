#!/bin/sh
# SPDX-License-Identifier: MIT
#
# gdb itself on the bank that lost money: threads, lines, locals, breakpoints and watchpoints, both ways.
. "$(dirname "$0")/lib.sh"

line_of() { # line_of TEXT: its number in the source
    grep -nF "$1" "$EXAMPLES/bank/bank.c" | head -n 1 | cut -d: -f1
}

"$EXAMPLES/pack.sh" bank -o "$work/root.tar" >"$work/err" 2>&1
"$REWIND" check -q --mem 128 --swap 0 --root "$work/root.tar" --cwd /src -- make check >"$work/out" 2>"$work/err"
failing=$(sed -n 's/^failing: run \([0-9a-f]*\),.*/\1/p' "$work/out")
[ -n "$failing" ]
ok $? "a run that lost money"
pid=$("$REWIND" ps -a "$failing" | sed -n 's|^ *\([0-9]*\) *\./bank .*|\1|p')
last=$("$REWIND" events -k exit "$failing" | tail -n 1 | sed 's/^ *\([0-9]*\) .*/\1/')
sum=$(sum_of_runs)

# ---- At its end ----
booked=$(line_of 'balance = after;')
debug "$last" 'print balance' 'watch balance' 'reverse-continue' 'backtrace' 'info threads' 'reverse-continue' 'reverse-continue'
ok $? "backwards to who wrote the balance last"
has out "the value at the end" '^\$1 = [0-9]+$'
has out "it stops at the store" "^#0 .*book_balance .*bank\.c:$booked"
has out "in a thread" '^#[1-9] .* work \(arg='
final=$(sed -n 's/^\$1 = //p' "$work/out")
same "from the last value" "Old value = $final" "$(grep '^Old value' "$work/out" | head -n 1)"
same "three times" 3 "$(grep -c '^New value' "$work/out")"
same "each goes on where the one before came from" "$(sed -n 's/^New value = //p' "$work/out" | head -n 2)" \
    "$(sed -n 's/^Old value = //p' "$work/out" | tail -n 2)"

# ---- From its start ----
debug "$last" 'reverse-continue' 'break work' 'continue' 'info locals' 'info args' 'continue' 'print *(struct teller *)arg' 'delete' \
    'break book_balance' 'continue' 'list' 'print after' 'next' 'print balance' 'reverse-next' 'print balance' 'finish'
ok $? "forwards from the start"
has out "it goes back to the start of what is recorded" "$no_more"
same "both threads come to work()" 2 "$(grep -c 'hit Breakpoint 1, work ' "$work/out")"
has out "its argument" '^arg = 0x'
has out "the teller" 'name = 0x[0-9a-f]+ "(Anna|Bert)"'

has out "source of the run's" "^$booked[[:space:]]+balance = after;"

# ---- All threads ----
held=$("$REWIND" events -k output "$failing" | sed -n 's/^ *\([0-9]*\) .*Bert books 20:.*/\1/p')
debug "$held" 'info threads' 'thread apply all backtrace'
same "three threads with their names" 3 "$(grep -c '^[* ] [0-9] *Thread .*"bank" (' "$work/out")"
has out "one waits" 'sleeping in futex'
has out "for another" '^#[0-9] .* in main \(\) at bank\.c:'
same "all of their frames" 3 "$(grep -c '^#0 ' "$work/out")"
debug "$last" 'info threads' 'who &balance' 'monitor who 1' 'monitor who x'
has out "who wrote there last" "^[0-9]+\+[0-9]+  $pid/[0-9]+  /src/bank, in book_balance at /src/bank\.c:$booked$"
has out "nobody" '^nobody since'
has out "no address" '^rewind: x: not an address'

# A breakpoint that is met often: as often backwards.
set -- 'break deposit'
for i in 1 2 3 4 5 6 7 8 9; do set -- "$@" 'reverse-continue' 'monitor instructions'; done
debug "$last" "$@" 'reverse-continue'
same "nine deposits backwards" 9 "$(grep -c 'hit Breakpoint 1, deposit' "$work/out")"
has out "and then the start" "$no_more"
grep -E '^[0-9]+$' "$work/out" | sort -n >"$work/backwards"
set -- 'reverse-continue' 'break deposit'
for i in 1 2 3 4 5 6 7 8 9; do set -- "$@" 'continue' 'monitor instructions'; done
debug "$last" "$@" 'continue'
same "nine deposits forwards" 9 "$(grep -c 'hit Breakpoint 1, deposit' "$work/out")"
has out "and then its end" '^rewind: process [0-9]+ exits with 1$'
same "at the same instructions" "$(cat "$work/backwards")" "$(grep -E '^[0-9]+$' "$work/out")"

# ---- Steps ----
debug "$last" 'break book_balance' 'reverse-continue' 'reverse-step' 'reverse-step' 'step' 'reverse-finish' 'stepi' 'reverse-stepi' 'finish'
ok $? "steps both ways"
debug "$last" 'info registers rip rsp xmm0 fs_base' 'print $st0' 'x/2i $pc' 'info auxv' 'info sharedlibrary'
has out "registers" '^fs_base +0x'
has out "SSE" 'v4_float = '
has out "the auxiliary vector" 'AT_ENTRY'
has out "libraries" 'libc\.so\.6'
debug "$last" 'nosharedlibrary' 'set debug remote 1' 'sharedlibrary' 'set debug remote 0' 'info sharedlibrary'
has out "as a list" 'qXfer:libraries-svr4:read:.*|library-list-svr4'
has out "that has them" '^0x[0-9a-f]+ .*libc\.so\.6'
debug "$last" 'monitor help' 'monitor when' 'monitor step' 'monitor time' 'monitor event' 'monitor nonsense' 'monitor go 1' \
    "monitor go $((last - 1))" 'monitor when'
has out "what monitor has" '^monitor go '
has out "a position" "^$last(\+[0-9]+)?$|^[0-9]+\+[0-9]+$"
has out "an event" 'exit_group|exit\(|write\('
has out "no such command" '^rewind: nonsense: no such command'
has out "before the job" '^rewind: step 1: before the job'

# ---- On a terminal ----
python3 "$(dirname "$0")/terminal.py" "$REWIND" "$failing" "$held" "$pid" >"$work/tap" 2>&1
status=$?
sed 's/^/# /' "$work/tap"
ok $status "on a terminal, and as it is closed"

# ---- What it is not ----
debug "$last" 'print balance = 3' 'print balance' 'back' 'print balance'
has out "a change leaves the run" '^rewind: history is left at '
same "where the value is another one" "\$2 = 3" "$(grep '^\$2 = ' "$work/out")"
same "in the run it stays" "\$3 = $final" "$(grep '^\$3 = ' "$work/out")"
same "the runs are what they were" "$sum" "$(sum_of_runs)"
run 3 "gdb's own status" "$REWIND" gdb "$failing" "$last" -- -nx -batch -ex 'quit 3'
run 1 "no such process" "$REWIND" gdb --pid 4000 "$failing" "$last" -- -batch
one_line "one line"
run 2 "no position" "$REWIND" gdb "$failing" x -- -batch
run 1 "no gdb" env REWIND_GDB=/nonexistent "$REWIND" gdb "$failing" "$last"
one_line "one line"
finish
