#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Addresses of a process of a run: function, line and text, from what the guest has.
. "$(dirname "$0")/../app/lib.sh"

sources=$(cd "$(dirname "$0")/../symbols" && pwd)
root=$work/root
# The sources are where the compiler read them, seen from the guest; on the host they are not there any more.
mkdir -p "$root/bin" "$work/src" "$root$work"
cp "$sources"/sample*.c "$work/src/"
(cd "$work/src" && gcc -g -O1 -static sample.c sample-library.c -o "$root/bin/sample" && gcc -O1 -static sample.c sample-library.c -o "$root/bin/plain")
mv "$work/src" "$root$work/src"

run 0 "a program that tells its addresses" "$REWIND" run --root "$root" -- /bin/sample
# shellcheck disable=SC2046
set -- $(head -n 1 "$work/out")
step=$("$REWIND" events -k output @ | sed -n '1s/^ *\([0-9]*\) .*/\1/p')
pid=$("$REWIND" events -k output @ | sed -n '1s/^ *[0-9]* *\([0-9]*\).*/\1/p')
run 0 "where they are" timeout 60 "$REWIND" where @ "$step" "$pid" "$1" "$2" "${3#0x}" "$4" "$6" 10
same "a function, its line and the text" "$1  sample_local+0x0  $work/src/sample.c:11  {" "$(sed -n 1p "$work/out")"
same "another" "$2  sample_global+0x0  $work/src/sample.c:17  {" "$(sed -n 2p "$work/out")"
has out "its text" "^$3  sample_library\+0x0  $work/src/sample-library.c:11  return sample_hidden\(n\) \+ 1; // the line"
has out "a variable" "^$4  sample_table\+0x28  /bin/sample\+0x[0-9a-f]+$"
has out "the stack" "^$6  \[stack\]\+0x[0-9a-f]+$"
has out "nothing" "^0x10  nothing that has a name$"
run 0 "as JSON" "$REWIND" where --json @ "$step" "$pid" "$2" 10
has out "an object" "\"function\":\"sample_global\",\"function_offset\":0,\"file\":\"$work/src/sample.c\",\"line\":17,\"text\":\"\{\"\}$"
has out "without what is not known" '^\{"address":16\}$'
run 3 "no such process" "$REWIND" where @ "$step" 9999 "$1"
one_line "one line"
ends=$("$REWIND" events -k exit @ | sed -n "s/^ *\([0-9]*\) *$pid\/.*/\1/p" | tail -n 1)
run 0 "a process that ends" "$REWIND" where @ "$ends" "$pid" "$1"
has out "has nothing any more" "^$1  nothing that has a name$"
run 2 "no address" "$REWIND" where @ "$step" "$pid" x
one_line "one line"
run 2 "no process" "$REWIND" where @ "$step" 0 "$1"

run 0 "a program without debug information" "$REWIND" run --root "$root" -- /bin/plain
# shellcheck disable=SC2046
set -- $(head -n 1 "$work/out")
step=$("$REWIND" events -k output @ | sed -n '1s/^ *\([0-9]*\) .*/\1/p')
run 0 "where it is" "$REWIND" where @ "$step" "$pid" "$1"
has out "the function" "^$1  sample_local\+0x0  /bin/plain\+0x[0-9a-f]+$"
has err "what is missing" "^rewind: no debug information for /bin/plain \(build id [0-9a-f]{40}\): compile it with -g, install its debug package in the root, or set DEBUGINFOD_URLS$"
one_line "one line"

# Debug information that only this host has: asked for, and no part of the run.
id=$(readelf -n "$root/bin/sample" | sed -n 's/.*Build ID: //p')
mkdir -p "$work/debug/.build-id/$(echo "$id" | cut -c 1-2)"
objcopy --only-keep-debug "$root/bin/sample" "$work/debug/.build-id/$(echo "$id" | cut -c 1-2)/$(echo "$id" | cut -c 3-).debug"
strip -o "$root/bin/stripped" "$root/bin/sample"
run 0 "a stripped program" "$REWIND" run -q --json --root "$root" -- /bin/stripped
recorded=$(sed -n 's/.*"id":"\([0-9a-f]*\)".*/\1/p' "$work/out")
# shellcheck disable=SC2046
set -- $("$REWIND" log @ | head -n 1)
step=$("$REWIND" events -k output @ | sed -n '1s/^ *\([0-9]*\) .*/\1/p')
run 0 "without it" "$REWIND" where @ "$step" "$pid" "$1"
has out "no function" "^$1  /bin/stripped\+0x[0-9a-f]+$"
has err "what is missing" "^rewind: no debug information for /bin/stripped \(build id $id\): "
run 0 "without it, as JSON" "$REWIND" where --json @ "$step" "$pid" "$1"
has out "the build id" "\"undebugged\":\"$id\"\}$"
export REWIND_DEBUG_FILE_DIRECTORY="$work/debug"
run 0 "with it" "$REWIND" where @ "$step" "$pid" "$1"
has out "its line and the text" "^$1  sample_local\+0x0  $work/src/sample.c:11  \{"
same "nothing is missing" "" "$(cat "$work/err")"
if command -v gdb >/dev/null; then
    run 0 "gdb" timeout 100 "$REWIND" gdb @ "$step" --pid "$pid" -- -nx -batch -ex 'info line sample_local'
    has out "its line" '^Line 11 of .*sample\.c" starts at address'
fi
run 0 "recorded with it" "$REWIND" run -q --json --root "$root" -- /bin/stripped
has out "the same run" "\"id\":\"$recorded\".*\"recorded\":\"same\""
finish
