#!/bin/sh
# SPDX-License-Identifier: MIT
#
# usage: test-guest.sh JOB
#
# Records one and runs test-guest on it: many, preempted, pipes, or swapping, which takes a quarter of an hour and is
# not among the tests of `make check`.
set -eu
work=$(mktemp -d "${TMPDIR:-/tmp}/rewind-test-XXXXXX")
trap 'rm -rf "$work"' EXIT
export REWIND_HOME=$work/home

job() { # job OPTION... -- COMMAND...
    mkdir -p "$work/root/bin" "$work/root/tmp"
    cp /bin/busybox "$work/root/bin/"
    cp "$MANY" "$work/root/bin/many"
    for applet in sh cat sleep wc seq sort tail; do
        ln -s busybox "$work/root/bin/$applet"
    done
    "$REWIND" run -q --root "$work/root" "$@" >&2
}

case $1 in
many) job --mem 128 --swap 0 -- many ;;
preempted) job --mem 128 --swap 0 --schedule 3 -- many ;;
swapping) job --mem 64 --swap 256 -- sh -c 'many & head -c 60000000 /dev/zero | tail -c 50000000 | wc -c; wait' ;;
pipes) job --mem 128 --swap 0 -- sh -c 'for i in 1 2 3; do seq $i 2000 | sort -n | tail -1 | cat & done; sleep 1; wait' ;;
esac
TMPDIR=$work "$TEST_GUEST" @
