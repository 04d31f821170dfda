#!/bin/sh
# SPDX-License-Identifier: MIT
# Faults: each makes the wrong program fail and the right one not; what the programs see of them; and that they are part
# of a run, as holds are. Prints TAP.
set -eu
work=$(mktemp -d "${TMPDIR:-/tmp}/rewind-test-XXXXXX")
trap 'rm -rf "$work"' EXIT
export REWIND_HOME=$work/home LC_ALL=C.UTF-8
mkdir -p "$work/root/bin"
cp "$GUEST_FAULTS" "$work/root/bin/guest-faults"
count=0

ok() { # STATUS NAME
    count=$((count + 1))
    if [ "$1" = 0 ]; then
        echo "ok $count - $2"
    else
        echo "not ok $count - $2"
        sed 's/^/# /' "$work/out"
    fi
}

# run WANTED NAME [OPTION...] -- ARGUMENT...: records a run, whose id is then in $id
run() {
    wanted=$1 name=$2
    shift 2
    options=
    while [ "$1" != -- ]; do
        options=$options${options:+,}$1
        shift
    done
    shift
    set +e
    if [ -n "$options" ]; then
        "$REWIND" run --root "$work/root" --fault "$options" -- /bin/guest-faults "$@" >"$work/out" 2>&1
    else
        "$REWIND" run --root "$work/root" -- /bin/guest-faults "$@" >"$work/out" 2>&1
    fi
    status=$?
    set -e
    id=$(sed -n 's/.*run \([0-9a-f]\{16\}\).*/\1/p' "$work/out" | head -n 1)
    [ "$status" = "$wanted" ]
    ok $? "$name"
}

strikes() { # whether the fault was a step of the run
    "$REWIND" events --steps "$id" | grep -q 'fault 1 strikes'
}

# both NAME FAULT: what is wrong fails, and what is right passes
both() {
    run 0 "$1 passes" -- "$1"
    run 1 "$1 fails with $2" "$2" -- "$1"
    strikes && status=0 || status=1
    ok "$status" "$1: $2 is a step"
    run 0 "$1 passes with $2 where it is right" "$2" -- "$1" right
}

both read-pipe "1:call read short 16"
both read-socket "1:call read short 1"
both write-socket "1:call sendto short 1000"
both wait-raw "1:call futex wake"
both fork "1:call clone error EAGAIN"
both map "1:call mmap error ENOMEM"
both write-file "1:call write error ENOSPC"
both interrupted "1:call read error EINTR"

run 0 "registers are what they were" "1:call read short 4" -- registers
strikes && status=0 || status=1
ok "$status" "though there were fewer bytes"
run 0 "a handler that reads meanwhile gets all" "1:call read short 3" -- handler

echo "1..$count"
