#!/bin/sh
# SPDX-License-Identifier: MIT
# Packs the bank example, looks for a schedule under which it loses money, shows that run's log and
# replays it; then checks the fixed program. usage: tools/demo.sh BUILD
set -eu

build=$(realpath "$1")
rewind=$build/rewind
export REWIND_HOME="${REWIND_HOME:-$build/demo-store}"

say() {
    printf '\n$ %s\n' "$*"
}

# The command's own status, its output shown and kept.
check() {
    status=0
    "$rewind" check "$@" -- make check >"$build/demo.out" || status=$?
    cat "$build/demo.out"
}

fail() {
    echo "demo: $*" >&2
    exit 1
}

docs/examples/pack.sh bank -o "$build/bank.tar"
docs/examples/pack.sh bank --fixed -o "$build/bank-fixed.tar"

say "rewind check --root bank.tar --cwd /src -- make check"
check --root "$build/bank.tar" --cwd /src
[ "$status" = 1 ] || fail "check was to find a failing schedule and ended with status $status"
run=$(sed -n 's/^failing: run \([0-9a-f]*\).*/\1/p' "$build/demo.out")
[ -n "$run" ] || fail "check did not name the failing run"

say "rewind log $run"
"$rewind" log "$run"

say "rewind replay $run"
"$rewind" replay "$run"

say "rewind check --quiet --schedules 128 --root bank-fixed.tar --cwd /src -- make check"
check --quiet --schedules 128 --root "$build/bank-fixed.tar" --cwd /src
[ "$status" = 0 ] || fail "the fixed bank was to pass under every schedule"

printf '\nThe failing run is kept: REWIND_HOME=%s %s events %s\n' "$REWIND_HOME" "$rewind" "$run"
