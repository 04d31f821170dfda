#!/bin/sh
# SPDX-License-Identifier: MIT
#
# What programs may fail for and cannot know themselves: the guest tells it, once.
. "$(dirname "$0")/../app/lib.sh"

root=$work/root
mkdir -p "$root/bin"
cp /bin/busybox "$root/bin/"
cp "$GUEST_MEMORY" "$root/bin/guest-memory"
for applet in sh cat dd printf chmod true head; do
    ln -s busybox "$root/bin/$applet"
done

record() { "$REWIND" run --root "$root" --mem 96 --swap 0 "$@"; }
reasons() { # reasons NAME WANTED: the kinds and how many, in order
    "$REWIND" events --json -k reason @ >"$work/out" 2>"$work/err"
    same "$1" "$2" "$(sed 's/.*"reason":"\([a-z-]*\)".*/\1/' "$work/out" | tr '\n' ' ' | sed 's/ $//')"
}

run 137 "a program that takes all memory" record -- guest-memory eat
reasons "is killed for it" no-memory
run 1 "a file that is too large" record -- sh -c 'dd if=/dev/zero of=/tmp/large bs=1M count=200 2>/dev/null
    dd if=/dev/zero of=/tmp/large2 bs=1M count=1'
reasons "fills the file system, which is said once" no-space
has out "with its size" '"value":[1-9][0-9]{7}'
run 1 "a full device of another kind" record -- sh -c 'echo x >/dev/full'
reasons "is none" ''
run 132 "an instruction of another CPU" record -- guest-memory avx2
reasons "is told" instruction
has out "with its bytes" '"bytes":.*(xf3|\\u00|base64":"xf3+wc)'
run 127 "a program for another machine" record -- sh -c 'printf "\177ELF\1\1\1\0\0\0\0\0\0\0\0\0\2\0\3\0\1" >/tmp/m32
    chmod +x /tmp/m32; exec /tmp/m32'
reasons "is told" format
has out "with its path" '"about":"/tmp/m32"'
run 0 "input that is not there" record -- sh -c 'cat; cat; cat </dev/null'
reasons "is told once" no-input
run 0 "input from elsewhere" record -- sh -c 'echo x | cat; cat </dev/null'
reasons "is none of the kind" ''
run 1 "a terminal without input" record -t -- cat
reasons "is told" terminal
run 0 "a terminal that nobody reads" record -t -- true
reasons "is none of the kind" ''
run 0 "as text" "$REWIND" events -k reason @2
has out "in words" 'waits for input on the terminal'

finish
