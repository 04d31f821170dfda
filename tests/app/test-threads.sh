#!/bin/sh
# SPDX-License-Identifier: MIT
#
# A host that has no more threads: commands do without, or end with a line that says so.
. "$(dirname "$0")/lib.sh"
alone() { "${REFUSE:?}" threads "$REWIND" "$@"; }

root=$work/root
mkdir -p "$root/bin" "$root/tmp"
cp /bin/busybox "$root/bin/"
for applet in sh echo cat sleep; do
    ln -s busybox "$root/bin/$applet"
done
id=$("$MAKE_RUN" make bank)
run 0 "export" alone export bank -o "$work/bank.rwd"
run 0 "remove" alone remove bank
run 0 "import" alone import "$work/bank.rwd"
same "is the run" "$id" "$(cut -c 1-16 "$work/out")"
run 0 "gc" alone gc
run 1 "keyframes are written by a thread" alone run --root "$root" -- echo one
one_line "one line"
has err "says so" '^rewind: .*thread'
run 0 "without them there is a run" alone run --no-keyframes --root "$root" -- echo one
has out "as ever" '^one$'
run 0 "with the same id" "$REWIND" run --no-keyframes --root "$root" -- echo one
run 0 "which replays" alone replay @
has out "and is the same" '^identical: '
run 0 "check, on its own thread" alone check --no-keyframes --schedules 3 -j 4 --root "$root" -- sh -c 'echo one | cat'
mv "$work/out" "$work/alone"
run 0 "and with others" "$REWIND" check --no-keyframes --schedules 3 -j 4 --root "$root" -- sh -c 'echo one | cat'
grep -v ' s$\| seconds' "$work/out" >"$work/with"
grep -v ' s$\| seconds' "$work/alone" | cmp -s - "$work/with"
ok $? "has the same results"

# A signal has nobody who waits for it: it ends the program at once, and the store is as it was.
env --default-signal=INT "$REFUSE" threads "$REWIND" run --no-keyframes --root "$root" -- sh -c 'echo spin; while :; do :; done' >"$work/out" 2>"$work/err" &
pid=$!
until grep -q spin "$work/out" || ! kill -0 $pid 2>/dev/null; do sleep 0.1; done
kill -INT $pid
wait $pid
same "a signal ends it" 130 $?
run 0 "the store is as it was" "$REWIND" ls
finish
