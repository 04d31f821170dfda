#!/bin/sh
# SPDX-License-Identifier: MIT
#
# The example run that is shipped: both twins can be imported and read. DATA is its folder.
. "$(dirname "$0")/../app/lib.sh"

for twin in failing passing; do
    run 0 "the $twin run is imported" "$REWIND" import "$DATA/$twin.rwd"
    eval "$twin=$(cut -d ' ' -f 1 "$work/out")"
    [ "$(wc -c <"$DATA/$twin.rwd")" -lt 16384 ]
    ok $? "it is small"
done
has out "the second one's ending is said" "^$passing  exited:0 +[0-9]+ steps  bank"
run 0 "the failing one's log" "$REWIND" log "$failing"
has out "says what is wrong" 'MONEY IS MISSING'
run 0 "the passing one's log" "$REWIND" log "$passing"
has out "has nothing of it" '^balance 1655'
run 1 "they differ" "$REWIND" compare "$passing" "$failing"
has out "at a step that is known" '^the two are the same run until step [0-9]+: '
decides=$(sed -n 's/^the two are the same run until step \([0-9]*\):.*/\1/p' "$work/out")
for id in "$failing" "$passing"; do
    run 0 "bookmarks came along" "$REWIND" bookmark "$id"
    has out "one at the step that decides" "^ +$decides  [A-Z]"
done
run 0 "processes" "$REWIND" ps "$failing" "$decides"
has out "the bank's" '\./bank'
run 1 "it can't be executed" "$REWIND" replay "$failing"
one_line "and that is said"
grep -aq /tmp/tmp "$REWIND_HOME/runs/$failing/manifest.json"
same "nothing is told of where it was made" 1 $?
finish
