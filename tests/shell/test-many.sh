#!/bin/sh
# SPDX-License-Identifier: MIT
#
# A hundred shells in one process.
work=$(mktemp -d "${TMPDIR:-/tmp}/rewind-test-XXXXXX")
export REWIND_HOME=$work/home
trap 'rm -rf "$work"' EXIT
root=$work/root
mkdir -p "$root/bin" "$root/tmp"
cp /bin/busybox "$root/bin/sh"
"$1" "$root" 120 /bin/sh -c 'n=0; while [ $n -lt 200 ]; do echo $n; n=$((n + 1)); done'
