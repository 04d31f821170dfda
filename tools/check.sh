#!/bin/sh
# SPDX-License-Identifier: MIT
# Runs the tests of both builds and counts them. usage: tools/check.sh BUILD ASAN-BUILD
set -u

build=$1
asan=$2
status=0
export REWIND_GUEST_DIR="${REWIND_GUEST_DIR:-$PWD/$build/guest}"

meson test -C "$build" --no-rebuild --print-errorlogs || status=1
# With the sanitizers what reads untrusted bytes, and the CPU on its own; guests would take an hour.
meson test -C "$asan" --no-rebuild --print-errorlogs --suite base --suite image --suite store --suite run --suite fuzz \
    --suite cpu --timeout-multiplier 4 || status=1

python3 tools/count-tests.py "$build" "$asan" || status=1
exit "$status"
