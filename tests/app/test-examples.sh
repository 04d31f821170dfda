#!/bin/sh
# SPDX-License-Identifier: MIT
#
# check on every example: it passes under schedule 0 and fails under some other, one step of which decides; once it
# is fixed it fails under none. Those of `hard` may take more schedules than 64: if none finds it, only the normal
# schedule and the fix are tested.
# EXAMPLE_NAMES takes some of them.
. "$(dirname "$0")/lib.sh"

hard=" thumbnails "

# check EXAMPLE TARBALL OPTION...
check() {
    case $1 in
    site) cores=4 ;;
    *) cores=1 ;;
    esac
    tarball=$2
    shift 2
    "$REWIND" check --schedules 64 --cores $cores "$@" --root "$tarball" --cwd /src -- make check
}

# The race without system calls: with draws alone the twins differ in one preemption, at an exact instruction, and
# compare says so.
exact_preemption() {
    run 1 "found by draws" check wordcount "$work/wordcount.tar" --strategy mixed
    has out "a preemption, to the instruction" \
        '^step [0-9]+ decides it: a preemption [0-9]+ instructions after it makes the run fail; one instruction less does not$'
    passing=$(sed -n 's/^passing: run \([0-9a-f]*\),.*/\1/p' "$work/out")
    failing=$(sed -n 's/^failing: run \([0-9a-f]*\),.*/\1/p' "$work/out")
    run 1 "the twins are compared" "$REWIND" compare "$passing" "$failing"
    has out "they part in it" '^the two are the same run until step [0-9]+: there left has nothing and right a preemption [0-9]+ instructions after it$'
}

# Whether the last check found nothing, and may have.
missed() {
    case $hard in
    *" $1 "*) grep -q '^0 of [0-9]* perturbed schedules ended differently' "$work/out" ;;
    *) false ;;
    esac
}

# What the last check, which found a failure of the example, says.
found() {
    has out "$1 passes without" '^schedule   0: exited:0 '
    has out "$1 fails by its own status" '^schedule +[0-9]+: exited:2 '
    has out "$1's deciding step" '^step [0-9]+ decides it: '
    failing=$(sed -n 's/^failing: run \([0-9a-f]*\),.*/\1/p' "$work/out")
    run 0 "what was seen of it is exported" "$REWIND" export "$failing" -o "$work/$1.rwd"
    [ "$(stat -c %s "$work/$1.rwd")" -lt 200000 ]
    ok $? "in less than 200 KB"
    [ "$1" != wordcount ] || exact_preemption
}

names=${EXAMPLE_NAMES:-$(cd "$EXAMPLES" && echo */Makefile)}
for example in $names; do
    example=${example%/Makefile}
    export REWIND_HOME=$work/home-$example
    run 0 "$example is packed" "$EXAMPLES/pack.sh" "$example" -o "$work/$example.tar"
    check "$example" "$work/$example.tar" >"$work/out" 2>"$work/err"
    status=$?
    if missed "$example"; then
        has out "$example passes" '^schedule   0: exited:0 '
        skip "$example fails under some schedule" "this one is hard to find"
    else
        same "$example fails under some schedule" 1 $status
        found "$example"
    fi
    run 0 "$example is packed with its fix" "$EXAMPLES/pack.sh" "$example" --fixed -o "$work/$example.tar"
    run 0 "$example fixed never fails" check "$example" "$work/$example.tar" --all -q
    has out "under 64 schedules" '^0 of 64 perturbed schedules ended differently$'
    rm -rf "$REWIND_HOME" "$work/$example.tar"
done
finish
