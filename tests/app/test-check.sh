#!/bin/sh
# SPDX-License-Identifier: MIT
#
# check on the five examples: each fails under some schedule, none of the fixed ones does.
. "$(dirname "$0")/lib.sh"

run 0 "the bank is packed" "$EXAMPLES/pack.sh" bank -o "$work/bank.tar"
check() { "$REWIND" check --root "$work/bank.tar" --cwd /src "$@" -- make check; }

run 1 "check finds it" check -j 2
has out "schedule 0 passes" '^schedule   0: exited:0 +[0-9]+ steps    run [0-9a-f]{16}$'
has out "another fails" '^schedule +[0-9]+: exited:2 +[0-9]+ steps    run [0-9a-f]{16}$'
has out "the passing run" '^passing: run [0-9a-f]{16}, schedule 0$'
has out "the failing run" '^failing: run [0-9a-f]{16}, schedule [0-9]+$'
same "a batch was tried" 0 $((($(grep -c '^schedule .*: ' "$work/out") - 1) % 16))
failing=$(sed -n 's/^failing: run \([0-9a-f]*\),.*/\1/p' "$work/out")
grep -v '^rewind: ' "$work/out" >"$work/two"
run 1 "with one thread" check -j 1
cmp -s "$work/out" "$work/two"
ok $? "the same lines"
run 0 "the failing run replays" "$REWIND" replay "$failing"
has out "identical" '^identical: '
run 0 "its log" "$REWIND" log "$failing"
# The run that check made from a shared boot is the one that run makes from power-on.
schedule=$(sed -n 's/^failing: .*schedule //p' "$work/two")
run 2 "the same run from power-on" "$REWIND" run -q --root "$work/bank.tar" --cwd /src --schedule "$schedule" -- make check
has err "has the same id and is the same" "^rewind: run $failing exited:2 "
run 1 "all" check --all --schedules 20
has out "counts" '^[0-9]+ of 20 perturbed schedules ended differently$'
"$REWIND" check --json --schedules 4 --root "$work/bank.tar" -- true >"$work/out" 2>"$work/err"
same "alike exits with 0" 0 $?
json_lines "as objects"
run 1 "a command that is not there" "$REWIND" check --root "$work/bank.tar" -- frobnicate
one_line "one line"

# ---- Ctrl+C keeps what is finished ----

export REWIND_HOME=$work/home2
env --default-signal=INT "$REWIND" check --all --schedules 1000 --root "$work/bank.tar" --cwd /src -- make check >"$work/out" 2>"$work/err" &
pid=$!
n=0
while [ "$(grep -c '^schedule' "$work/out")" -lt 5 ] && [ $n -lt 600 ]; do
    sleep 0.1
    n=$((n + 1))
done
kill -INT $pid
wait $pid
same "interrupted" 130 $?
has err "says what is kept" '^rewind: interrupted: the [0-9]+ runs that were finished are kept$'
kept=$(sed -n 's/.* the \([0-9]*\) runs.*/\1/p' "$work/err")
same "and it is so" "$kept" "$("$REWIND" ls | grep -c exited:)"
same "and nothing else" "$kept" "$(ls "$REWIND_HOME/runs" | grep -c .)"

# ---- All examples ----

for example in ${EXAMPLE_NAMES:-bank philosophers waiter config-reload pool}; do
    export REWIND_HOME=$work/home-$example
    run 0 "$example is packed" "$EXAMPLES/pack.sh" "$example" -o "$work/$example.tar"
    run 1 "$example fails under some schedule" "$REWIND" check --root "$work/$example.tar" --cwd /src -- make check
    has out "$example passes without" '^schedule   0: exited:0 '
    run 0 "$example is packed with its fix" "$EXAMPLES/pack.sh" "$example" --fixed -o "$work/$example.tar"
    run 0 "$example fixed never fails" "$REWIND" check -q --root "$work/$example.tar" --cwd /src -- make check
    has out "under 65 schedules" '^same result under all 65 schedules$'
    rm -rf "$REWIND_HOME" "$work/$example.tar"
done
finish
