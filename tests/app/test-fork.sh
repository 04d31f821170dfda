#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Forks of recorded runs, one at a time and many at once.
. "$(dirname "$0")/lib.sh"

run 0 "the bank is packed" "$EXAMPLES/pack.sh" bank -o "$work/bank.tar"
run 0 "a run" "$REWIND" run -q --root "$work/bank.tar" --cwd /src --name bank -- make check
parent=$(sed -n 's/^rewind: run \([0-9a-f]*\) .*/\1/p' "$work/err")
steps=$(sed -n 's/.* after \([0-9]*\) steps.*/\1/p' "$work/err")
middle=$((steps / 2))

# id NAME: the run that the last command recorded
id() { sed -n 's/^rewind: run \([0-9a-f]*\) .*/\1/p' "$work/err"; }
# The same command line as show prints, from power-on, is the same run.
from_power_on() {
    again=$("$REWIND" show "$1" | sed -n '1s/^rewind \(.*\)  # .*/\1/p')
    eval "\"$REWIND\" $again" >/dev/null 2>"$work/err"
    same "from power-on it is the same run" "$1" "$(id)"
    ! grep -q 'NOT DETERMINISTIC' "$work/err"
    ok $? "with the same events"
}

# ---- fork ----

"$REWIND" fork "$parent" "$middle" --schedule 4 -q >"$work/out" 2>"$work/err"
has err "says where it parts" '^rewind: the fork first differs from its parent at step [0-9]+$'
fork=$(id)
first=$(sed -n 's/.*parent at step //p' "$work/err")
[ "$first" -ge "$middle" ]
ok $? "not before its own step"
"$REWIND" events --all --steps --to $((middle - 1)) "$parent" >"$work/one"
"$REWIND" events --all --steps --to $((middle - 1)) "$fork" >"$work/two"
cmp -s "$work/one" "$work/two"
ok $? "it is its parent until then"
run 0 "it replays" "$REWIND" replay "$fork"
run 0 "from a step too" "$REWIND" replay "$fork" --from "$middle"
run 0 "and to one" "$REWIND" replay "$fork" --from "$middle" --to $((middle + 3))
has out "no further" "^identical: [0-9]+ events over [0-9]+ steps\$"
run 2 "backwards" "$REWIND" replay "$fork" --from 9 --to 8
one_line "one line"
run 0 "show" "$REWIND" show "$fork"
has out "tells of its parent" "$parent"
has out "and of its schedule" "schedule +schedule 4 from step $middle\$"
run 0 "ls" "$REWIND" ls
has out "tells too" "^$fork .*fork of $parent"
from_power_on "$fork"

"$REWIND" fork "$fork" $((middle + 2)) --schedule 9 --schedule-until $((middle + 6)) -q >"$work/out" 2>"$work/err"
second=$(id)
run 0 "a fork of a fork replays" "$REWIND" replay "$second"
run 0 "show" "$REWIND" show "$second"
has out "has both windows" "schedule 4 over steps $middle\.\.$((middle + 2)); schedule 9 over steps $((middle + 2))\.\.$((middle + 6))\$"
from_power_on "$second"

"$REWIND" fork "$parent" "$middle" --schedule 0 >"$work/out" 2>"$work/err"
has err "the parent itself" '^rewind: that is the run itself$'
"$REWIND" fork "$parent" $((steps - 3)) --schedule 3 -q --schedule-until $((steps - 3)) >"$work/out" 2>"$work/err"
has err "an empty window" '^rewind: that is the run itself$'
run 2 "nothing different" "$REWIND" fork "$parent" "$middle"
one_line "one line"
run 1 "past the end" "$REWIND" fork "$parent" $((steps + 1)) --schedule 1
one_line "one line"
run 2 "before the job" "$REWIND" fork "$parent" 1 --schedule 1
one_line "one line"
run 1 "no such run" "$REWIND" fork ffff "$middle" --schedule 1

# ---- Another seed from a step on ----

run 0 "random numbers" "$REWIND" run --root "$work/bank.tar" -- sh -c 'for i in 1 2 3 4 5 6; do cat /proc/sys/kernel/random/uuid; done'
cp "$work/out" "$work/one"
parent=$(id)
step=$("$REWIND" log --steps "$parent" | awk 'NR == 3 { print $1 }')
run 0 "fork with a seed" "$REWIND" fork "$parent" "$step" --seed 8 -q
seeded=$(id)
"$REWIND" log "$seeded" >"$work/two"
same "the first are the same" "$(head -n 3 "$work/one")" "$(head -n 3 "$work/two")"
[ "$(tail -n 1 "$work/one")" != "$(tail -n 1 "$work/two")" ]
ok $? "the last is not"
run 0 "it replays" "$REWIND" replay "$seeded"
from_power_on "$seeded"

# ---- check --run ----

run 1 "forks of a run" "$REWIND" check --run bank --schedule-from "$middle" --schedules 16 --all --keep all --no-narrow
has out "schedule 0 is the run" '^schedule   0: exited:0 +[0-9]+ steps    run [0-9a-f]{16}$'
has out "counts" '^[0-9]+ of 16 perturbed schedules ended differently$'
cp "$work/out" "$work/one"
run 1 "with one thread" "$REWIND" check --run bank --schedule-from "$middle" --schedules 16 --all --keep all --no-narrow -j 1
cmp -s "$work/out" "$work/one"
ok $? "the same lines"
forked=$(sed -n 's/^schedule   3: .* run \([0-9a-f]*\).*/\1/p' "$work/out")
run 0 "one of them replays" "$REWIND" replay "$forked"
run 1 "narrowed" "$REWIND" check --run bank
has out "the step" '^step [0-9]+ decides it: '
has out "the twins" '^the two are the same run until step [0-9]+$'
run 2 "with a root" "$REWIND" check --run bank --root /
one_line "one line"
run 2 "with a command" "$REWIND" check --run bank -- true
run 1 "past the end" "$REWIND" check --run bank --schedule-from 100000
run 2 "before the job" "$REWIND" check --run bank --schedule-from 1
finish
