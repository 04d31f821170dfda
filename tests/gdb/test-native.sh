#!/bin/sh
# SPDX-License-Identifier: MIT
#
# What gdb says of a program at a place is what it says of the same program outside, at the same place: frames,
# arguments and local variables; of C, of C++, and of a program without symbols.
. "$(dirname "$0")/lib.sh"
here=$(cd "$(dirname "$0")" && pwd)

if ! command -v g++ >/dev/null; then
    echo "1..0 # SKIP there is no g++"
    exit 0
fi

# What is asked at the place, in $work/ask.
look() { # look COMMAND...
    printf '%s\n' 'printf "begin\n"' "$@" >"$work/ask"
}

# From the mark on, addresses and numbers of threads left out, and how the other end is spoken to.
clean() {
    sed -n '/^begin$/,$p' "$1" | sed -E 's/0x[0-9a-f]+/0x/g; s/[0-9]{12,}/N/g; s/^\[Inferior.*//; s/target://g; s/from .*\/(lib[^ ]*)$/from \1/' |
        grep -vE '^(Reading|\[|warning|Thread [0-9]|Kill|$)|process [0-9]+ killed|A debugging session|will be killed|rewind: history is left|^[0-9]+[[:space:]]'
}

# outside and inside NAME PLACE: gdb's answers at the place, into $work/outside and $work/inside
outside() {
    # What memory is filled with would be the test's and not the program's.
    (cd "$work/root/src" && unset MALLOC_PERTURB_ && timeout 60 gdb -nx -batch -iex 'set auto-load off' -ex 'set debuginfod enabled off' -ex 'set breakpoint pending on' \
        -ex 'handle all nostop noprint' -ex "break $2" -ex run -x "$work/ask" --args $1) >"$work/raw" 2>&1 </dev/null
    clean "$work/raw" >"$work/outside"
}

inside() {
    timeout 300 "$REWIND" gdb @ "$last" --pid "$pid" -- -nx -batch -iex 'set auto-load off' -ex 'set breakpoint pending on' -ex 'handle all nostop noprint' \
        -ex 'reverse-continue' -ex "break $2" -ex continue -x "$work/ask" >"$work/raw" 2>&1 </dev/null
    clean "$work/raw" >"$work/inside"
}

# In a root that is packed.
record() { # record TAR COMMAND
    rm -rf "$work/root"
    mkdir "$work/root"
    tar -C "$work/root" -xf "$1"
    "$REWIND" run -q --mem 128 --swap 0 --root "$1" --cwd /src -- $2 >"$work/out" 2>"$work/err" </dev/null
    "$REWIND" ps -a @ >"$work/ps"
    pid=$(sed -n "s|^ *\([0-9]*\) *$2.*|\1|p" "$work/ps" | head -n 1)
    last=$("$REWIND" events -k exit @ | sed -n "s|^ *\([0-9]*\) *$pid/$pid .*|\1|p")
    [ -n "$pid" ] && [ -n "$last" ]
    ok $? "a run of $2"
}

compare() { # compare NAME COMMAND PLACE
    outside "$2" "$3"
    inside "$2" "$3"
    [ -s "$work/outside" ] && [ "$(wc -l <"$work/outside")" -gt 3 ] && cmp -s "$work/outside" "$work/inside"
    same=$?
    [ $same = 0 ] || tail -n 5 "$work/raw" | sed 's/^/# /'
    [ $same = 0 ] || diff "$work/outside" "$work/inside" | sed 's/^/# /'
    : >"$work/out"
    ok $same "$1: at $3"
}

# Where what is asked for depends on the order of threads, or was never set, it is not asked for.
while IFS='|' read -r name place commands; do
    if [ "$name" != "${before:-}" ]; then
        "$EXAMPLES/pack.sh" "$name" -o "$work/root.tar" >"$work/err" 2>&1 </dev/null
        record "$work/root.tar" "./$name"
        before=$name
    fi
    printf '%s\n' 'printf "begin\n"' frame 'info args' >"$work/ask"
    echo "$commands" | tr ';' '\n' >>"$work/ask"
    compare "$name" "./$name" "$place"
done <<'END'
bank|work if ((struct teller *) arg)->count == 5|info locals;print *(struct teller *) arg;print bert_slips
bank|main|info locals;print tellers;print expected;ptype struct teller
philosophers|philosophers.c:24 if seat == 3|info locals;up;info locals;print seat
parcel|fill if number == 2|info locals;print parcel->size;print $_siginfo
freelist|count_free|info locals;up;info locals;print top != 0
frames|meet|info locals;up;info locals;print barrier->count
future|future_wait|info locals;bt -frame-arguments scalars 3
cache|find if name[1] == 'a'|info locals;up;info locals;print name
END

"$EXAMPLES/pack.sh" "$here/native" -o "$work/root.tar" >"$work/err" 2>&1 </dev/null
record "$work/root.tar" ./shapes
line() { grep -n "// $1\$" "$here/native/shapes.cc" | cut -d: -f1; }
look 'frame' 'info args' 'print *this' 'info locals' 'print this->area()' 'bt -frame-arguments scalars 2' 'up' 'info locals'
compare "a virtual function, and one that is called" ./shapes "shapes.cc:$(line here)"
look 'frame' 'print *this' 'print sum' 'ptype this' 'up' 'print counts' 'print pile'
compare "a template" ./shapes "shapes.cc:$(line total)"
look 'frame' 'print area' 'print twice' 'print number' 'ptype all'
compare "a lambda" ./shapes "shapes.cc:$(line worked)"

# A program of Debian's, without symbols, on the same libraries.
mkdir -p "$work/dash/src" "$work/dash/bin" "$work/dash/tmp" "$work/dash/lib64" "$work/dash/lib/x86_64-linux-gnu"
cp /bin/dash "$work/dash/src/"
cp /lib64/ld-linux-x86-64.so.2 "$work/dash/lib64/"
cp /lib/x86_64-linux-gnu/libc.so.6 "$work/dash/lib/x86_64-linux-gnu/"
printf 'x=1\nwhile [ $x -lt 5 ]; do x=$((x + 1)); done\necho $x\n' >"$work/dash/src/count"
tar -C "$work/dash" -cf "$work/root.tar" .
record "$work/root.tar" './dash count'
look 'printf "%d %s\n", $rdi, (char *) $rsi' 'bt -frame-info short-location -frame-arguments none' 'print $rdx'
compare "no symbols" './dash count' 'write'
finish
