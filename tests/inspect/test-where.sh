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
finish
