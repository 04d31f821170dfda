#!/bin/sh
# SPDX-License-Identifier: MIT
# A boot and a job, interpreted and as host code from the first execution, the tenth and the usual one: the same
# states every so many instructions, and the same memory in the end.
set -u
work=$(mktemp -d "${TMPDIR:-/tmp}/rewind-test-XXXXXX")
trap 'rm -rf "$work"' EXIT
export REWIND_HOME=$work/home
mkdir -p "$work/root/bin"
cp /bin/busybox "$work/root/bin/"
for applet in sh true awk sha256sum head gzip; do
    ln -s busybox "$work/root/bin/$applet"
done
"$REWIND" run -q --root "$work/root" -- true || exit 1
image=$(echo "$REWIND_HOME"/images/*.erofs)

job='i=0; while [ $i -lt 20 ]; do true; (true); i=$((i + 1)); done
head -c 300000 /bin/busybox | gzip | sha256sum
awk "BEGIN { for (i = 1; i < 3000; i++) s += sqrt(i) * i % 7; print s }"'

# states JIT OPTION...: what machine-run prints goes to $work/out, its last line to $work/err.
states() {
    jit=$1
    shift
    "$MACHINE_RUN" --mem 256 --jit "$jit" --hash-every 20000 "$@" "$REWIND_GUEST_DIR" "$image" -- sh -c "$job" \
        >"$work/out" 2>"$work/err"
}

# The last line without what the host's clock says.
last() {
    sed -E '$!d; s/, [0-9.]+s wall, [0-9]+ MIPS//' "$work/err"
}

echo 1..4
states 0 --hashes "$work/hashes" && [ "$(wc -l <"$work/hashes")" -gt 1000 ] || printf 'not '
echo "ok 1 - interpreted"
cp "$work/out" "$work/first"
whole=$(last)
n=1
for jit in 1 10 100; do
    n=$((n + 1))
    states "$jit" --compare "$work/hashes" && cmp -s "$work/out" "$work/first" && [ "$(last)" = "$whole" ] || {
        sed 's/^/# /' "$work/err"
        printf 'not '
    }
    echo "ok $n - host code after $jit executions"
done
