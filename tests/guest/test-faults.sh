#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Faults: each makes the wrong program fail and the right one not; what programs see of them; what such runs are, replayed,
# forked, shared and refused; and that check finds them.
. "$(dirname "$0")/../app/lib.sh"

mkdir -p "$work/root/bin"
cp "$GUEST_FAULTS" "$work/root/bin/guest-faults"
try() { # try PROGRAM [right] [OPTION...]
    program=$1 how=
    shift
    [ "${1:-}" != right ] || { how=right && shift; }
    "$REWIND" run --root "$work/root" "$@" -- /bin/guest-faults "$program" $how
}
id() { sed -n 's/^rewind: run \([0-9a-f]*\) .*/\1/p' "$work/err"; }
steps() { "$REWIND" events --all --steps "$1"; }
# The step of a line of events --steps that matches.
step_of() { steps "$1" | sed -n "/$2/{s/^ *\([0-9]*\).*/\1/p;q;}"; }
strikes() {
    [ -n "$(step_of "$(id)" "fault 1 strikes")" ]
    ok $? "$1: it strikes"
}

# ---- Each kind: what is wrong fails, and what is right passes ----

both() { # both PROGRAM FAULT
    run 0 "$1 passes" try "$1"
    run 1 "$1 fails with $2" try "$1" --fault "$2"
    strikes "$1"
    run 0 "$1 passes where it is right" try "$1" right --fault "$2"
    strikes "$1, right"
}

both read-pipe "1:call read short 16"
both read-socket "1:call read short 1"
both write-socket "1:call sendto short 1000"
both wait-raw "1:call futex wake"
both wait-if "1:call futex#2 wake"
both fork "1:call clone error EAGAIN"
both map "1:call mmap error ENOMEM"
both write-file "1:call write error ENOSPC"
both interrupted "1:call read error EINTR"

run 0 "the heap grows" try heap
n=1 failed=
while [ $n -lt 12 ] && [ -z "$failed" ]; do
    try heap --fault "1:call brk#$n error ENOMEM" >"$work/out" 2>"$work/err" || failed=$n
    n=$((n + 1))
done
run 1 "heap fails where it does not" try heap --fault "1:call brk#${failed:-1} error ENOMEM"
has err "by its own status" '^guest-faults: no heap$'
run 0 "heap passes where it is right" try heap right --fault "1:call brk#${failed:-1} error ENOMEM"

try entries right >"$work/plain" 2>"$work/err"
run 0 "a directory turned round" try entries right --fault "1:call getdents64 reversed"
same "has the same names in the other order" "$(awk '{ print $3, $2, $1 }' "$work/plain")" "$(cat "$work/out")"

# glibc's own waits look again, whichever of them is woken by nobody.
n=1
while [ $n -le 6 ]; do
    run 0 "glibc stands wake-up $n of a thread" try wait-glibc --fault "1:call futex#$n wake"
    run 0 "and of the other" try wait-glibc --fault "1.1:call futex#$n wake"
    n=$((n + 1))
done

# ---- What programs see of it ----

run 0 "registers are what they were" try registers --fault "1:call read short 4"
strikes "fewer bytes"
run 0 "a handler that makes the same call gets all" try handler --fault "1:call read short 3"
strikes "the call that waits"
handler=$(id)
run 0 "as many bytes as there are" try read-socket --fault "1:call read short 16"
run 0 "a futex that wakes is none that waits" try fork --fault "1:call futex wake"

# ---- The same run however it is reached ----

run 0 "show" "$REWIND" show "$handler"
has out "says it" 'schedule +fault 1:call read short 3$'
has out "as an option" "--fault '1:call read short 3'"
at=$(step_of "$handler" "fault 1 strikes")
run 0 "events" steps "$handler"
has out "a step" '^ +[0-9]+ +fault at instruction [0-9]+, time [0-9]+, fault 1 strikes$'
run 0 "replayed from power-on" "$REWIND" replay "$handler"
run 0 "from before it" "$REWIND" replay "$handler" --from $((at - 1))
run 0 "from where it strikes" "$REWIND" replay "$handler" --from "$at"
run 0 "from within" "$REWIND" replay "$handler" --from $((at + 2))
run 0 "again" try handler --fault "1:call read#1 short 3 from 0"
same "it is the same run" "$handler" "$(id)"
! grep -q 'NOT DETERMINISTIC' "$work/err"
ok $? "with the same events"
try handler >"$work/out" 2>"$work/err"
plain=$(id)
"$REWIND" events --all --steps --to $((at - 2)) "$plain" >"$work/one"
"$REWIND" events --all --steps --to $((at - 2)) "$handler" >"$work/two"
cmp -s "$work/one" "$work/two"
ok $? "before it strikes it is the plain run"
run 1 "compared with it" "$REWIND" compare "$plain" "$handler"
has out "they part there" "^the two are the same run until step $at: there left has nothing and right fault 1\$"

# ---- Forks ----

"$REWIND" fork "$handler" $((at + 2)) -q --seed 5 >"$work/out" 2>"$work/err"
same "a fork while the call is not back" 0 $?
fork=$(id)
run 0 "replays" "$REWIND" replay "$fork"
again=$("$REWIND" show "$fork" | sed -n '1s/^rewind \(.*\)  # .*/\1/p')
eval "\"$REWIND\" $again" >/dev/null 2>"$work/err"
same "from power-on it is the same run" "$fork" "$(id)"
! grep -q 'NOT DETERMINISTIC' "$work/err"
ok $? "with the same events"
"$REWIND" fork "$plain" $((at - 1)) -q --fault "1:call read short 3" >"$work/out" 2>"$work/err"
same "a fork that is given one" 0 $?
run 0 "replays" "$REWIND" replay "$(id)"
"$REWIND" fork "$plain" $((at + 2)) -q --fault "1:call read short 3" >"$work/out" 2>"$work/err"
same "places are counted from its step on" 1 $?

# ---- Elsewhere ----

run 0 "exported" "$REWIND" export "$fork" --replayable -o "$work/fork.rwd"
run 0 "imported" env REWIND_HOME="$work/elsewhere" "$REWIND" import "$work/fork.rwd"
run 0 "replayed there" env REWIND_HOME="$work/elsewhere" "$REWIND" replay "$fork"

# ---- Found ----

search() { # search KINDS PROGRAM [right]
    kinds=$1
    shift
    "$REWIND" check --schedules 32 --strategy faults --faults "$kinds" --root "$work/root" -- /bin/guest-faults "$@"
}

found() { # found KINDS PROGRAM ANSWER
    run 1 "$2 is found by $1" search "$1" "$2"
    has out "$2: whose call" '^  fault  .*guest-faults.*   at '
    has out "$2: its answer" "^  it     $3\$"
    run 0 "$2 passes all where it is right" search "$1" "$2" right
}

found short read-pipe 'gave (16|32|48) bytes of 64'
found short read-socket 'gave [0-9]+ bytes? of 16'
found short write-socket 'gave [0-9]+ bytes? of 4096'
found wakeup wait-raw 'returned, and nobody had woken it'
found wakeup wait-if 'returned, and nobody had woken it'
found eagain fork 'failed with EAGAIN'
found enomem map 'failed with ENOMEM'
found enomem heap 'failed with ENOMEM'
found enospc write-file 'failed with ENOSPC'
found eintr interrupted 'failed with EINTR'
run 0 "glibc's waits are found by none" search wakeup wait-glibc
first=$(cut -d ' ' -f 1 "$work/plain")
[ "$first" != ccc ] || wanted=1
run "${wanted:-0}" "the first entry" search readdir entries
run 1 "as JSON" "$REWIND" check --json --schedules 32 --root "$work/root" -- /bin/guest-faults wait-raw
json_lines "objects"
has out "the fault and its answer" '"fault" ?: ?"1:call futex wake".*"answer" ?: ?"returned, and nobody had woken it"'
run 0 "none if there are to be none" "$REWIND" check --faults none --schedules 24 --root "$work/root" -- \
    /bin/guest-faults wait-raw
! grep -q 'fault ' "$work/out"
ok $? "no schedule has one"
try read-socket >"$work/out" 2>"$work/err"
run 1 "of a recorded run" "$REWIND" check --run "$(id)" --strategy faults --schedules 8
has out "from the job's start" '^  it     gave '

# ---- What is none ----

for text in "" "1:call read" "1:call read short" "1:call read short 0" "1:call read+1 short 1" "1:return read short 1" \
    "1:call readv short 1" "1:call read wake" "1:call read error" "1:call read error 134" "1:call read error eintr" \
    "1:call exit_group error EIO" "1:call read reversed" "0:call read short 1" "1:call read short 1 from 9 before 9"; do
    run 2 "refused: $text" try map --fault "$text"
    one_line "one line"
done
set --
n=0
while [ $n -lt 17 ]; do
    set -- "$@" --fault "1:call read#$((n + 1)) short 1"
    n=$((n + 1))
done
run 2 "too many" try map "$@"
one_line "one line"
for kinds in "" "Short" "short," "none,short"; do
    run 2 "refused: --faults $kinds" search "$kinds" map
    one_line "one line"
done
finish
