#!/bin/sh
# SPDX-License-Identifier: MIT
#
# A hold in the middle of an instruction: others come between its read and its write, and then it is whatever the machine
# makes of it that two processors could make, too.
. "$(dirname "$0")/../app/lib.sh"

mkdir -p "$work/root/bin"
cp "$GUEST_SPLIT" "$work/root/bin/guest-split"
id() { sed -n 's/^rewind: run \([0-9a-f]*\) .*/\1/p' "$work/err"; }
address() { nm "$GUEST_SPLIT" | sed -n "s/^0*\([0-9a-f]*\) . split_$1\$/0x\1/p"; }
# Thread 1 is held in the middle until thread 2, which begins then, has ended.
split() {
    "$REWIND" run --root "$work/root" --hold "1.1:within $(address "$1") until 1.2:end" --hold "1.2:start until idle" \
        -- /bin/guest-split "$1"
}
# expect KIND NAME WHOLE SPLIT: what the plain run prints, and what one with the hold does; each replays.
expect() {
    run 0 "$1" "$REWIND" run --root "$work/root" -- /bin/guest-split "$1"
    same "alone: $2" "$1: $3" "$(cat "$work/out")"
    run 0 "$1, held" split "$1"
    held=$(id)
    same "held: $2" "$1: $4" "$(cat "$work/out")"
    run 0 "it replays" "$REWIND" replay "$held"
}

#                                                             number crossing child handled
expect plain "what the other one added is lost"               "11 0 0 0" "1 0 0 0"
begins=$("$REWIND" events --all --steps "$held" | sed -n '/hold 1 begins/{s/^ *\([0-9]*\).*/\1/p;q;}')
for step in $((begins - 1)) "$begins" $((begins + 1)) $((begins + 3)); do
    run 0 "it replays from step $step" "$REWIND" replay "$held" --from "$step"
done
run 0 "exported while it is held" "$REWIND" export "$held" --replayable -o "$work/held.rwd"
run 0 "imported" env REWIND_HOME="$work/elsewhere" "$REWIND" import "$work/held.rwd"
run 0 "replayed there" env REWIND_HOME="$work/elsewhere" "$REWIND" replay "$held" --from $((begins + 1))
"$REWIND" fork "$held" $((begins + 1)) -q --hold "1.2:return exit until idle" >"$work/out" 2>"$work/err"
fork=$(id)
run 0 "a fork in the middle replays" "$REWIND" replay "$fork"
same "with what was read before it" "plain: 1 0 0 0" "$("$REWIND" log "$fork")"
run 0 "show" "$REWIND" show "$held"
has out "says it" "hold 1\\.1:within $(address plain) until 1\\.2:end for 10s; hold 1\\.2:start"

expect locked "an instruction with LOCK is whole"             "11 0 0 0" "11 0 0 0"
expect exchange "so is XCHG without it"                        "17 0 0 0" "17 0 0 0"
expect byte "of one byte"                                     "11 0 0 0" "1 0 0 0"
expect wide "across two pages"                                "0 8589934593 0 0" "0 1 0 0"
expect own "of a thread's own memory nothing is lost"         "10 0 0 0" "10 0 0 0"
expect forked "memory that a fork has is each one's own"      "11 0 10 0" "1 0 10 0"
expect signalled "a signal comes before it or after it"       "111 0 0 1" "111 0 0 1"
# A write that is seen late. Thread 1 is held behind its look at b, so many instructions behind its write.
unseen() {
    "$REWIND" run --root "$work/root" --hold "1.1:unseen $(address "$1")+$2 until 1.2:end" --hold "1.2:start until idle" \
        -- /bin/guest-split "$1"
}
expect_unseen() { # KIND COUNT NAME WHAT
    run 0 "$1, held" unseen "$1" "$2"
    held=$(id)
    same "$3" "$1: a is $4" "$(cat "$work/out")"
    run 0 "it replays" "$REWIND" replay "$held"
    begins=$("$REWIND" events --all --steps "$held" | sed -n '/hold 1 begins/{s/^ *\([0-9]*\).*/\1/p;q;}')
    run 0 "and while it is held" "$REWIND" replay "$held" --from $((begins + 1))
}
expect_unseen unseen 2 "neither sees the other's write" "1; thread 1 saw b 0, thread 2 saw a 0, a child 0"
expect_unseen fenced 2 "unless a fence lies between" "1; thread 1 saw b 0, thread 2 saw a 1, a child 0"
expect_unseen unseen 3 "or another write" "1; thread 1 saw b 0, thread 2 saw a 1, a child 0"
expect_unseen looked 2 "a new process has what was written before it" "1; thread 1 saw b 0, thread 2 saw a 0, a child 1"
expect_unseen overtaken 2 "what is seen late comes late" "1; thread 1 saw b 0, thread 2 saw a 0, a child 0"

run 139 "its memory goes meanwhile" split lost
held=$(id)
run 0 "it replays" "$REWIND" replay "$held"

for text in "1.1:within 0x401000+1 until idle" "1.1:start until 1.2:within 0x401000" "1.1:within 12 until idle" "1.1:unseen 0x401000 until idle" \
    "1.1:start until 1.2:unseen 0x401000+1"; do
    run 2 "refused: $text" "$REWIND" run --root "$work/root" --hold "$text" -- /bin/guest-split plain
done
finish
