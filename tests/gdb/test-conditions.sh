#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Conditions of breakpoints: what gdb does is the same whether it tells them itself, at each hit, or they are told
# where the program is executed, forwards and backwards; and then gdb is asked about the hit only that counts.
# Backwards gdb itself needs minutes for some: WALK_MOVES=60 WALK_SEEDS='1 2 3' asks for more than is done each time.
. "$(dirname "$0")/lib.sh"
here=$(cd "$(dirname "$0")" && pwd)

"$EXAMPLES/pack.sh" "$here/conditions" -o "$work/root.tar" >"$work/err" 2>&1
run 0 "a run" "$REWIND" run --mem 128 --swap 0 --root "$work/root.tar" --cwd /src -- ./conditions
pid=$("$REWIND" ps -a @ | sed -n 's|^ *\([0-9]*\) *\./conditions.*|\1|p' | head -n 1)
step_of() { # step_of OUTPUT
    "$REWIND" events -k output @ | sed -n "s/^ *\([0-9]*\) .*\"$1 .*/\1/p"
}
begin=$(step_of begin) end=$(step_of end)

# Both ways in one gdb each, with the packets that are sent.
both() { # both COMMAND...
    for how in host target; do
        debug "$begin" "set breakpoint condition-evaluation $how" "$@"
        grep -vE '^(Reading|warning: |\[New|$)' "$work/out" | sed 's/ (target evals)$//' >"$work/$how"
    done
}

same_both() { # same_both NAME
    [ -s "$work/host" ] && cmp -s "$work/host" "$work/target"
    equal=$?
    [ $equal = 0 ] || diff "$work/host" "$work/target" | sed 's/^/# /'
    ok $equal "$1"
}

# ---- Each condition: the first time, and the last time ----
line=$(grep -n '// visited$' "$here/conditions/conditions.c" | cut -d: -f1)
places=0
set --
while read -r place condition; do
    [ "$place" != line ] || place=conditions.c:$line
    set -- "$@" "go $begin" "break $place if $condition" continue 'monitor instructions' 'print i' \
        "go $end" reverse-continue 'monitor instructions' 'print i' delete
    places=$((places + 1))
done <<'END'
visit i % 20 == 10
visit item->number == 10 || i == 30
visit item->small == 250
visit item->negative == -7
visit item->negative < -6 && item->negative > -9
visit item->low == 2 && item->high > 9
visit item->big > 9000000000 && item->big / 3 != 1000
visit (unsigned) item->negative > 4000000000
visit item->name[1] == 'b' && item->name[0] < 'd'
visit *item->where == 10
visit (item - items) == 2 && &items[i & 7] == item
visit total / 1000000000 == 45
visit -i < -9 && (~i & 1)
visit (i >> 1) == 5 || (i << 2) == 120
visit !(i - 10)
visit (char) i == 10
visit (i ^ 10) == 0 || (i | 1) == 31
visit -i / 3 == -3 && -i % 3 == -1
visit (i == 10 ? 1 : 0)
visit (i > 8, i == 10)
visit item->color == GREEN
visit sizeof (*item) > 8 && i == 10
visit $rip != 0 && $rsp != $rbp - 1 && i == 30
visit $eflags >= 0 && $cs == 0x33 && i == 10
visit untouched[2048] == 0 && i == 5
visit table[2048] == 9 && i == 5
visit item->real > 4.5
visit own == 4
visit $_streq(item->name, "kb")
visit 1 / (i - 5)
visit i == 5 && 1 / (i - 5)
visit i > 4 && *(int *) 0 == 1
quick $edi == 10
quick i == 10 || i == 30
quick item->number == 10
line i == 10
END
both "$@"
same_both "the same of $places conditions"
same "each is met, or can't be told" "$((places * 2))" "$(grep -c 'hit Breakpoint' "$work/target")"

# ---- Breakpoints together ----
both "go $begin" 'break visit if i == 20' 'break visit if i == 30' 'break visit if 0' 'continue' 'print i' 'continue' 'print i' 'reverse-continue' 'print i' \
    'condition 1 i == 25' 'continue' 'print i' 'condition 3' 'continue' 'print i' 'condition 3 i == 31' 'ignore 2 1' 'continue' 'print i' 'info breakpoints' \
    'delete' 'tbreak visit if i == 32' 'continue' 'print i' 'break visit thread 2 if i == 33' 'continue' 'print i' 'break visit thread 1 if i == 34' \
    'break visit if i == 35' 'continue' 'print i' 'info breakpoints' 'set var $wanted = 36' 'condition 7 i == $wanted' 'continue' 'print i'
same_both "the same of several at one place"
same "where they are met" '20 30 20 25 26 31 32 33 35 36' "$(sed -n 's/^\$[0-9]* = //p' "$work/target" | tr '\n' ' ' | sed 's/ $//')"

# ---- Steps ----
both "go $begin" 'break work' 'continue' 'next' 'next' 'next' 'break visit if i == 1' 'break quick if i == 2' 'next' 'next' 'next' 'next' 'next' 'finish' \
    'reverse-finish' 'reverse-next' 'reverse-next' 'reverse-next' 'reverse-next' 'reverse-next' 'delete 1' 'until' 'advance fill' 'watch total if total > 100000000000' \
    'continue' 'print i' 'reverse-continue' 'reverse-continue' 'print i'
same_both "steps over them are the same"

behind=$(grep -n '// behind a call$' "$here/conditions/conditions.c" | cut -d: -f1)
both "go $begin" 'break work' 'continue' "break conditions.c:$behind if i == 100" 'break quick if i == 100' 'break fill if i == 100' 'break visit if i == 100' \
    'next' 'next' 'next' 'step' 'step' 'reverse-next' 'reverse-next' 'reverse-next' 'reverse-step' 'reverse-next' 'next' 'next' 'step' 'finish' 'next' 'next' 'next'
same_both "steps that end, and begin, where a condition never holds"
same "none of them runs away" 0 "$(grep -c 'exits with' "$work/target")"

# ---- Any commands, in one thread and in three ----
any() { # any SEED: a command a line
    awk -v seed="$1" -v behind="$behind" -v moves_n="${WALK_MOVES:-24}" 'BEGIN {
        srand(seed)
        places = split("visit fill quick conditions.c:" behind " conditions.c:" behind + 1 " *visit", place, " ")
        moves = split("next next next step step finish continue reverse-next reverse-next reverse-step reverse-finish reverse-continue until", move, " ")
        for (n = 0; n < moves_n; n++) {
            if (n % 6 == 0)
                print "break " place[1 + int(rand() * places)] " if i % " 3 + int(rand() * 9) " == " int(rand() * 4)
            if (n % 20 == 19)
                print "delete " 1 + int(rand() * n / 6)
            print move[1 + int(rand() * moves)]
        }
    }'
}
walk() { # walk NAME SEED...
    name=$1
    shift
    for seed; do
        set --
        any "$seed" >"$work/any"
        while read -r command; do set -- "$@" "$command"; done <"$work/any"
        both "go $begin" 'break work' 'continue' "$@" 'monitor instructions'
        same_both "$name, seed $seed: $(grep -c '^[0-9]' "$work/target") lines"
    done
}
# shellcheck disable=SC2086
walk "in one thread" ${WALK_SEEDS:-1}

# ---- A change ----
both "go $begin" 'break visit if i == 30' 'continue' 'set var item->number = 5' 'condition 1 item->number == 5 || items[6].number == 46' 'continue' 'print i' \
    'reverse-continue' 'print i'
same_both "off the recorded run, too"

# ---- Several threads ----
run 0 "a run of three threads" "$REWIND" run --mem 128 --swap 0 --root "$work/root.tar" --cwd /src -- ./conditions 12 3
pid=$("$REWIND" ps -a @ | sed -n 's|^ *\([0-9]*\) *\./conditions.*|\1|p' | head -n 1)
begin=$(step_of begin) end=$(step_of end)
# shellcheck disable=SC2086
walk "in three" ${WALK_SEEDS:-4}

# ---- The kernel ----
pid='' options=--kernel
both 'break vfs_write if $rdx == 10' 'continue' 'print $rdx' 'monitor instructions' 'delete' 'break vfs_write if $rdx == 8' 'reverse-continue' 'print $rdx' \
    'monitor instructions'
same_both "the same of the guest's kernel"

# ---- And gdb is not asked in between ----
run 0 "a longer run" "$REWIND" run --mem 128 --swap 0 --root "$work/root.tar" --cwd /src -- ./conditions 1000
pid=$("$REWIND" ps -a @ | sed -n 's|^ *\([0-9]*\) *\./conditions.*|\1|p' | head -n 1)
begin=$(step_of begin) end=$(step_of end) options=''
debug "$begin" 'set debug remote 1' 'break visit if i == 700' 'continue' 'set debug remote 0' 'print i'
same "a hit of 700 is asked about, forwards" '1 700' \
    "$(grep -c 'Sending packet: \$vCont;c' "$work/out") $(sed -n 's/^\$1 = //p' "$work/out")"
debug "$end" 'set debug remote 1' 'break visit if i == 300' 'reverse-continue' 'set debug remote 0' 'print i'
same "a hit of 700 is asked about, backwards" '1 300' \
    "$(grep -c 'Sending packet: \$bc' "$work/out") $(sed -n 's/^\$1 = //p' "$work/out")"
finish
