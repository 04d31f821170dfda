#!/bin/sh
# SPDX-License-Identifier: MIT
# A boot and jobs that see accessed bits, with all translations forgotten at many instants and at none: the same
# states every so many instructions, and the same memory in the end.
set -u
work=$(mktemp -d "${TMPDIR:-/tmp}/rewind-test-XXXXXX")
trap 'rm -rf "$work"' EXIT
export REWIND_HOME=$work/home
mkdir -p "$work/root/bin"
cp /bin/busybox "$work/root/bin/"
for applet in sh true awk grep head cat rm sha256sum; do
    ln -s busybox "$work/root/bin/$applet"
done
i=0
while [ $i -lt 24 ]; do # files that do not fit into the small memory together
    head -c 2000000 /dev/urandom >"$work/root/file$i"
    i=$((i + 1))
done
"$REWIND" run -q --root "$work/root" -- true || exit 1
image=$(echo "$REWIND_HOME"/images/*.erofs)

# Bits that are cleared without a word to the CPU, and looked at.
clear_refs='for i in 1 2 3 4 5 6 7 8; do
    echo 1 >/proc/self/clear_refs; true; (true); grep -h Referenced: /proc/$$/smaps | sha256sum
    echo 1 >/proc/$$/clear_refs
done'
# Pages that are taken back by their age.
ages='for i in 1 2; do
    cat /file* >/dev/null; head -c 9000000 /dev/zero >/tmp/x; awk "BEGIN { for (i = 0; i < 2000; i++) a[i] = i }"; rm /tmp/x
done
grep workingset /proc/vmstat'

# states MEM JOB OPTION...
states() {
    mem=$1 job=$2
    shift 2
    "$MACHINE_RUN" --mem "$mem" --hash-every 500000 "$@" "$REWIND_GUEST_DIR" "$image" -- sh -c "$job" \
        >"$work/out" 2>"$work/err"
}

last() { # line, without what the host's clock says
    sed -E '$!d; s/, [0-9.]+s wall, [0-9]+ MIPS//' "$work/err"
}

n=0
report() {
    n=$((n + 1))
    echo "ok $n - $*"
}

compare() { # NAME MEM JOB
    states "$2" "$3" --hashes "$work/hashes" && [ -s "$work/out" ] || printf 'not '
    report "$1: nothing forgotten"
    cp "$work/out" "$work/first"
    whole=$(last)
    for every in 50021 2003; do
        states "$2" "$3" --compare "$work/hashes" --forget $every && cmp -s "$work/out" "$work/first" &&
            [ "$(last)" = "$whole" ] || {
            sed 's/^/# /' "$work/err"
            printf 'not '
        }
        report "$1: forgotten every $every instructions"
    done
}

echo 1..6
compare bits 128 "$clear_refs"
compare ages 64 "$ages"
