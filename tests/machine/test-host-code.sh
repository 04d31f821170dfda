#!/bin/sh
# SPDX-License-Identifier: MIT
# Where the kernel refuses memory that is writable and executable, or executable at all: doctor says so, and a
# boot goes through the same states. And where there is little address space: a line that says so, no abort.
set -u
work=$(mktemp -d "${TMPDIR:-/tmp}/rewind-test-XXXXXX")
trap 'rm -rf "$work"' EXIT
export REWIND_HOME=$work/home
n=0

ok() {
    n=$((n + 1))
    [ "$1" = 0 ] || { sed 's/^/# /' "$work/out" "$work/err"; printf 'not '; }
    echo "ok $n - $2"
}

# states [refuse HOW] -- OPTION...: a boot's, whose last line has the hash in the end. At a difference it ends.
states() {
    before=
    while [ "$1" != -- ]; do
        before="$before $1"
        shift
    done
    shift
    $before "$MACHINE_RUN" --mem 256 --jit 1 --hash-every 20000 "$@" "$REWIND_GUEST_DIR" -- true >"$work/out" 2>"$work/err"
}

last() {
    sed -E '$!d; s/, [0-9.]+s wall, [0-9]+ MIPS//' "$work/err"
}

[ "$SANITIZED" = 1 ] && echo 1..6 || echo 1..7
"$REWIND" doctor >"$work/out" 2>"$work/err"
grep -q '^ok .*host code is made of what runs often$' "$work/out"
ok $? "doctor: host code"
states -- --hashes "$work/hashes"
[ "$(wc -l <"$work/hashes")" -gt 1000 ]
ok $? "a boot with host code"
whole=$(last)

"$REFUSE" twice "$REWIND" doctor >"$work/out" 2>"$work/err"
grep -q '^ok .*host code .* mapped twice' "$work/out"
ok $? "doctor: mapped twice"
states "$REFUSE" twice -- --compare "$work/hashes"
[ "$(last)" = "$whole" ]
ok $? "the same states with code that is mapped twice"

"$REFUSE" all "$REWIND" doctor >"$work/out" 2>"$work/err"
grep -q '^warn .*no host code.*Permission denied' "$work/out"
ok $? "doctor: no host code"
states "$REFUSE" all -- --compare "$work/hashes"
[ "$(last)" = "$whole" ]
ok $? "the same states without host code"

[ "$SANITIZED" = 0 ] || exit 0 # their shadow memory alone is terabytes

# From what lets the program start up to what lets it run.
result=0
said=0
for mib in 60 80 100 120 140 160 180 200 250 300 400; do
    (
        ulimit -v $((mib * 1024))
        exec "$MACHINE_RUN" --mem 64 -q "$REWIND_GUEST_DIR" -- true
    ) >"$work/out" 2>"$work/err"
    status=$?
    echo "# $mib MiB: status $status: $(tail -n 1 "$work/err")"
    [ $status -lt 126 ] || result=1
    grep -q '^machine-run: not enough memory for a machine$' "$work/err" && said=$((said + 1))
done
[ $result = 0 ] && [ $said -gt 0 ]
ok $? "little address space is an error, not an abort"
