#!/bin/sh
# SPDX-License-Identifier: MIT
# Runs the tests of both builds and counts them. usage: tools/check.sh BUILD ASAN-BUILD
set -u

build=$1
asan=$2
status=0

meson test -C "$build" --no-rebuild --print-errorlogs --suite rewind || status=1
# With the sanitizers only what runs no guest: the whole suite would take an hour.
meson test -C "$asan" --no-rebuild --print-errorlogs --suite unit || status=1

python3 tools/count-tests.py "$build" "$asan" || status=1
exit "$status"
