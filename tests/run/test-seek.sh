#!/bin/sh
# SPDX-License-Identifier: MIT
# Makes a small image and runs test-seek on it.
set -eu
work=$(mktemp -d "${TMPDIR:-/tmp}/rewind-test-XXXXXX")
trap 'rm -rf "$work"' EXIT
export REWIND_HOME=$work/home
mkdir -p "$work/root/bin" "$work/root/tmp"
cp /bin/busybox "$work/root/bin/"
for applet in sh cat echo sleep wc true seq sort tail sha256sum; do
    ln -s busybox "$work/root/bin/$applet"
done
"$REWIND" run -q --no-keyframes --root "$work/root" -- true 2>/dev/null
TMPDIR=$work TEST_IMAGE=$(echo "$REWIND_HOME"/images/*.erofs) "$TEST_SEEK" "$@"
