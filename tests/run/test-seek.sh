#!/bin/sh
# SPDX-License-Identifier: MIT
# Makes a small image and runs test-seek on it, or with a seed and a count fuzz-state.
set -eu
work=$(mktemp -d "${TMPDIR:-/tmp}/rewind-test-XXXXXX")
trap 'rm -rf "$work"' EXIT
export REWIND_HOME=$work/home
mkdir -p "$work/root/bin" "$work/root/tmp"
cp /bin/busybox "$work/root/bin/"
for applet in sh cat echo sleep wc true seq sort tail sha256sum grep awk head rm; do
    ln -s busybox "$work/root/bin/$applet"
done
for i in 1 2 3 4 5 6 7 8 9 10 11 12; do # more than fits into 64 MiB
    head -c 4000000 /dev/urandom >"$work/root/file$i"
done
"$REWIND" run -q --no-keyframes --root "$work/root" -- true 2>/dev/null
image=$(echo "$REWIND_HOME"/images/*.erofs)
if [ $# = 2 ]; then
    "$FUZZ_STATE" "$REWIND_GUEST_DIR" "$image" "$@"
    exit
fi
TMPDIR=$work TEST_IMAGE=$image "$TEST_SEEK" "$@"
