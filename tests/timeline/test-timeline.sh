#!/bin/sh
# SPDX-License-Identifier: MIT
#
# usage: test-timeline.sh JOB
#
# Records one and runs test-timeline on it.
set -eu
work=$(mktemp -d "${TMPDIR:-/tmp}/rewind-test-XXXXXX")
trap 'rm -rf "$work"' EXIT
export REWIND_HOME=$work/home

example() { # example NAME OPTION...
    "$EXAMPLES/pack.sh" "$1" -o "$work/root.tar" >&2
    what=$1
    shift
    "$REWIND" run -q --mem 128 --swap 0 --root "$work/root.tar" --cwd /src "$@" -- make check >&2 || [ "$what" != bank ]
}

# job SCRIPT OPTION...
job() {
    script=$1
    shift
    mkdir -p "$work/root/bin" "$work/root/tmp"
    cp /bin/busybox "$work/root/bin/"
    for applet in sh cat echo sleep wc true seq sort tail sha256sum head; do
        ln -s busybox "$work/root/bin/$applet"
    done
    "$REWIND" run -q --mem 128 --swap 0 --root "$work/root" "$@" -- sh -c "$script" >&2
}

pipes='read x </proc/version; for i in 1 2 3; do echo $i | cat | wc -c & done; wait; sleep 1; seq 2000 | sort -n | tail -1; seq 3000 | sha256sum'
case $1 in
bank | philosophers) example "$1" ;;
hold) example bank --hold "1.1.2:call write#2 until 1.1.1:return write#1 then next" ;;
pipes) job "$pipes" ;;
fault) job "$pipes" --fault "1:call read error EINTR" --schedule 7 ;;
exits) job "$pipes" --clock exits ;;
esac
TMPDIR=$work "$TEST_TIMELINE" @
