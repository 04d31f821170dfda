#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Memory in several parts: RAM beyond the platform's page, and the room for swapping, in keyframes too.
. "$(dirname "$0")/../app/lib.sh"

root=$work/root
mkdir -p "$root/bin"
cp /bin/busybox "$root/bin/"
cp "$GUEST_MEMORY" "$root/bin/guest-memory"
for applet in sh grep cat echo; do
    ln -s busybox "$root/bin/$applet"
done

record() { "$REWIND" run --root "$root" "$@"; }
again() { # again NAME: from the start, and from a keyframe
    steps=$("$REWIND" show --json @ | sed -n 's/.*"steps": *\([0-9]*\).*/\1/p' | head -n 1)
    run 0 "$1: the same again" "$REWIND" replay @
    has out "identical" identical
    run 0 "the same from a keyframe" "$REWIND" replay --from $((steps * 2 / 3)) @
    has out "identical from there" identical
}

run 0 "more memory than lies below the platform's page" record --mem 4096 --swap 0 -- \
    sh -c 'grep MemTotal /proc/meminfo; grep "System RAM" /proc/iomem; guest-memory walk 24'
has out "is all there" '^MemTotal: +(39|40|41)[0-9]{5} kB'
has out "and works" '^6144 pages, 0 wrong$'
again "high memory"
run 0 "more processes than memory" record --mem 96 --swap 256 -- guest-memory walk 128
has out "nothing is lost" '^32768 pages, 0 wrong$'
again "swapped memory"
run 0 "more files than memory" record --mem 96 --swap 256 -- guest-memory file 160 /large
has out "nothing is lost of them" '^40960 pages, 0 wrong$'
again "swapped files"
run 4 "more files than there is room" record --mem 96 --swap 64 -- guest-memory file 160 /large
has err "are no more than that" 'No space left on device'
run 0 "no swapping" record --swap 0 -- grep SwapTotal /proc/meminfo
has out "is possible" '^SwapTotal: +0 kB'
run 2 "more than the host has" record --mem 500000 -- cat
has err "names what it has" 'this host has [0-9]+ MiB'
run 2 "an odd number" record --swap 3 -- cat

finish
