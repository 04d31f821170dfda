#!/bin/sh
# SPDX-License-Identifier: MIT
# The desktop app on a run of a million events (or as many as given), on a display of its own.
# usage: tests/bench/app.sh BUILD [EVENTS]
set -eu
display=$(cd "$(dirname "$0")/../ui/harness" && pwd)/display.sh
build=$(cd "$1" && pwd)
export REWIND_BENCH_EVENTS="${2:-1000000}"
export GSETTINGS_SCHEMA_DIR="$build/data/app" REWIND_SCREENSHOTS="$build" LC_ALL=C.UTF-8
exec "$display" "$build/tests/bench/app-bench"
