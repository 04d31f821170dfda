#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Holds: a task waits at a place for another's; what such runs are, replayed, forked, shared and refused.
. "$(dirname "$0")/lib.sh"

run 0 "the bank is packed" "$EXAMPLES/pack.sh" bank -o "$work/bank.tar"
bank() { "$REWIND" run -q --root "$work/bank.tar" --cwd /src "$@" -- make check; }
id() { sed -n 's/^rewind: run \([0-9a-f]*\) .*/\1/p' "$work/err"; }
steps() { "$REWIND" events --all --steps "$1"; }
# The step of a line of events --steps that matches.
step_of() { steps "$1" | sed -n "/$2/{s/^ *\([0-9]*\).*/\1/p;q;}"; }

run 0 "the plain run" bank
plain=$(id)
run 0 "threads the other way round" bank --hold "1.1.2:start until idle"
turned=$(id)
same "first Anna, then Bert" "Anna books 40: 40" "$("$REWIND" log "$turned" | sed -n 2p)"
same "and not so in the plain one" "Bert books 20: 20" "$("$REWIND" log "$plain" | sed -n 2p)"
run 0 "events" steps "$turned"
has out "it begins" '^ +[0-9]+ +hold at instruction [0-9]+, time [0-9]+, hold 1 begins$'
has out "and ends" '^ +[0-9]+ +release at instruction [0-9]+, time [0-9]+, hold 1 ends$'
run 0 "show" "$REWIND" show "$turned"
has out "says it" 'schedule +hold 1\.1\.2:start until idle for 10s$'
has out "as an option" "--hold '1\.1\.2:start until idle for 10s'"

# ---- The same run however it is reached ----

begins=$(step_of "$turned" "hold 1 begins")
run 0 "replayed from power-on" "$REWIND" replay "$turned"
run 0 "from before it" "$REWIND" replay "$turned" --from $((begins - 2))
run 0 "from where it begins" "$REWIND" replay "$turned" --from "$begins"
run 0 "from within" "$REWIND" replay "$turned" --from $((begins + 2))
run 0 "again" bank --hold "1.1.2:start until idle for 10s"
same "it is the same run" "$turned" "$(id)"
! grep -q 'NOT DETERMINISTIC' "$work/err"
ok $? "with the same events"
"$REWIND" events --all --steps --to $((begins - 1)) "$plain" >"$work/one"
"$REWIND" events --all --steps --to $((begins - 1)) "$turned" >"$work/two"
cmp -s "$work/one" "$work/two"
ok $? "before it begins it is the plain run"
run 1 "compared with it" "$REWIND" compare "$plain" "$turned"
has out "they part there" "^the two are the same run until step $begins: there left has nothing and right hold 1\$"

# ---- Until another has passed a place ----

run 0 "calls" bank --hold "1.1.2:call write#2 until 1.1.1:return write#1 then next"
calls=$(id)
same "Anna's first knows of a deposit that Bert has not told of" "Anna books 40: 150" "$("$REWIND" log "$calls" | sed -n 3p)"
run 0 "it replays" "$REWIND" replay "$calls"
run 0 "a task that ends" bank --hold "1.1.2:call write until 1.1.1:end for 5s then next"
same "all of Anna first" "balance" "$("$REWIND" log @ | sed -n '$s/ .*//p')"
run 0 "for a time" bank --hold "1.1.2:start until 20ms"
late=$(id)
from=$(steps "$late" | sed -n 's/.*time \([0-9]*\), hold 1 begins$/\1/p')
to=$(steps "$late" | sed -n 's/.*time \([0-9]*\), hold 1 ends$/\1/p')
same "so long, in quarters of a nanosecond" 80000000 $((to - from))
run 0 "a place that nobody comes to" bank --hold "1.1.2:call socket until idle"
"$REWIND" events --all "$plain" >"$work/one"
"$REWIND" events --all @ >"$work/two"
cmp -s "$work/one" "$work/two"
ok $? "changes nothing"
run 0 "two of them" bank --hold "1.1.1:start until idle" --hold "1.1.2:start until 1.1.1:end"
run 0 "they replay" "$REWIND" replay @

# ---- Forks ----

middle=$((begins + 20))
"$REWIND" fork "$plain" "$middle" -q --hold "1.1.1:call write until idle" >"$work/out" 2>"$work/err"
fork=$(id)
run 0 "a fork with a hold replays" "$REWIND" replay "$fork"
run 0 "from its step" "$REWIND" replay "$fork" --from "$middle"
again=$("$REWIND" show "$fork" | sed -n '1s/^rewind \(.*\)  # .*/\1/p')
eval "\"$REWIND\" $again" >/dev/null 2>"$work/err"
same "from power-on it is the same run" "$fork" "$(id)"
! grep -q 'NOT DETERMINISTIC' "$work/err"
ok $? "with the same events"
"$REWIND" fork "$turned" $((begins + 3)) -q --hold "1.1.1:call write#2 until 1.1.2:end" >"$work/out" 2>"$work/err"
second=$(id)
run 0 "a fork while one is held" "$REWIND" replay "$second"
"$REWIND" fork "$second" $((begins + 6)) -q --hold "1.1.2:call write until idle" --seed 3 >"$work/out" 2>"$work/err"
third=$(id)
run 0 "a fork of a fork" "$REWIND" replay "$third"
again=$("$REWIND" show "$third" | sed -n '1s/^rewind \(.*\)  # .*/\1/p')
eval "\"$REWIND\" $again" >/dev/null 2>"$work/err"
same "from power-on it is the same run" "$third" "$(id)"

# From a keyframe in the middle of a run that knows of no holds: who is who is known all the same.
run 0 "a long run" "$REWIND" run -q --name long --root "$work/bank.tar" --cwd /src -- \
    sh -c 'i=0; while [ $i -lt 60000 ]; do i=$((i + 1)); done; make check'
[ "$(stat -c %s "$REWIND_HOME/runs/$(id)/keyframes")" -gt "$(stat -c %s "$REWIND_HOME/runs/$plain/keyframes")" ]
ok $? "has more keyframes than a short one"
late=$("$REWIND" events long --kind exec | tail -n 1 | awk '{ print $1 }')
"$REWIND" fork long "$late" -q --hold "1.1.2:start until idle" >"$work/out" 2>"$work/err"
has err "a fork of it is another run" '^rewind: the fork first differs from its parent at step [0-9]+$'
fork=$(id)
run 0 "it replays from power-on" "$REWIND" replay "$fork"
run 0 "and from its step" "$REWIND" replay "$fork" --from "$late"
run 1 "its schedules are searched from there" "$REWIND" check --run long --schedule-from "$late" --schedules 16
has out "and tasks are held" '^  held +thread [23] of '
failing=$(sed -n 's/^failing: run \([0-9a-f]*\),.*/\1/p' "$work/out")
run 0 "what is found replays from power-on" "$REWIND" replay "$failing"

# ---- Elsewhere ----

run 0 "exported" "$REWIND" export "$third" --replayable -o "$work/third.rwd"
run 0 "imported" env REWIND_HOME="$work/elsewhere" "$REWIND" import "$work/third.rwd"
run 0 "replayed there" env REWIND_HOME="$work/elsewhere" "$REWIND" replay "$third"
run 0 "looked into while one is held" "$REWIND" ps "$turned" $((begins + 1))
has out "they are there" '^ +[0-9]+ +\./bank$'

# ---- What is none ----

for text in "" "1.1" "1.1:start" "1.1:start until" "1.1:start until never" "1.1:start until 0ms" "1.1:at 12 until idle" \
    "0.1:start until idle" "1.1:call nosuchcall until idle" "1.1:end until idle" "1.1:start until idle for 2h" \
    "1.1:start until idle from 9 before 9" "1.1:start#2 until idle" "1.1:start until idle " \
    "1.1.1.1.1.1.1.1.1.1.1.1.1:start until idle" "1.70000:start until idle" "1.1:call write#0 until idle"; do
    run 2 "refused: $text" bank --hold "$text"
    one_line "one line"
done
set --
n=0
while [ $n -lt 17 ]; do
    set -- "$@" --hold "1.1.1:call write#$((n + 1)) until idle"
    n=$((n + 1))
done
run 2 "too many" bank "$@"
one_line "one line"
finish
