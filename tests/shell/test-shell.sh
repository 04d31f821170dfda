#!/bin/sh
# SPDX-License-Identifier: MIT
#
# A shell among a run's processes: pipes, terminals, namespaces, what stands still and what is left behind.
. "$(dirname "$0")/../app/lib.sh"
here=$(cd "$(dirname "$0")" && pwd)

root=$work/root
mkdir -p "$root/bin" "$root/etc" "$root/opt/sub"
cp /bin/busybox "$root/bin/"
for applet in cat chroot cmp echo env false head grep kill ln ls mkdir mkfifo mount ps pwd rm seq sh sha256sum sleep stty \
    timeout touch tty unshare vi wc; do
    ln -s busybox "$root/bin/$applet"
done
echo "of the image" >"$root/etc/motd"
find "$root" -exec touch -h -d @1700000000 {} +

record() { "$REWIND" run --root "$root" "$@"; }
mark() { "$REWIND" events -k mark @ | sed -n "s/^ *\([0-9]*\)  *[0-9/]* *mark \"$1\"$/\1/p"; }
marker() { "$REWIND" events -k mark @ | sed -n "s/^ *[0-9]*  *\([0-9]*\)\/.* mark \"$1\"$/\1/p"; }
sh_() { # sh_ STATUS NAME ARGUMENT...: rewind shell @ ...
    wanted=$1 name=$2
    shift 2
    run "$wanted" "$name" timeout 120 "$REWIND" shell @ "$@" <"${input:-/dev/null}"
}
of_run() { (cd "$REWIND_HOME/runs/$id" && find . -type f | sort | xargs sha256sum) | sha256sum; }

run 0 "a run" record --env COLOUR=green -- sh -c 'cd /opt; echo one >/tmp/f; exec 7<>/tmp/f
    (while :; do :; done) & sleep 1000 & echo a >/dev/mark; mkfifo /tmp/p; cat /tmp/p & echo b >/dev/mark
    sleep 1; kill %1 %2; echo x >/tmp/p; wait; echo end'
id=$("$REWIND" ls --json | sed -n '1s/.*"id":"\([0-9a-f]*\)".*/\1/p')
a=$(mark a) b=$(mark b) job=$(marker a)
before=$(of_run)

# ---- Pipes ----

sh_ 0 "a command" "$b" -- echo hello
same "what it prints" hello "$(cat "$work/out")"
same "and nothing else" '' "$(cat "$work/err")"
sh_ 3 "a status" "$b" -- sh -c 'echo out; echo err >&2; exit 3'
same "its output" out "$(cat "$work/out")"
same "its errors" err "$(cat "$work/err")"
sh_ 137 "a signal" "$b" -- sh -c 'kill -9 $$'
sh_ 127 "no such command" "$b" -- nothing
has err "says so" '^rewind: nothing: command not found$'
sh_ 126 "not executable" "$b" -- /etc/motd
head -c 1000000 /dev/urandom >"$work/binary"
input=$work/binary
sh_ 0 "a megabyte" "$b" -- cat
cmp -s "$work/out" "$work/binary"
ok $? "comes back byte for byte"
input=
printf 'echo $((6 * 7))\nexit 5\n' >"$work/script"
input=$work/script
sh_ 5 "a script for the shell" "$b"
same "runs" 42 "$(cat "$work/out")"
input=
sh_ 0 "nobody reads the input" "$b" -- true
{ sleep 2; echo late; } | timeout 60 "$REWIND" shell @ "$b" -- cat >"$work/out" 2>"$work/err"
ok $? "input that comes late"
same "is there" late "$(cat "$work/out")"
"$REWIND" shell @ "$b" -- seq 100000000 2>"$work/err" | head -n 1 >"$work/out"
same "a reader that goes away" 1 "$(cat "$work/out")"
sh_ 1 "input that never comes" "$b" -- cat /tmp/p
has err "is found out" 'waits for something that does not come'

# ---- Its place ----

sh_ 0 "where" "$b" --pid "$job" -- sh -c 'pwd; echo $COLOUR; ls -l /proc/self/exe >/dev/null && id -u; cat /tmp/f'
same "directory, environment, user, files" "/opt green 0 one" "$(tr '\n' ' ' <"$work/out" | sed 's/ $//')"
sh_ 0 "its descriptors" "$b" -- ls -l "/proc/$job/fd"
has out "are what they were" ' 7 -> /tmp/f$'
sh_ 0 "processes" "$b" -- ps
has out "the run's" " sleep 1000"
grep -q 'ps$' "$work/out"
same "and not the shell's" 1 $?
sh_ 3 "no such process" "$b" --pid 30000 -- true
one_line "one line"

# ---- The others ----

cat >"$work/looks" <<END
look() { for p in /proc/[0-9]*; do [ \${p#/proc/} -lt $job ] || cat \$p/stat \$p/status \$p/wchan \$p/syscall; done; }
look >/tmp/1
sleep 20
i=0
while [ \$i -lt 300000 ]; do i=\$((i + 1)); done
look >/tmp/2
wc -l </tmp/1
exec cmp /tmp/1 /tmp/2
END
input=$work/looks
sh_ 0 "two looks show the same" "$b"
input=
[ "$(cat "$work/out")" -gt 100 ]
ok $? "of all of them"
sh_ 0 "a signal to one of them" "$b" -- sh -c "kill -9 $job; sleep 1; cat /proc/$job/comm"
same "which it does not take" sh "$(cat "$work/out")"

# ---- Time ----

start=$(date +%s)
sh_ 0 "sleep, with no more input" "$b" -- sleep 100
same "costs nothing" 1 $(($(date +%s) - start < 30))
sh_ 143 "a timeout" "$b" -- timeout 2 sleep 100

# ---- What is kept ----

sh_ 0 "written" "$b" --keep "$work/kept" -- sh -c 'cd $REWIND_KEEP; mkdir -p d/e; echo text >d/e/f; ln -s /etc/passwd link
    ln -s .. up; mkfifo fifo; head -c 300000 /dev/urandom >big; sha256sum <big; chmod 4755 d/e/f; chmod 500 d'
same "is copied" text "$(cat "$work/kept/d/e/f")"
same "whole" "$(cat "$work/out")" "$(sha256sum <"$work/kept/big")"
same "with modes" "755 500" "$(cd "$work/kept" && stat -c %a d/e/f d | tr '\n' ' ' | sed 's/ $//')"
same "links as they are" "/etc/passwd .." "$(readlink "$work/kept/link" "$work/kept/up" | tr '\n' ' ' | sed 's/ $//')"
has err "others are not" '^rewind: --keep: 1 devices, FIFOs or sockets are left out$'
sh_ 1 "again to the same place" "$b" --keep "$work/kept" -- sh -c 'echo >$REWIND_KEEP/big'
one_line "is refused"
chmod 700 "$work/kept/d"

# ---- A terminal ----

if command -v python3 >/dev/null; then
    python3 "$here/terminal.py" "$REWIND" "$b" >"$work/tap" 2>&1
    status=$?
    sed 's/^/# /' "$work/tap"
    ok $status "on a terminal"
fi

# ---- Programs that are brought along ----

with=$work/with
mkdir -p "$with/usr/bin" "$with/etc/alternatives" "$with/lib64"
ln -s usr/bin "$with/bin"
bring() { # bring PROGRAM: with its libraries
    cp "$1" "$with/usr/bin/"
    for file in $(ldd "$1" | grep -o '/[^ ]*'); do
        mkdir -p "$with$(dirname "$file")"
        cp -L "$file" "$with$file"
    done
}
cat >"$work/tool.c" <<'END'
#include <dlfcn.h>
#include <stdio.h>
int main(int argc, char **argv) { printf("%s %d\n", argv[0], argc); return 9; }
END
gcc -o "$work/tool" "$work/tool.c"
bring "$work/tool"
ln -s /usr/bin/tool "$with/etc/alternatives/other"
ln -s /etc/alternatives/other "$with/usr/bin/other"
printf '#!/usr/bin/tool here\n' >"$with/usr/bin/script"
chmod 755 "$with/usr/bin/script"
sh_ 9 "a program of another root" "$b" --with "$with" -- tool a b
same "with its own libraries" "/rewind/with/usr/bin/tool 3" "$(cat "$work/out")"
sh_ 9 "by a link from its root" "$b" --with "$with" -- other
same "has the link's name" "/rewind/with/usr/bin/other 1" "$(cat "$work/out")"
sh_ 9 "a script of it" "$b" --with "$with" -- script a
same "and its interpreter" "/rewind/with/usr/bin/tool 4" "$(cat "$work/out")"
mkdir -p "$work/second/bin"
cp /bin/busybox "$work/second/bin/static"
head -c 3000000 /dev/urandom >"$work/second/large"
sh_ 0 "two roots" "$b" --with "$with" --with "$work/second" -- sh -c 'static echo x; tool >/dev/null; sha256sum </rewind/with2/large'
same "and what is in them" "$(sha256sum <"$work/second/large")" "$(tail -n 1 "$work/out")"
sh_ 1 "no such root" "$b" --with "$work/nowhere" -- true
one_line "one line"
if command -v gdb >/dev/null && command -v strace >/dev/null; then
    bring "$(command -v strace)"
    bring "$(command -v gdb)"
    mkdir -p "$with/usr/share" "$with/usr/lib"
    cp -r /usr/share/gdb "$with/usr/share/"
    cp -r /usr/lib/python3.* "$with/usr/lib/" 2>/dev/null
    cat >"$work/stuck.c" <<'END'
#include <fcntl.h>
#include <unistd.h>
int value = 42;
static void stuck(void) { pause(); }
int main(void) { write(open("/dev/mark", O_WRONLY), "stuck\n", 6); stuck(); }
END
    gcc -g -O0 -static -o "$root/bin/stuck" "$work/stuck.c"
    run 0 "something to debug" record -- sh -c 'stuck & echo m >/dev/mark; sleep 1; echo late >/dev/mark; kill %1; wait'
    sh_ 0 "gdb" "$(mark late)" --with "$with" -- gdb -q -batch -p "$(marker stuck)" -ex 'print value' -ex bt -ex 'set var value = 7' -ex 'print value'
    has out "sees it" '^\$1 = 42$'
    has out "knows where it is" 'stuck \(\)'
    has out "and changes it" '^\$2 = 7$'
    sh_ 0 "strace" "$(mark late)" --with "$with" -- sh -c 'strace -f -o /tmp/trace sh -c "exit 0"; cat /tmp/trace'
    has out "tells" 'exit_group\(0\)'
fi

# ---- Other roots and namespaces ----

run 0 "namespaces" record -- sh -c 'unshare -m -p -f -u sh -c "mount -t proc none /proc; mount -t tmpfs none /opt; hostname inside
    cd /opt; echo own >own; echo ns >/dev/mark; exit 0"; true'
sh_ 0 "are the process's" "$(mark ns)" --pid "$(marker ns)" -- sh -c 'cat own; /rewind/bin/hostname'
same "its files and names" "own inside" "$(tr '\n' ' ' <"$work/out" | sed 's/ $//')"
mkdir -p "$work/bare"
cat >"$work/bare.c" <<'END'
#include <unistd.h>
int main(void) { write(1, "x\n", 2); pause(); }
END
gcc -static -o "$work/bare/program" "$work/bare.c"
timeout 60 "$REWIND" run --root "$work/bare" -- /program >"$work/out" 2>"$work/err"
last=$("$REWIND" ls --json | sed -n '1s/.*"steps":\([0-9]*\),.*/\1/p')
input=$work/script
sh_ 5 "has busybox's" "$((last - 20))"
same "and runs" 42 "$(cat "$work/out")"
input=

# ---- Nothing is left ----

same "the recording is what it was" "$before" "$(of_run)"
finish
