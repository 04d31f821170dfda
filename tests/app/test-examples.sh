#!/bin/sh
# SPDX-License-Identifier: MIT
#
# check on every example: it passes under schedule 0 and fails under some other, and once it is fixed under none.
# EXAMPLE_NAMES takes some of them.
. "$(dirname "$0")/lib.sh"

# check EXAMPLE TARBALL OPTION...
check() {
    case $1 in
    site) cores=4 ;;
    *) cores=1 ;;
    esac
    tarball=$2
    shift 2
    "$REWIND" check --cores $cores "$@" --root "$tarball" --cwd /src -- make check
}

names=${EXAMPLE_NAMES:-$(cd "$EXAMPLES" && echo */Makefile)}
for example in $names; do
    example=${example%/Makefile}
    export REWIND_HOME=$work/home-$example
    run 0 "$example is packed" "$EXAMPLES/pack.sh" "$example" -o "$work/$example.tar"
    run 1 "$example fails under some schedule" check "$example" "$work/$example.tar"
    has out "$example passes without" '^schedule   0: exited:0 '
    has out "$example fails by its own status" '^schedule +[0-9]+: exited:2 '
    run 0 "$example is packed with its fix" "$EXAMPLES/pack.sh" "$example" --fixed -o "$work/$example.tar"
    run 0 "$example fixed never fails" check "$example" "$work/$example.tar" --all -q
    has out "under 64 schedules" '^0 of 64 perturbed schedules ended differently$'
    rm -rf "$REWIND_HOME" "$work/$example.tar"
done
finish
