#!/bin/sh
# SPDX-License-Identifier: MIT
#
# A job that fails because it was held beyond its own time-out: said as such, and only where nothing else is found.
. "$(dirname "$0")/lib.sh"

run 0 "the program is packed" "$EXAMPLES/pack.sh" "$(dirname "$0")/late" -o "$work/late.tar"
check() { "$REWIND" check --root "$work/late.tar" "$@"; }

run 1 "a time-out alone" check --schedules 48 -- /src/late
has out "is said" '^nothing was found but lateness, which the job.s own time-outs may be for:$'
has out "who was late by how much" '^  .* was [0-9.]+ m?s late (before|after) .*; from [0-9.]+ ms on the run fails$'
from=$(sed -n 's/^  .*; from \([0-9]*\)[0-9.]* ms on the run fails$/\1/p' "$work/out")
[ "${from:-0}" -ge 45 ] && [ "$from" -le 51 ]
ok $? "from the time-out on"
[ "$(grep -c '^schedule .*: ' "$work/out")" -eq 49 ]
ok $? "after all others were tried"
failing=$(sed -n 's/^failing: run \([0-9a-f]*\),.*/\1/p' "$work/out")
run 0 "what is found replays" "$REWIND" replay "$failing"
run 0 "its ending" "$REWIND" show "$failing"
has out "is the time-out's" 'exited:3'

run 1 "with a race beside it" check --json --schedules 48 -- /src/late race
has out "the race is told" '"late":false,.*"holds":\[\{"hold":"[^"]* until '
failing=$(sed -n 's/.*"failing":"\([0-9a-f]*\)".*/\1/p' "$work/out" | tail -n 1)
run 0 "its ending" "$REWIND" show "$failing"
has out "is the race's" 'exited:4'
has out "which is no time" '--hold .* until 1'
run 1 "late first, then the race" check --strategy late,flip --schedules 48 -- /src/late race
! grep -q '^nothing was found but' "$work/out"
ok $? "is the same"
has out "its sides" '^  until  thread [23] of .*late   had passed '

run 1 "only late ones are tried" check --json --strategy late --schedules 32 -- /src/late
has out "an object" '"late":true,.*"late_ns":[0-9]+,"found_ns":[0-9]+'
finish
