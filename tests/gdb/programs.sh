#!/bin/sh
# SPDX-License-Identifier: MIT
#
# usage: programs.sh REWIND TEST_WALK [PROGRAM...]
#
# gdb on programs that nobody wrote for it, in a small Debian, nightly: all threads' frames, breakpoints, watchpoints, what is stepped over and
# back, calls of their functions, and 200 commands of any kind. Needs root, debootstrap and, the first time, the Debian mirror.
here=$(cd "$(dirname "$0")" && pwd)
REWIND=$(realpath "$1") TEST_WALK=$(realpath "$2")
export REWIND TEST_WALK
shift 2
. "$here/lib.sh"
"$here/../rootfs/debian.sh" "$work/debian.tar" >&2 || exit 1
mkdir "$work/job"
cat >"$work/job/threads.cc" <<'END'
#include <atomic>
#include <future>
#include <iostream>
#include <map>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

std::atomic<long> sum{0};
std::mutex lock;
std::map<std::string, int> seen;

__attribute__((noinline)) static void book(int who, const std::string &what)
{
    std::lock_guard<std::mutex> guard(lock);
    seen[what] += who;
    if (seen.size() == 3)
        throw std::runtime_error(what);
}

int main()
{
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; i++)
        threads.emplace_back([i] {
            for (int n = 0; n < 5; n++)
                try {
                    sum += i;
                    book(i, std::to_string(n));
                } catch (const std::exception &e) {
                    sum += 1000;
                }
        });
    for (auto &thread : threads)
        thread.join();
    std::cout << sum << ' ' << std::async(std::launch::async, [] { return 42; }).get() << '\n';
}
END
cat >"$work/job/threads.py" <<'END'
import queue
import threading

numbers, lock, total = queue.Queue(), threading.Lock(), 0


def work(name):
    global total
    while (number := numbers.get()) is not None:
        with lock:
            total += number * number


workers = [threading.Thread(target=work, args=(n,)) for n in range(3)]
for worker in workers:
    worker.start()
for number in list(range(20)) + [None] * 3:
    numbers.put(number)
for worker in workers:
    worker.join()
print(total)
END
g++ -std=c++20 -g -O1 -pthread "$work/job/threads.cc" -o "$work/job/threads" || exit 1
tar --append -C "$work" --owner 0 --group 0 --mtime @1700000000 -f "$work/debian.tar" job

# of PROGRAM FUNCTION WATCHED COMMAND...: a job whose last process of that name is looked at; a function that it comes to again and again
of() {
    program=$1 function=$2 watched=$3
    shift 3
    case " $chosen " in
    *" $program "* | "  ") ;;
    *) return ;;
    esac
    pid=''
    run 0 "$program: a run" "$REWIND" run --mem 256 --root "$work/debian.tar" --cwd /job -- "$@"
    pid=$("$REWIND" ps -a @ | awk -v name="$program" '$0 ~ "[ /]" name "( |$)" { print $1; exit }')
    last=$("$REWIND" events -k exit @ | sed -n "s|^ *\([0-9]*\) *$pid/$pid .*|\1|p" | tail -n 1)
    sum=$(sum_of_runs)
    look
    (cd / && "$TEST_WALK" @) >"$work/out" 2>&1
    ok $? "$program: 200 commands of any kind"
    same "$program: the run is what it was" "$sum" "$(sum_of_runs)"
}

# The lines that one printed behind a word.
said() {
    sed -n "s/^$1 //p" "$work/out" | tr '\n' ' '
}

where='printf "at %lx %lx\n", (long) $pc, (long) $sp'
# Libraries come after the start, to which all of it goes back first.
ask() {
    debug "$last" 'set breakpoint pending on' 'handle all nostop noprint' "$@"
}

look() {
    ask 'thread apply all backtrace 12' reverse-continue "break $function" continue "$where" 'thread apply all backtrace 12' \
        'stepi 40' "$where" 'reverse-stepi 40' "$where" delete 'stepi 40' "$where" 'reverse-stepi 40' "$where" reverse-continue continue
    ok $? "$program: both ways"
    has out "$program: to the start" "$no_more"
    has out "$program: it comes to $function" 'Breakpoint 1, '
    # shellcheck disable=SC2046
    set -- $(said at)
    same "$program: forty instructions there and back" "${1-} ${2-}" "${5-} ${6-}"
    same "$program: and once more" "${3-} ${4-} ${1-} ${2-}" "${7-} ${8-} ${9-} ${10-}"
    has out "$program: to its end" '^rewind: process [0-9]+ (exits|is killed)'
    ! grep -E 'Cannot access|corrupt stack|internal-error|Remote (connection|failure)|Ignoring packet|[Tt]imed out|warning: Invalid' "$work/out" | head -n 3 | sed 's/^/# /' | grep .
    ok $? "$program: nothing is amiss"

    # gdb itself loses its way in reverse-finish where the caller has no debug information, so the last instruction of it does.
    ask reverse-continue "break $function" continue delete "$where" reverse-stepi "$where" 'x/i $pc' stepi "$where" finish "$where"
    has out "$program: the call of it" '^=> 0x[0-9a-f]+.*:.*(call|jmp)'
    # shellcheck disable=SC2046
    set -- $(said at)
    [ $# = 8 ] && [ "$3" != "$1" ] && [ "$5 $6" = "$1 $2" ] && [ "$7" != "$1" ]
    ok $? "$program: leads there, and it returns"

    ask reverse-continue "break $function" continue delete "watch $watched" continue "$where" continue "$where" reverse-continue \
        "$where" reverse-continue "$where" reverse-continue 'stepi' "$where"
    same "$program: who writes: six times" 6 "$(grep -c '^New value' "$work/out")"

    ask reverse-continue "break $function" continue delete 'print (int) getpid()' 'print (long) time(0) > 0' 'print (int) getppid() > 0' \
        "$where" 'monitor back' "$where" continue
    has out "$program: a function is called" "^\\\$1 = $pid\$"
    same "$program: and another" 2 "$(grep -c -E '^\$[23] = (1|true)$' "$work/out")"
    set -- $(said at)
    same "$program: back" "${1-} ${2-}" "${3-} ${4-}"
    has out "$program: and it ends as it did" '^rewind: process [0-9]+ (exits|is killed)'
}

chosen="$*"
export GIT_CONFIG_GLOBAL=/dev/null
of sqlite3 sqlite3_step '*(long *) ($sp - 64)' sqlite3 :memory: \
    'create table t(a, b); with recursive n(i) as (select 1 union all select i + 1 from n where i < 50) insert into t select i, i * i from n; select sum(b) from t where a % 7 = 3;'
of git deflate '*(long *) ($sp - 64)' sh -c 'git init -q r 2>/dev/null; cd r; echo one >f; exec git hash-object -w f'
of bash execute_command '*(long *) ($sp - 64)' bash -c 'f() { for i in 1 2 3 4 5; do x=$((x + i)); done; echo $x | cat; }; f; f'
of threads '*book' sum ./threads
case " $chosen " in
*" threads "* | "  ")
    ask reverse-continue 'break *book' continue delete "$where" next reverse-finish 'x/i $pc' stepi "$where"
    has out "threads: back out of a function to its call" '^=> 0x[0-9a-f]+.*:.*call'
    # shellcheck disable=SC2046
    set -- $(said at)
    same "threads: which is the one that it came from" "${1-} ${2-}" "${3-} ${4-}"
    ;;
esac
of python3 _PyEval_EvalFrameDefault '*(long *) ($sp - 64)' python3 -IS threads.py
finish
