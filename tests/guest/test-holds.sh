#!/bin/sh
# SPDX-License-Identifier: MIT
# Makes a small image and runs test-holds on it.
set -eu
work=$(mktemp -d "${TMPDIR:-/tmp}/rewind-test-XXXXXX")
trap 'rm -rf "$work"' EXIT
export REWIND_HOME=$work/home
mkdir -p "$work/root/bin"
cp "$GUEST_HOLDS" "$work/root/bin/guest-holds"
"$REWIND" run -q --root "$work/root" -- /bin/guest-holds after >/dev/null 2>&1
"$TEST_HOLDS" "$REWIND_GUEST_DIR" "$REWIND_HOME"/images/*.erofs
