#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Remakes failing.rwd and passing.rwd: the bank example under a schedule that loses money, and its twin that is
# the same run until the step that decides. usage: make.sh REWIND
set -eu

rewind=$(realpath "$1")
here=$(cd "$(dirname "$0")" && pwd)
# A run remembers where its root was, so this place has a name that tells nothing.
work=/tmp/rewind-example
mkdir "$work"
trap 'rm -rf "$work"' EXIT
export REWIND_HOME="$work/home"

"$here/../../docs/examples/pack.sh" bank -o "$work/bank.tar"
cd "$work"
"$rewind" check --name bank --root bank.tar --cwd /src -- make check >check.log || [ $? = 1 ]
cat check.log
for twin in failing passing; do
    sed -n "s/^$twin: run \([0-9a-f]*\),.*/\1/p" check.log >$twin
    [ -s $twin ] || { echo "make.sh: check named no $twin run" >&2; exit 1; }
done

# step_of RUN PATTERN: the last step at which an event's text has PATTERN
step_of() {
    "$rewind" events "$1" | grep -F -e "$2" | tail -n 1 | sed 's/^ *\([0-9]*\).*/\1/'
}

# What the program says when it is too late, and where it went wrong.
failing=$(cat failing) passing=$(cat passing)
decides=$(sed -n 's/^the two are the same run until step //p' check.log)
"$rewind" bookmark "$failing" "$decides" "Here the two runs part: the other teller gets the processor" >&2
"$rewind" bookmark "$failing" "$(step_of "$failing" 'MONEY IS MISSING')" "The program notices" >&2
"$rewind" bookmark "$passing" "$decides" "Until here the failing run is the same" >&2
"$rewind" export "$failing" --force -o "$here/failing.rwd"
"$rewind" export "$passing" --force -o "$here/passing.rwd"
