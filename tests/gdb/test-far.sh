#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Far back: a watchpoint over more than a billion instructions, and a breakpoint that is met a thousand times.
. "$(dirname "$0")/lib.sh"
here=$(cd "$(dirname "$0")" && pwd)

"$EXAMPLES/pack.sh" "$here/far" -o "$work/root.tar" >"$work/err" 2>&1
store=$(grep -n 'data\.value = 42' "$here/far/far.c" | cut -d: -f1)
for how in '' near; do
    # shellcheck disable=SC2086
    run 134 "a long run${how:+, $how}" "$REWIND" run --mem 128 --swap 0 --root "$work/root.tar" --cwd /src -- ./far 150000000 $how
    pid=$("$REWIND" ps -a @ | sed -n 's|^ *\([0-9]*\) *\./far.*|\1|p' | head -n 1)
    last=$("$REWIND" events -k exit @ | sed -n "s|^ *\([0-9]*\) *$pid/$pid .*|\1|p" | tail -n 1)
    sum=$(sum_of_runs)
    debug "$last" 'handle all nostop noprint' 'monitor instructions' 'watch -location data.value' reverse-continue 'monitor instructions' 'backtrace 2' \
        reverse-continue
    has out "back to the store" "^#0  store \(\) at .*far\.c:$store\$"
    has out "that changed it" '^New value = 0$'
    # shellcheck disable=SC2046
    set -- $(grep -E '^[0-9]+$' "$work/out")
    [ $# = 2 ] && [ $(($1 - $2)) -gt 1000000000 ]
    ok $? "over a billion instructions: ${1-} to ${2-}"
    has out "and nobody before" "$no_more"
done

debug "$last" 'handle all nostop noprint' 'break visit' 'ignore 1 999' reverse-continue 'print i' 'info breakpoints' reverse-continue
has out "a thousand hits backwards lead to the first" '^\$1 = 0$'
has out "each is counted" 'breakpoint already hit 1000 times'
has out "before which there is none" "$no_more"
debug "$last" 'handle all nostop noprint' reverse-continue 'break visit' 'ignore 1 999' continue 'print i' 'info breakpoints' continue
has out "and forwards to the last" '^\$1 = 999$'
has out "each is counted there, too" 'breakpoint already hit 1000 times'
has out "behind which there is none" "^rewind: process $pid ends by SIGABRT"
same "the run is what it was" "$sum" "$(sum_of_runs)"
finish
