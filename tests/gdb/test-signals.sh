#!/bin/sh
# SPDX-License-Identifier: MIT
#
# What a signal says is what it says outside: who sent it, how a child ended; and one thread that goes on alone.
. "$(dirname "$0")/lib.sh"
here=$(cd "$(dirname "$0")" && pwd)

"$EXAMPLES/pack.sh" "$here/signals" -o "$work/root.tar" >"$work/err" 2>&1
run 0 "a run" "$REWIND" run --mem 128 --swap 0 --root "$work/root.tar" --cwd /src -- ./signals
pid=$("$REWIND" ps -a @ | sed -n 's|^ *\([0-9]*\) *\./signals.*|\1|p' | head -n 1)
last=$("$REWIND" events -k output @ | sed -n 's/^ *\([0-9]*\) .*end of it.*/\1/p')

# What is known of a signal, at each stop.
look() {
    for n in 1 2 3 4 5 6; do
        printf '%s\n' "$1"
        cat <<'END'
printf "%d %d\n", $_siginfo.si_signo, $_siginfo.si_code
printf "by its child %d, by itself %d, status %d\n", $_siginfo._sifields._sigchld.si_pid == child, $_siginfo._sifields._kill.si_pid == self, $_siginfo.si_signo == 17 ? $_siginfo._sifields._sigchld.si_status : 0
printf "where it divides %d\n", (long) $_siginfo._sifields._sigfault.si_addr == (long) $pc
END
    done
}
answers() {
    grep -E '^(-?[0-9]+ -?[0-9]+$|by its child|where it divides)' "$1"
}

mkdir "$work/root"
tar -C "$work/root" -xf "$work/root.tar"
{
    echo run
    look continue | sed 1d
} >"$work/ask"
(cd "$work/root/src" && timeout 60 gdb -nx -batch -iex 'set auto-load off' -ex 'set debuginfod enabled off' -ex 'handle all stop print pass' \
    -x "$work/ask" ./signals) >"$work/raw" 2>&1 </dev/null
answers "$work/raw" >"$work/outside"
look continue >"$work/ask"
debug "$last" 'handle all nostop noprint' reverse-continue 'handle all stop print pass' "source $work/ask"
answers "$work/out" >"$work/inside"
same "the stops, and what each says" 18 "$(wc -l <"$work/inside")"
cmp -s "$work/outside" "$work/inside" || diff "$work/outside" "$work/inside" | sed 's/^/# /'
cmp -s "$work/outside" "$work/inside"
ok $? "as outside"
look reverse-continue >"$work/ask"
debug "$last" 'handle all stop print pass' "source $work/ask"
answers "$work/out" | paste - - - | tac | tr '\t' '\n' >"$work/backwards"
cmp -s "$work/inside" "$work/backwards"
ok $? "backwards the same"

# ---- Off the recorded run ----
debug "$last" 'handle all nostop noprint' reverse-continue 'break have_child' continue 'set var status = 6' 'handle all stop print pass' delete continue \
    'print $_siginfo.si_signo == 10 && $_siginfo._sifields._kill.si_pid != 0 && $_siginfo._sifields._kill.si_pid == child'
has out "who sent one that was not recorded" '^\$1 = 1$'

# ---- A function that is called where a signal has come ----
debug "$last" 'handle all nostop noprint' reverse-continue 'handle SIGUSR1 stop print pass' continue 'print (int) divide(2)' back \
    'handle all nostop noprint' continue
has out "it is called" '^\$1 = 3$'
has out "and back the program goes on to its end" '^rewind: process [0-9]+ exits with 0$'

# The handler is still to come then, and runs once the program goes on.
debug "$last" 'handle all nostop noprint' reverse-continue 'handle SIGUSR1 stop print pass' continue 'print (int) divide(2)' 'print (int) divide(3)' 'print got' \
    'break on_signal' continue 'print number' 'bt 3' finish delete 'break have_child' continue 'print got'
has out "two functions are called" '^\$2 = 2$'
has out "the signal is not taken meanwhile" '^\$3 = 0$'
has out "its handler comes" '^\$4 = 10$'
has out "in what was interrupted" '^#1 +<signal handler called>'
has out "and returns to it" '^\$5 = 0$'
debug "$last" 'handle all nostop noprint' reverse-continue 'handle SIGUSR1 stop print pass' continue 'set var zero = 5' stepi 'frame' 'handle all nostop noprint' continue
has out "a step leads into it" '^#0 +on_signal \(number=10\)|^#0 .* on_signal'
has out "where the course is another one" '^rewind: process [0-9]+ exits with 1$'

# ---- A function that is called where a signal ends the process ----
while read -r how signal status calls; do
    run "$status" "it ends: $how" "$REWIND" run --mem 128 --swap 0 --root "$work/root.tar" --cwd /src -- ./ends "$how"
    pid=$("$REWIND" ps -a @ | sed -n 's|^ *\([0-9]*\) *\./ends.*|\1|p' | head -n 1)
    last=$("$REWIND" events -k exit @ | sed -n "s|^ *\([0-9]*\) *$pid/$pid .*|\1|p" | tail -n 1)
    debug "$last" 'handle all nostop noprint' reverse-continue 'handle all stop print pass' continue 'monitor when' 'print triple(7)' \
        'set var calls = calls + 10' 'print triple(calls)' continue continue 'monitor back' 'monitor when' 'print calls'
    has out "$how: a function is called" '^\$1 = 21$'
    has out "$how: and another, of what was written" "^\\\$2 = $((3 * (calls + 11)))\$"
    same "$how: the signal is taken, and again" 2 "$(grep -c "^Program received signal $signal" "$work/out")"
    has out "$how: it ends the process" "^rewind: process $pid ends by $signal"
    same "$how: and back" 1 "$(grep -E '^[0-9]+(\+[0-9]+)?$' "$work/out" | sort -u | wc -l)"
    has out "$how: nothing is left of it" "^\\\$3 = $calls\$"
done <<END
abort SIGABRT 134 1
fault SIGSEGV 139 2
kill SIGKILL 137 1
END

# ---- One thread alone ----
pid='' options=''
"$EXAMPLES/pack.sh" bank -o "$work/root.tar" >"$work/err" 2>&1
run 0 "a run of two threads" "$REWIND" run --mem 128 --swap 0 --root "$work/root.tar" --cwd /src -- ./bank
pid=$("$REWIND" ps -a @ | sed -n 's|^ *\([0-9]*\) *\./bank.*|\1|p' | head -n 1)
last=$("$REWIND" events -k exit @ | sed -n "s|^ *\([0-9]*\) *$pid/$pid .*|\1|p")
# Where each hit is, "THREAD COUNT" a line, with so many of them asked for; to the end of the run.
hits() { # hits MODE THREAD COMMAND TIMES
    mode=$1 thread=$2 command=$3 times=$4
    set -- 'break work' reverse-continue reverse-continue delete
    [ "$command" = continue ] || set --
    set -- "$@" "thread $thread" "set scheduler-locking $mode" 'break deposit'
    for n in $(seq "$times"); do set -- "$@" "$command" 'monitor instructions'; done
    debug "$last" "$@"
    awk '/hit Breakpoint .* deposit/ { thread = $2 } /^[0-9]+$/ && thread { print thread, $1; thread = "" }' "$work/out"
}

hits off 2 continue 9 >"$work/all"
same "two threads are stopped" '2 3' "$(cut -d' ' -f1 "$work/all" | sort -u | tr '\n' ' ' | sed 's/ $//')"
for thread in 2 3; do
    grep "^$thread " "$work/all" >"$work/one"
    hits on $thread continue "$(wc -l <"$work/one")" >"$work/locked"
    same "thread $thread alone" "$(cat "$work/one")" "$(cat "$work/locked")"
done
debug "$last" 'break work' reverse-continue reverse-continue delete 'thread 2' 'set scheduler-locking step' 'break deposit if amount > 40' next next next next next \
    'print $_thread' 'set scheduler-locking on' step step 'print $_thread' 'reverse-step' 'reverse-next' 'print $_thread' 'delete' continue 'info threads' \
    'set scheduler-locking off' reverse-continue
same "steps stay in their thread" '2 2 2' "$(sed -n 's/^\$[0-9]* = //p' "$work/out" | tr '\n' ' ' | sed 's/ $//')"
has out "and lead to the end" '^rewind: process [0-9]+ exits with'
finish
