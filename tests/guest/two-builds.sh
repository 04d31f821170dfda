#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Builds the guest twice, from nothing, in two directories: the bytes must be the same. Ten minutes and more, so
# it is no part of the test suite.
set -eu
build=$(cd "$(dirname "$0")/../../guest/linux" && pwd)/build.sh
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM

# A path of another length, another time zone, another user's umask.
(umask 077 && TZ=Asia/Tokyo XDG_CACHE_HOME=$work/one "$build" "$work/first")
XDG_CACHE_HOME=$work/a/longer/path TMPDIR=$work "$build" "$work/second"
for file in vmlinux initrd.cpio System.map cmdline; do
    cmp "$work/first/$file" "$work/second/$file"
    echo "same: $file"
done
