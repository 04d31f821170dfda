#!/bin/sh
# SPDX-License-Identifier: MIT
# Makes a small image and runs test-snapshot on it.
set -eu
work=$(mktemp -d "${TMPDIR:-/tmp}/rewind-test-XXXXXX")
trap 'rm -rf "$work"' EXIT
export REWIND_HOME=$work/home
mkdir -p "$work/root/bin"
cp /bin/busybox "$work/root/bin/"
for applet in sh cat echo sleep wc true; do
    ln -s busybox "$work/root/bin/$applet"
done
"$REWIND" run -q --root "$work/root" -- true 2>/dev/null
"$TEST_SNAPSHOT" "$REWIND_GUEST_DIR" "$REWIND_HOME"/images/*.erofs
