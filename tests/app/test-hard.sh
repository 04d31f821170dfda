#!/bin/sh
# SPDX-License-Identifier: MIT
#
# check when it goes wrong: schedules that hang, outputs that differ, kill -9, a full disk.
. "$(dirname "$0")/lib.sh"

run 0 "the bank is packed" "$EXAMPLES/pack.sh" bank -o "$work/bank.tar"
run 0 "philosophers are packed" "$EXAMPLES/pack.sh" philosophers -o "$work/philosophers.tar"

# ---- Endings of all kinds ----

run 1 "a deadlock" "$REWIND" check --root "$work/philosophers.tar" --cwd /src -- ./philosophers
has out "is a stalled run" '^schedule +[0-9]+: stalled '
has out "with where it was" '^ +no process of the job ran|^ +every task waits'
has out "and a step that decides it" '^step [0-9]+ decides it: '
run 3 "a run that spins" "$REWIND" check --schedules 1 --timeout 5 --root "$work/bank.tar" -- sh -c 'while :; do :; done'
has out "is timed out" '^schedule   0: timed-out '
has out "with where it was" '^ +(computing|still stepping) at 0x[0-9a-f]+ in '
run 1 "an output that differs" "$REWIND" check --output /tmp/ledger --root "$work/bank.tar" --cwd /src -- sh -c 'make check >/tmp/ledger; true'
has out "has its hash in the line" '^schedule   0: exited:0 +[0-9]+ steps  [0-9a-f]{12}    run [0-9a-f]{16}$'
has out "and a step that decides it" '^step [0-9]+ decides it: '
run 0 "no output" "$REWIND" check --schedules 16 --root "$work/bank.tar" --cwd /src -- sh -c 'make check >/tmp/ledger; true'
has out "is all alike" '^same result under all 17 schedules$'

# ---- kill -9 at any instant ----

export REWIND_HOME=$work/killed
lost=0 ended=0
for n in 1 2 3 4 5 6 7 8 9 10 11 12; do
    "$REWIND" check --all --keep all --root "$work/bank.tar" --cwd /src -- make check >"$work/lines" 2>/dev/null &
    pid=$!
    sleep "$(awk "BEGIN { print 0.2 + $n * $n * 0.02 }")"
    kill -9 $pid 2>/dev/null || ended=$((ended + 1))
    wait $pid 2>/dev/null
    for id in $(sed -n 's/^schedule .* run \([0-9a-f]*\).*/\1/p' "$work/lines"); do
        "$REWIND" events "$id" >/dev/null 2>&1 || lost=$((lost + 1))
    done
done
same "no run that was reported is lost" 0 $lost
[ $ended -lt 12 ]
ok $? "some were killed in the middle"
run 0 "ls" "$REWIND" ls
run 1 "the next check" "$REWIND" check --root "$work/bank.tar" --cwd /src -- make check
has out "narrows" '^step [0-9]+ decides it: '
failing=$(sed -n 's/^failing: run \([0-9a-f]*\),.*/\1/p' "$work/out")
run 0 "its run replays from a step" "$REWIND" replay "$failing" --from 20
run 0 "a file is read" "$REWIND" cat "$failing" 20 /src/Makefile
same "no part is left of what was recorded again" 0 "$(find "$REWIND_HOME/runs" -name "$failing.part-*" | wc -l)"

# ---- A full disk ----

if [ "$(id -u)" = 0 ] && mkdir "$work/small" && mount -t tmpfs -o size=48m tmpfs "$work/small" 2>/dev/null; then
    trap 'umount "$work/small"; rm -rf "$work"' EXIT
    export REWIND_HOME=$work/small
    run 0 "a run fits" "$REWIND" run -q --no-keyframes --root "$work/bank.tar" --cwd /src -- make check
    kept=$("$REWIND" ls | cut -c 1-16)
    head -c 100000000 /dev/zero >"$work/small/filler" 2>/dev/null
    run 1 "check on a full disk" "$REWIND" check --root "$work/bank.tar" --cwd /src -- sh -c 'make check; true'
    one_line "one line"
    has err "says so" 'No space left|no space'
    same "nothing of it is left" "$kept" "$("$REWIND" ls | cut -c 1-16)"
    same "not even a part" 1 "$(find "$work/small/runs" -mindepth 1 -maxdepth 1 -type d | wc -l)"
    rm "$work/small/filler"
    run 0 "what was there replays" "$REWIND" replay "$kept"
else
    echo "ok $((tests += 1)) - a full disk # SKIP mounting a small file system needs root"
fi
finish
