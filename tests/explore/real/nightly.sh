#!/bin/sh
# SPDX-License-Identifier: MIT
#
# usage: nightly.sh REWIND [JOB...]
#
# All jobs of jobs/, or those that are named, in a Debian that has their programs: each natively and under 64 schedules.
# Needs root, and the first time the Debian mirror. The rows are written to real-races.md in the build's folder.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
rewind=$(realpath "$1")
shift
root=$("$here/../../programs/root.sh" "$here/packages.txt")
table=$(dirname "$rewind")/real-races.md
printf '| job | natively | failing schedules | the first | what decides |\n|---|---:|---:|---:|---|\n' >"$table"
exec python3 "$here/run.py" --rewind "$rewind" --root "$root" --native 50 --all --table "$table" "$@"
