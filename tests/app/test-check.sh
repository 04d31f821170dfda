#!/bin/sh
# SPDX-License-Identifier: MIT
#
# check on an example: what it prints, that its runs are kept and are the same elsewhere, and Ctrl+C.
. "$(dirname "$0")/lib.sh"

run 0 "the bank is packed" "$EXAMPLES/pack.sh" bank -o "$work/bank.tar"
check() { "$REWIND" check --root "$work/bank.tar" --cwd /src "$@" -- make check; }

run 1 "check finds it" check -j 2
has out "schedule 0 passes" '^schedule   0: exited:0 +[0-9]+ steps    run [0-9a-f]{16}$'
has out "another fails" '^schedule +[0-9]+: exited:2 +[0-9]+ steps    run [0-9a-f]{16}  [a-z]+'
has out "what it learned" '^learned: 4 tasks, [0-9]+ points, [0-9]+ kinds of meetings; turned round: [0-9]+$'
has out "narrows" '^schedule [0-9]+ ends differently; narrowing what it does$'
has out "the step" '^step [0-9]+ decides it: a hold there makes the run fail'
has out "who is held" '^  held +thread [23] of .*bank '
has out "until whom" '^  until +thread [23] of .*bank '
has out "the passing run" '^passing: run [0-9a-f]{16}, schedule 0$'
has out "the failing run" '^failing: run [0-9a-f]{16}, hold 1\.1\.[12]:.* until 1\.1\.[12]:'
has out "until when they are the same" '^the two are the same run until step [0-9]+$'
has out "whose events part" '^where \./bank first behaves differently:$'
has out "what both did" '^  both +[0-9]+ +[0-9]+/[0-9]+ +write\(1, '
has out "what one did" '^  failing +[0-9]+ +[0-9]+/[0-9]+ +write\(1, '
has out "and the other" '^  passing +[0-9]+ +[0-9]+/[0-9]+ +write\(1, '
same "a batch was tried" 0 $((($(grep -c '^schedule .*: ' "$work/out") - 1) % 16))
failing=$(sed -n 's/^failing: run \([0-9a-f]*\),.*/\1/p' "$work/out")
passing=$(sed -n 's/^passing: run \([0-9a-f]*\),.*/\1/p' "$work/out")
parts=$(sed -n 's/^the two are the same run until step //p' "$work/out")
grep -v '^rewind: ' "$work/out" >"$work/two"
run 1 "with one thread" check -j 1
cmp -s "$work/out" "$work/two"
ok $? "the same lines"
run 0 "the failing run replays" "$REWIND" replay "$failing"
has out "identical" '^identical: '
run 0 "its log" "$REWIND" log "$failing"
# The run that check made from a shared boot is the one that run makes from power-on.
again=$("$REWIND" show "$failing" | sed -n 's/^rewind \(.*\)  # .*/\1/p')
run 2 "the same run from power-on" eval "\"$REWIND\" $again"
has err "has the same id and is the same" "^rewind: run $failing exited:2 "
# Before the step that decides, both twins did exactly the same.
for twin in passing failing; do
    eval "id=\$$twin"
    "$REWIND" events --all --steps --to $((parts - 1)) "$id" >"$work/$twin"
done
cmp -s "$work/passing" "$work/failing"
ok $? "the twins are the same until then"
"$REWIND" events --all --steps --from "$parts" --to "$parts" "$failing" >"$work/failing"
"$REWIND" events --all --steps --from "$parts" --to "$parts" "$passing" >"$work/passing"
! cmp -s "$work/passing" "$work/failing"
ok $? "and not at that step"
run 1 "not narrowed" check --no-narrow
has out "the passing run" '^passing: run [0-9a-f]{16}, schedule 0$'
run 1 "all" check --all --schedules 20
has out "counts" '^[0-9]+ of 20 perturbed schedules ended differently$'
strategies=flip,together,pct,pos,surw
run 1 "other schedules" check --all --no-narrow --schedules 28 --strategy "$strategies" --search-seed 3 -j 2
has out "says which" ', with --search-seed 3$'
for strategy in flip together pct pos surw; do
    has out "$strategy" "  $strategy: hold "
done
cp "$work/out" "$work/two"
run 1 "with one thread" check --all --no-narrow --schedules 28 --strategy "$strategies" --search-seed 3 -j 1
cmp -s "$work/out" "$work/two"
ok $? "the same lines"
"$REWIND" check --json --schedules 4 --root "$work/bank.tar" -- true >"$work/out" 2>"$work/err"
same "alike exits with 0" 0 $?
json_lines "as objects"
"$REWIND" check --json --root "$work/bank.tar" --cwd /src -- make check >"$work/out" 2>"$work/err"
same "a failure as objects" 1 $?
has out "the step" '"deciding_step":[0-9]+'
has out "both sides" '"holds":\[\{"hold":"1\.1\.[^"]*","step":[0-9]+,"held":\{.*"until":\{'
has out "the lines" '"lines":\[\{"run":"both"'
# Where schedule 0 fails one that passes is looked for, and the words turn round.
"$REWIND" check --root "$work/bank.tar" --cwd /src -- sh -c '! make check' >"$work/out" 2>"$work/err"
same "schedule 0 fails" 1 $?
has out "one passes" '^schedule [0-9]+ passes, as schedule 0 does not; narrowing'
has out "the step makes it pass" '^step [0-9]+ decides it: a .* makes the run pass'
# On a terminal it says how long it may take, once it knows.
script -qec "'$REWIND' check --no-narrow --schedules 120 --root '$work/bank.tar' -- \
    sh -c 'i=0; while [ \$i -lt 20000 ]; do i=\$((i + 1)); done'" /dev/null </dev/null | tr '\r' '\n' >"$work/out"
has out "progress on a terminal" '^rewind: [0-9]+ of 121 schedules, 0 differ'
has out "with what is left" '^rewind: [0-9]+ of 121 schedules, 0 differ, at most [0-9]+:[0-9][0-9] left'
run 127 "a command that is not there" "$REWIND" check --root "$work/bank.tar" -- frobnicate
one_line "one line"

# ---- Endings are more than pass and fail ----

fails_check() { # fails_check SCRIPT OPTION...
    script=$1
    shift
    "$REWIND" check --root "$work/bank.tar" --cwd /src "$@" -- sh -c "$script"
}

run 3 "what fails alike is no success" fails_check 'exit 7' --schedules 4
has out "says so" '^all 5 schedules fail alike: exited:7$'
run 3 "quietly" fails_check 'exit 7' --schedules 4 -q
same "in one line more than the counts" 'all 5 schedules fail alike: exited:7' "$(tail -n 1 "$work/out")"
same "and none a schedule" 3 "$(wc -l <"$work/out")"
run 3 "as objects" fails_check 'exit 7' --schedules 4 --json
has out "too" '"failing_schedules":5,"fails_alike":true,"groups":\[\{"ending":"exited:7","count":5,"fails":true,'
run 3 "by a signal" fails_check 'kill -SEGV $$' --schedules 2
has out "says so" '^all 3 schedules fail alike: killed:SIGSEGV$'
run 3 "a stall" fails_check 'sleep infinity' --schedules 2
has out "says so" '^all 3 schedules fail alike: stalled$'
run 3 "a stall of several" fails_check 'sleep infinity | cat' --schedules 2
has out "says who waits for what" '^ +[0-9]+/[0-9]+ +cat waits in read\(0\) pipe:\[[0-9]+\], pipe_read$'
run 0 "what fails, if that is no failure" fails_check 'exit 7' --schedules 4 --fails exit=8
has out "says that it is alike" '^same result under all 5 schedules$'
run 3 "what passes, if that is a failure" fails_check 'echo ready' --schedules 4 --fails 'output~ready'
has out "says so" '^all 5 schedules fail alike: exited:0$'

# All fail, in two ways: exited:1 where the bank is right.
two_ways='make check && exit 1; exit 16'
run 1 "no schedule passes" fails_check "$two_ways" --schedules 16
has out "counts one" '^ +[0-9]+ exited:1(, as schedule 0)?$'
has out "and the other" '^ +[0-9]+ exited:16(, as schedule 0)?$'
has out "narrows" '^schedule [0-9]+ ends differently: exited:(1|16); narrowing what it does$'
has out "the step" '^step [0-9]+ decides it: a .* makes the run end as exited:(1|16)'
has out "the one run" '^other:   run [0-9a-f]{16} exited:1, '
has out "the other" '^failing: run [0-9a-f]{16} exited:16, '
# A user's word on it: then one passes.
run 1 "said what fails" fails_check "$two_ways" --schedules 16 --fails exit=16
has out "one passes" '^passing: run [0-9a-f]{16}, schedule '
has out "and the step makes it fail" '^step [0-9]+ decides it: a .* makes the run (fail|pass)'
grep '^step .* decides' "$work/out" >"$work/by-status"
# What is written tells the same, and is followed through narrowing.
run 1 "by what it writes" fails_check "$two_ways" --schedules 16 --fails 'output~"MONEY IS MISSING"'
grep '^step .* decides' "$work/out" >"$work/by-output"
cmp -s "$work/by-status" "$work/by-output"
ok $? "the same step decides"
# A stall is more alarming than a status, though rarer.
run 1 "a stall among failures" fails_check 'make check && exit 1; sleep infinity' --schedules 16
has out "is what is narrowed" '^(schedule [0-9]+ ends differently: stalled|failing: run [0-9a-f]{16} stalled)'
run 2 "a fact that is none" fails_check true --fails exits
one_line "one line"
has err "that says what there is" '^rewind: --fails exits: exit, signal, stalled, timed-out, panic or output is expected at "exits"$'

# ---- Before its window a run is the unperturbed one ----

# A job of many steps, on a kernel that has timers, forks and pipes to disturb.
busy='for i in 1 2 3 4 5 6 7 8; do (echo $i; sleep 0.01; echo $i | cat) & done; wait; make check'
window() { "$REWIND" run -q --root "$work/bank.tar" --cwd /src "$@" -- sh -c "$busy"; }
run 0 "a run" window
"$REWIND" events --all --steps @ >"$work/plain"
steps=$(tail -n 1 "$work/plain" | awk '{ print $1 }')
for schedule in 1 2 3 4 5 6; do
    from=$((steps * schedule / 8))
    window --schedule $schedule --schedule-from $from >/dev/null 2>&1
    "$REWIND" events --all --steps --to $((from - 1)) @ >"$work/one"
    awk -v from=$from '$1 + 0 < from' "$work/plain" >"$work/prefix"
    cmp -s "$work/one" "$work/prefix"
    ok $? "schedule $schedule from step $from does nothing before"
    "$REWIND" events --all --steps @ | cmp -s - "$work/plain" && same=1 || same=0
    same "and something after" 0 $same
done

# ---- Seeds ----

run 1 "a seed decides" "$REWIND" check --seeds 16 --root "$work/bank.tar" -- sh -c 'read -r -n 9 id </proc/sys/kernel/random/uuid; case $id in [0-7]*) exit 0 ;; esac; exit 7'
has out "says which" '^seed [0-9]+ decides it: schedule 0 (passes|ends differently) with it$'
has out "and with each line" '^schedule   0 seed 15: exited:[07] '
run 1 "a schedule decides with another seed" check --all --seeds 3 --seed 5 --schedules 8
has out "counts both" '^[0-9]+ of 10 other schedules and seeds ended differently$'
has out "narrows" '^step [0-9]+ decides it: '
cp "$work/out" "$work/two"
run 1 "with one thread" check --all --seeds 3 --seed 5 --schedules 8 -j 1
cmp -s "$work/out" "$work/two"
ok $? "the same lines"

run 1 "with the largest there are" check --all --seed 18446744073709551615 --schedules 8 --json
python3 - "$work/out" <<'END'
import json, sys
seeds = [json.loads(line).get("seed") for line in open(sys.argv[1])]
sys.exit(0 if seeds and all(int(seed) == 2**64 - 1 for seed in seeds) else f"# {seeds}")
END
ok $? "each object says it as it is"
id=$(sed -n 's/.*"failing":"\([0-9a-f]*\)".*/\1/p' "$work/out" | tail -n 1)
run 0 "shown" "$REWIND" show "$id"
seed=$(sed -n 's/.*--seed \([0-9]*\).*/\1/p' "$work/out" | head -n 1)
same "as an option takes it" 18446744073709551615 "$seed"

# ---- Strategies ----

run 0 "only preemptions, few" check --strategy preempt --schedules 2
run 1 "and disturbances at random" check --strategy mixed
has out "whom it strikes, in what" '^  it strikes [0-9]+/[0-9]+ \./bank in '
has out "and who runs instead" '^  then [0-9]+/[0-9]+ .* runs, and not [0-9]+/[0-9]+ \./bank$'
has out "the window" '^perturbing only steps [0-9]+\.\.[0-9]+ still ends differently$'
run 2 "one that is none" check --strategy flip,nosuch
one_line "one line"
run 1 "only preemptions" check --strategy preempt
has out "say so" '^step [0-9]+ decides it: a preemption [0-9]+ instructions? after it makes the run fail; one instruction less does not$'
has out "the schedule" ', schedule [0-9]+ \(preempt\) over steps [0-9]+\.\.[0-9]+, of the last only preempt=[0-9]+$'
failing=$(sed -n 's/^failing: run \([0-9a-f]*\),.*/\1/p' "$work/out")
passing=$(sed -n 's/^passing: run \([0-9a-f]*\),.*/\1/p' "$work/out")
first() { awk -v run="$1" '$1 == run { $1 = ""; print; exit }' "$work/out"; }
first_failing=$(first failing) first_passing=$(first passing)
again=$("$REWIND" show "$failing" | sed -n 's/^rewind \(.*\)  # .*/\1/p')
run 2 "the same run from power-on" eval "\"$REWIND\" $again"
has err "has the same id and is the same" "^rewind: run $failing exited:2 "

# ---- compare ----

run 1 "the twins" "$REWIND" compare "$passing" "$failing"
has out "until when they are the same" '^the two are the same run until step [0-9]+: there left has nothing and right a preemption [0-9]+ instructions? after it$'
has out "left" '^  left +[0-9]+ +[0-9]+/[0-9]+ +'
has out "right" '^  right +[0-9]+ +[0-9]+/[0-9]+ +'
same "left as check said" "$first_passing" "$(first left)"
same "right as check said" "$first_failing" "$(first right)"
run 1 "as an object" "$REWIND" compare --json "$passing" "$failing"
json_lines "of JSON"
run 0 "a run with itself" "$REWIND" diff "$passing" "$passing"
has out "is the same" '^same: [0-9]+ events$'
run 0 "a file" "$REWIND" compare --file /src/Makefile "$passing" "$failing"
has out "is the same" '^/src/Makefile: same, [0-9]+ bytes$'
run 3 "a file that neither has" "$REWIND" compare --file /none "$passing" "$failing"
run 0 "another run" "$REWIND" run -q --root "$work/bank.tar" -- sh -c 'echo one >/tmp/f'
run 0 "and another" "$REWIND" run -q --root "$work/bank.tar" -- sh -c 'echo on2 >/tmp/f'
run 1 "their files" "$REWIND" compare --file /tmp/f @ @2
has out "differ" '^/tmp/f: differs from byte 2 on, line 1; left has 4 bytes, right 4$'
run 1 "their events" "$REWIND" compare @ @2
has out "and more than schedules" '^they differ in more than their schedules$'

# ---- What is kept ----

count() { ls "$REWIND_HOME/runs" | grep -c .; }
export REWIND_HOME=$work/kept
run 1 "one run of each ending" check --all --no-narrow --schedules 20
endings=$(sed -n 's/^schedule .*: \(exited:[0-9]*\) .*/\1/p' "$work/out" | sort -u | grep -c .)
same "is kept" "$endings" "$(count)"
same "and printed" "$endings" "$(grep -c '^schedule .* run [0-9a-f]*' "$work/out")"
has out "the others are counted" "^$((21 - endings)) runs are not kept: what a line says makes its run again, "
line=$(sed -n '/ run /d; s/^schedule .*: \([^ ]*\) *\([0-9]*\) steps .*: hold \([^;]*\)$/\1 \2 \3/p' "$work/out" | head -n 1)
hold=${line#* }
"$REWIND" run -q --root "$work/bank.tar" --cwd /src --hold "${hold#* }" -- make check >"$work/out" 2>"$work/err"
has err "and made again as it was" "^rewind: run [0-9a-f]* ${line%% *} after ${hold%% *} steps"
export REWIND_HOME=$work/differ
run 1 "each that differs" check --all --no-narrow --schedules 20 --keep different
same "is kept if asked" $(($(grep -c '^schedule .*: exited:2 ' "$work/out") + 1)) "$(count)"
export REWIND_HOME=$work/each
run 1 "or each" check --all --no-narrow --schedules 20 --keep all --json
same "is kept" 21 "$(count)"
same "as the objects say" 21 "$(grep -c '"kept":true' "$work/out")"
run 2 "or what is no choice" check --keep some

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
has err "says what is kept" '^rewind: interrupted: [0-9]+ runs were finished; kept: [0-9]+$'
kept=$(sed -n 's/.*; kept: \([0-9]*\)$/\1/p' "$work/err")
same "and it is so" "$kept" "$("$REWIND" ls | grep -c exited:)"
same "and nothing else" "$kept" "$(ls "$REWIND_HOME/runs" | grep -c .)"
finish
