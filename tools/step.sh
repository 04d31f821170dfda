#!/bin/sh
# SPDX-License-Identifier: MIT
# A step of the Makefile: its output goes to a file; when it fails, its last lines are shown.
# usage: tools/step.sh LOG WHAT COMMAND...
set -u

log=$1 what=$2
shift 2
mkdir -p "$(dirname "$log")"
"$@" >"$log" 2>&1 && exit
status=$?
tail -n 40 "$log" >&2
echo "rewind: $what failed (exit status $status); all of its output is in $log" >&2
exit "$status"
