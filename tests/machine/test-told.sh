#!/bin/sh
# SPDX-License-Identifier: MIT
# A boot and a job, with the CPU telling of every access of user mode and stopping at all system calls, returns and
# hundreds of instructions, for nothing: the same states every so many instructions, and the same memory in the end.
# What is told does not depend on host code.
set -u
work=$(mktemp -d "${TMPDIR:-/tmp}/rewind-test-XXXXXX")
trap 'rm -rf "$work"' EXIT
export REWIND_HOME=$work/home
mkdir -p "$work/root/bin"
cp /bin/busybox "$work/root/bin/"
for applet in sh true awk sha256sum head; do
    ln -s busybox "$work/root/bin/$applet"
done
"$REWIND" run -q --root "$work/root" -- true || exit 1
image=$(echo "$REWIND_HOME"/images/*.erofs)

job='i=0; while [ $i -lt 10 ]; do true; (true); i=$((i + 1)); done
head -c 30000 /bin/busybox | sha256sum
awk "BEGIN { for (i = 1; i < 500; i++) s += sqrt(i) * i % 7; print s }"'

# states OPTION...: what machine-run prints goes to $work/out, its last lines to $work/err.
states() {
    "$MACHINE_RUN" --mem 256 --hash-every 100000 "$@" "$REWIND_GUEST_DIR" "$image" -- sh -c "$job" \
        >"$work/out" 2>"$work/err"
}

# The last line without what the host's clock says.
last() {
    sed -E '$!d; s/, [0-9.]+s wall, [0-9]+ MIPS//' "$work/err"
}

echo 1..4
states --hashes "$work/hashes" && [ "$(wc -l <"$work/hashes")" -gt 200 ] || printf 'not '
echo "ok 1 - nothing told"
cp "$work/out" "$work/first"
whole=$(last)
n=1
telling=
for jit in 0 1 100; do
    n=$((n + 1))
    states --told --jit "$jit" --compare "$work/hashes" && cmp -s "$work/out" "$work/first" && [ "$(last)" = "$whole" ] || {
        sed 's/^/# /' "$work/err"
        printf 'not '
    }
    told=$(grep '^told' "$work/err")
    [ -n "$telling" ] || telling=$told
    case $told in
    "$telling") ;;
    *) printf 'not ' ;;
    esac
    echo "ok $n - all told, host code after $jit executions, 0: none"
    echo "# $told"
done
