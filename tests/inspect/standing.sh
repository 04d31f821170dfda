#!/bin/sh
# SPDX-License-Identifier: MIT
#
# usage: standing.sh PROGRAM
#
# A root with a shell and two files, and a PROGRAM for which a machine stands at a step of a job in it.
work=$(mktemp -d "${TMPDIR:-/tmp}/rewind-test-XXXXXX")
export REWIND_HOME=$work/home
trap 'rm -rf "$work"' EXIT
root=$work/root
mkdir -p "$root/bin" "$root/tmp"
cp /bin/busybox "$root/bin/sh"
head -c 40000000 /dev/zero >"$root/large"
printf small >"$root/small"
"$1" "$root" 120 /bin/sh -c 'n=0; while [ $n -lt 200 ]; do echo $n; n=$((n + 1)); done'
