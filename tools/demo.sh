#!/bin/sh
# SPDX-License-Identifier: MIT
# Packs the bank example, looks for a schedule under which it loses money, shows that run's log and
# replays it. usage: tools/demo.sh BUILD
set -eu

build=$1
rewind=$build/rewind
export REWIND_HOME="${REWIND_HOME:-$PWD/$build/demo-store}"
root=$build/bank.tar

say() {
    printf '\n$ %s\n' "$*"
}

docs/examples/pack.sh bank -o "$root"

say "rewind check --root bank.tar --cwd /src -- make check"
status=0
"$rewind" check --root "$root" --cwd /src --json -- make check >"$build/demo.json" || status=$?
"$rewind" check --root "$root" --cwd /src -- make check || status=$?
if [ "$status" != 1 ]; then
    echo "demo: check was to find a failing schedule and ended with status $status" >&2
    exit 1
fi
