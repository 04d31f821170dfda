#!/bin/sh
# SPDX-License-Identifier: MIT
#
# The guest: what programs find in it, what it reports of them, how it ends.
. "$(dirname "$0")/../app/lib.sh"

root=$work/root
mkdir -p "$root/bin" "$root/etc" "$root/opt"
cp /bin/busybox "$root/bin/"
cp "$GUEST_EVENTS" "$root/bin/guest-events"
for applet in sh cat cp echo grep head hostname id kill ls mkdir mv nproc ping printf rm rmdir sleep stat \
    taskset timeout true tty; do
    ln -s busybox "$root/bin/$applet"
done
printf '#!/bin/sh\necho "from $0"\n' >"$root/opt/script"
printf '#!/none\n' >"$root/opt/lost"
printf '#!/opt/loop\n' >"$root/opt/loop"
chmod 755 "$root"/opt/*

record() { "$REWIND" run --root "$root" "$@"; }
events() { "$REWIND" events --all "$@" @ >"$work/out" 2>"$work/err"; }

# ---- What programs find ----

run 0 "devices" record -- sh -c 'echo out >/dev/stdout; echo err >/dev/stderr; stat -c "%a %t:%T %n" /dev/null /dev/tty
    stat -c "%a" /tmp /dev/shm; cat </dev/null; head -c 3 /dev/zero | cat >/dev/full || echo full; ls /dev/pts'
has out "stdout opened again" '^out$'
has err "stderr opened again" '^err$'
has out "null" '^666 1:3 /dev/null$'
has out "the mode of /tmp" '^1777$'
has out "a full device" '^full$'
run 0 "names" record -- sh -c 'hostname; cat /etc/hosts; ping -c 1 localhost; ping -6 -c 1 ::1'
has out "localhost" '^127\.0\.0\.1.*localhost'
has out "replies" '1 packets received'
run 0 "a user" record --user 7:8 -- sh -c 'id; echo x >/dev/stdout; echo y >/tmp/mine'
has out "has its groups" 'uid=7.* gid=8'
has out "and writes to its output" '^x$'
run 1 "no terminal" record -- tty
has out "is none" '^not a tty$'
run 0 "a kernel of features" record -- guest-events features
run 0 "exact timers" record -- guest-events timers

# ---- Processors ----

run 0 "processors" record --cores 4 -- sh -c 'nproc; grep -c ^processor /proc/cpuinfo; grep -c "^cpu[0-9]" /proc/stat
    cat /sys/devices/system/cpu/online; ls -d /sys/devices/system/cpu/cpu3; grep Cpus_allowed_list /proc/self/status'
same "are counted alike" '4 4 4 0-3 /sys/devices/system/cpu/cpu3 Cpus_allowed_list:	0-3' "$(tr '\n' ' ' <"$work/out" | sed 's/ $//')"
run 0 "affinity" record --cores 4 -- guest-events affinity
run 0 "one is one" record -- sh -c 'nproc; cat /sys/devices/system/cpu/online'
same "one" '1 0' "$(tr '\n' ' ' <"$work/out" | sed 's/ $//')"

# ---- What is reported ----

run 0 "writes" record -- guest-events writes
events -k write
has out "a file's" 'write to "/tmp/file" at 0 = 10$'
has out "a pipe's" 'pipe:\['
has out "a socket's" 'socket:\['
has out "and one that fails" 'EPIPE'
"$REWIND" events --all --json -k write @ >"$work/out" 2>"$work/err"
has out "with its place" '"offset":100'
run 0 "opens" record -- guest-events opens
events -k open
has out "of what is missing" '"/etc/missing".*ENOENT'
has out "from the working directory" '"/tmp/not/there".*ENOENT'
has out "where it may not be" '"/tmp".*EISDIR'
has out "resolved" '"/tmp/made".* = [0-9]+$'
run 0 "signals" record -- guest-events signals
events -k signal,exit
has out "a handler's" 'SIGUSR1'
has out "a fault with its address" 'SIGSEGV .*addr=0x1234'
same "the fatal ones once each" '1 1' "$(grep -c ' SIGSEGV ' "$work/out") $(grep -c ' SIGTERM ' "$work/out")"
has out "and how the process ended" 'killed by SIGTERM'
run 0 "marks and names" record -- sh -c 'printf "one\ntwo" >/dev/mark; mkdir /tmp/d; echo >/tmp/d/f; mv /tmp/d/f /tmp/d/g
    rm /tmp/d/g; rmdir /tmp/d; rmdir /tmp/none; true'
events
has out "a mark" 'mark "one"'
has out "a mark without newline" 'mark "two"'
has out "rename" 'rename\("/tmp/d/f", "/tmp/d/g"\)'
has out "unlink" 'unlink\("/tmp/d/g"\)'
has out "rmdir" 'rmdir\("/tmp/d"\)'
has out "one that fails" 'rmdir\("/tmp/none"\).*ENOENT'
has out "context switches" 'gives the CPU to'
run 0 "a script" record -- /opt/script
events -k exec
has out "is what was executed" 'execve\("/opt/script", \["/bin/sh", "/opt/script"\]\)'

# ---- How it ends ----

run 0 "a thread that spins is preempted" record -- guest-events spin
run 143 "so is a computation that time ends" record -- timeout 1 sh -c 'while true; do true; done'
run 127 "an interpreter that is not there" record -- /opt/lost
has err "is said to be missing" '^rewind: /opt/lost: its interpreter is not in the root: /none$'
run 126 "a program that is none" record -- /opt/loop
has err "says so" '^rewind: /opt/loop: '
# Programs that no kernel of this kind executes: the head of an ELF file is enough.
elf() { # elf CLASS MACHINE
    printf "\\177ELF\\00$1\\001\\001\\0\\0\\0\\0\\0\\0\\0\\0\\0\\002\\0\\$2\\0\\001\\0\\0\\0"
    head -c 200 /dev/zero
}
elf 1 003 >"$root/opt/m32"
elf 2 267 >"$root/opt/arm64"
printf '#!/opt/m32\n' >"$root/opt/of-m32"
printf 'echo "no header"\n' >"$root/opt/plain"
cp "$GUEST_LOST_LOADER" "$root/opt/lost-loader"
chmod 755 "$root"/opt/*
run 126 "a 32-bit program" record -- /opt/m32
has err "is called one" '^rewind: /opt/m32: a 32-bit program: only 64-bit programs run here$'
run 126 "found by PATH" record -e PATH=/none:/opt:/bin -- m32
has err "it is, too" '^rewind: /opt/m32: a 32-bit program'
run 126 "another processor's program" record -- /opt/arm64
has err "is called that" '^rewind: /opt/arm64: a program for another kind of processor'
run 126 "a script of a program that cannot be executed" record -- /opt/of-m32
has err "names it" '^rewind: /opt/of-m32: its interpreter cannot be executed here: /opt/m32$'
run 127 "a program whose loader is not there" record -- /opt/lost-loader
has err "names it" '^rewind: /opt/lost-loader: its loader is not in the root: /lib64/none.so$'
run 0 "a script without a header" record -- /opt/plain
has out "is the shell's" '^no header$'
run 126 "a directory that goes before the job" record --cwd /tmp/none -- true
has err "is named" '^rewind: /tmp/none: the directory to start in: No such file'
run 127 "a command that may come later" record --cwd /tmp -- ./none
has err "is named" '^rewind: \./none: No such file'
rm "$root/opt/m32" "$root/opt/arm64" "$root/opt/of-m32" "$root/opt/plain" "$root/opt/lost-loader"

run 0 "processes that stay behind" record -- sh -c 'sleep 1000 & sleep 1000 &'
has err "are not waited for" ' 0\.[0-9]*s virtual'
"$REWIND" run --root "$root" -- sh -c 'kill -STOP $$' >"$work/out" 2>"$work/err"
has err "nothing can happen any more" 'stalled'

finish
