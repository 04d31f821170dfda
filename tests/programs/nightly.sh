#!/bin/sh
# SPDX-License-Identifier: MIT
#
# usage: nightly.sh REWIND [JOB...]
#
# All programs of jobs/, or those that are named, in a Debian that has them. Needs root, and the first time
# the Debian mirror; about two hours of one processor. Results are kept in the build's folder
# programs.json, the rows of docs/programs.md are written to programs.md beside it.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
rewind=$(realpath "$1")
shift
out=$(dirname "$rewind")
root=$("$here/root.sh")
exec python3 "$here/run.py" --rewind "$rewind" --root "$root" --results "$out/programs.json" \
    --table "$out/programs.md" "$@"
