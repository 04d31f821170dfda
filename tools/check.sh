#!/bin/sh
# SPDX-License-Identifier: MIT
# Runs the tests of both builds and counts them. usage: tools/check.sh BUILD ASAN-BUILD
set -u

build=$1
asan=$2
status=0
export REWIND_GUEST_DIR="${REWIND_GUEST_DIR:-$PWD/$build/guest}"

# Time limits are for tests that hang; other work of the machine may make them slow.
meson test -C "$build" --no-rebuild --print-errorlogs --timeout-multiplier 4 || status=1
# With the sanitizers what reads untrusted bytes, the CPU on its own, and the app; all guests would take an hour.
# A leak counts when a function of ours is on its stack: libraries keep things until the end on purpose.
rm -f "$asan"/leaks.*
# What the sanitizers themselves find ends a test at once; LSAN_OPTIONS alone would let it end with 0.
export ASAN_OPTIONS="abort_on_error=1"
export LSAN_OPTIONS="suppressions=$PWD/tests/lsan.supp:print_suppressions=0:exitcode=0:log_path=$PWD/$asan/leaks"
meson test -C "$asan" --no-rebuild --print-errorlogs --suite base --suite machine --suite image --suite store --suite run --suite fuzz \
    --suite cpu --suite learn --suite search --suite explore --suite session --suite events --suite tasks --suite symbols --suite inspect \
    --suite gdb --suite shell --suite ui --timeout-multiplier 4 || status=1
if grep -hE '^ +#[0-9]+ .* \.\./[a-z]' "$asan"/leaks.* 2>/dev/null; then
    echo "memory leaks: see $asan/leaks.*"
    status=1
fi

python3 tools/count-tests.py "$build" "$asan" || status=1
exit "$status"
