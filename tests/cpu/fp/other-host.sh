#!/bin/sh
# SPDX-License-Identifier: MIT
# The results of our FP instructions on this host and on an emulated one of another kind: the same.
#   other-host.sh TEST-FP
set -eu
if ! command -v qemu-x86_64 >/dev/null; then
    echo "qemu-x86_64 is missing: install qemu-user" >&2
    exit 77
fi
here=$("$1" -d -n 12)
there=$(qemu-x86_64 -cpu Opteron_G3,+ssse3,+sse4.1,+sse4.2 "$1" -d -n 12)
echo "here  $here"
echo "there $there"
test "$here" = "$there"
