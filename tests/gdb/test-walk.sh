#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Records a job and runs test-walk on it.
set -eu
work=$(mktemp -d "${TMPDIR:-/tmp}/rewind-test-XXXXXX")
trap 'rm -rf "$work"' EXIT
export REWIND_HOME=$work/home
"$EXAMPLES/pack.sh" bank -o "$work/root.tar" >&2
"$REWIND" run -q --mem 128 --swap 0 --root "$work/root.tar" --cwd /src -- ./bank >&2
"$TEST_WALK" @
