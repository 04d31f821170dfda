#!/bin/sh
# SPDX-License-Identifier: MIT
#
# import and gc when they are killed, interrupted, or the disk is full.
. "$(dirname "$0")/lib.sh"

root=$work/root
mkdir -p "$root/bin"
cp /bin/busybox "$root/bin/"
for applet in sh echo seq; do
    ln -s busybox "$root/bin/$applet"
done
head -c 20000000 /dev/urandom >"$root/large"
run 0 "a run" "$REWIND" run -q --name job --root "$root" -- sh -c 'seq 1 20000 | while read n; do echo $n; done >/log; echo done'
run 0 "as a file" "$REWIND" export job --replayable -o "$work/job.rwd"
id=$("$REWIND" ls | cut -c 1-16)
run 0 "another one" "$REWIND" run -q --root "$root" -- sh -c 'echo other; seq 1 1000 >/log'
other=$("$REWIND" ls | head -n 1 | cut -c 1-16)
kept=$REWIND_HOME
dead() { find "$REWIND_HOME" -name '*.part*' -o -name '.gone-*' -o -name 'tmp-*'; }

# A child that is killed after so many thousandths of a second; 1 when it was.
kill_after() { # kill_after MS COMMAND...
    ms=$1
    shift
    "$@" >/dev/null 2>&1 &
    pid=$!
    sleep "$(awk "BEGIN { print $ms / 1000 }")"
    if kill -9 $pid 2>/dev/null; then
        wait $pid 2>/dev/null
        return 1
    fi
    wait $pid 2>/dev/null
    return 0
}
# How long the command takes, in ms.
time_of() {
    start=$(date +%s%N)
    "$@" >/dev/null 2>&1
    echo $((($(date +%s%N) - start) / 1000000))
}

# ---- kill -9 during import ----

export REWIND_HOME=$work/other
"$REWIND" ls
whole=$(time_of "$REWIND" import "$work/job.rwd")
"$REWIND" remove job >/dev/null && "$REWIND" gc >/dev/null
killed=0 broken=0
n=0
while [ $n -lt 20 ]; do
    n=$((n + 1))
    kill_after $((whole * n / 21)) "$REWIND" import "$work/job.rwd" || killed=$((killed + 1))
    # There is no run, or a whole one.
    for seen in $("$REWIND" ls | grep -v interrupted | cut -c 1-16); do
        "$REWIND" events "$seen" >/dev/null 2>&1 || broken=$((broken + 1))
    done
    "$REWIND" ls >/dev/null 2>&1 || broken=$((broken + 1))
    [ $((n % 4)) -ne 0 ] || "$REWIND" gc >/dev/null 2>&1 || broken=$((broken + 1))
    "$REWIND" remove job >/dev/null 2>&1
done
echo "# $killed of $n imports were killed in $whole ms"
[ $killed -gt 5 ]
ok $? "imports were killed"
same "nothing is broken" 0 $broken
run 0 "the next import" "$REWIND" import "$work/job.rwd"
run 0 "its run" "$REWIND" replay job
has out "is identical" '^identical: '
run 0 "from a keyframe" "$REWIND" replay job --from 20
run 0 "gc" "$REWIND" gc
same "nothing dead is left" '' "$(dead)"

# ---- Several at once ----

export REWIND_HOME=$work/at-once
"$REWIND" ls
pids=
for n in 1 2 3 4; do
    "$REWIND" import "$work/job.rwd" >/dev/null 2>&1 &
    pids="$pids $!"
done
failed=0
for pid in $pids; do
    wait $pid || failed=$((failed + 1))
done
same "four imports at once succeed" 0 $failed
same "and are one run" "$id" "$("$REWIND" ls | cut -c 1-16)"
same "with nothing beside it" '' "$(dead)"

# ---- kill -9 during gc ----

killed=0 broken=0 n=0
cp -a "$kept" "$work/template"
export REWIND_HOME=$work/template
"$REWIND" remove "$other" >/dev/null
whole=$(cp -a "$work/template" "$work/timed" && REWIND_HOME=$work/timed && time_of "$REWIND" gc)
rm -rf "$work/timed"
while [ $n -lt 15 ]; do
    n=$((n + 1))
    export REWIND_HOME=$work/gc-$n
    cp -a "$work/template" "$REWIND_HOME"
    kill_after $((whole * n / 24)) "$REWIND" gc || killed=$((killed + 1))
    "$REWIND" gc >/dev/null 2>&1 || broken=$((broken + 1))
    [ -z "$(dead)" ] || broken=$((broken + 1))
    [ $((n % 5)) -ne 0 ] || "$REWIND" replay "$id" --from 20 >/dev/null 2>"$work/err" || broken=$((broken + 1))
    [ ! -s "$work/err" ] || cat "$work/err"
    "$REWIND" export "$id" --replayable -o "$work/after.rwd" --force >/dev/null 2>&1 || broken=$((broken + 1))
    cmp -s "$work/after.rwd" "$work/job.rwd" || broken=$((broken + 1))
    rm -rf "$REWIND_HOME"
done
echo "# $killed of $n were killed in $whole ms"
[ $killed -gt 2 ]
ok $? "gcs were killed"
same "nothing that runs have is lost" 0 $broken

# ---- Interruption ----

export REWIND_HOME=$work/interrupted
"$REWIND" ls
env --default-signal=INT "$REWIND" import "$work/job.rwd" >"$work/out" 2>"$work/err" &
pid=$!
sleep 0.05
kill -INT $pid
wait $pid
status=$?
[ $status -eq 130 ] || [ $status -eq 0 ]
ok $? "an import that is interrupted"
[ $status -eq 0 ] || same "leaves nothing" '' "$(ls "$REWIND_HOME/runs" "$REWIND_HOME/images" "$REWIND_HOME/guests" | grep -v ':$')"
export REWIND_HOME=$kept
mkdir "$work/to"
env --default-signal=INT "$REWIND" export job --replayable -o "$work/to/x.rwd" >"$work/out" 2>"$work/err" &
pid=$!
sleep 0.1
kill -INT $pid
wait $pid
status=$?
[ $status -eq 130 ] || [ $status -eq 0 ]
ok $? "an export that is interrupted"
[ $status -eq 0 ] || same "leaves nothing" '' "$(ls -A "$work/to")"

# ---- A full disk ----

if [ "$(id -u)" = 0 ] && mkdir "$work/small" && mount -t tmpfs -o size=60m tmpfs "$work/small" 2>/dev/null; then
    trap 'umount "$work/small"; rm -rf "$work"' EXIT
    export REWIND_HOME=$work/small/home
    "$REWIND" ls
    for room in 100 3000 9000 20000 23000 27000; do
        head -c $((60000000 - room * 1000)) /dev/zero >"$work/small/filler" 2>/dev/null
        "$REWIND" import "$work/job.rwd" >"$work/out" 2>"$work/err"
        status=$?
        [ $status -eq 0 ] && break
        one_line "import with room for $room kB: one line"
        has err "says so" 'No space left'
        same "nothing of it is seen" '' "$("$REWIND" ls)"
        same "nothing is left" '' "$(dead)"
        rm "$work/small/filler"
    done
    rm -f "$work/small/filler"
    run 0 "with room" "$REWIND" import "$work/job.rwd"
    head -c 60000000 /dev/zero >"$work/small/filler" 2>/dev/null
    run 1 "export to a full disk" "$REWIND" export job --replayable -o "$work/small/x.rwd"
    one_line "one line"
    same "leaves nothing" '' "$(find "$work/small" -name '*x.rwd*')"
    run 1 "a bookmark" "$REWIND" bookmark job 1 "$(head -c 4000 /dev/zero | tr '\0' x)"
    one_line "one line"
    run 0 "gc" "$REWIND" gc
    rm "$work/small/filler"
    run 0 "what was there replays" "$REWIND" replay job
else
    echo "ok $((tests += 1)) - a full disk # SKIP mounting a small file system needs root"
fi
finish
