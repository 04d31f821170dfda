#!/bin/sh
# SPDX-License-Identifier: MIT
#
# What the tasks of a job meet on: files by their names from the root, directories, locks, processes.
. "$(dirname "$0")/lib.sh"
root=$work/root
mkdir -p "$root/bin" "$root/tmp" "$root/proc"
cp /bin/busybox "$root/bin/"
for library in /usr/bin/flock $(ldd /usr/bin/flock | grep -o '/[^ ]*'); do
    mkdir -p "$root$(dirname "$library")" && cp "$library" "$root$library"
done
for applet in sh cat kill ln ls mkdir mv rm rmdir sleep; do ln -s busybox "$root/bin/$applet"; done

meet() { # meet NAME SCRIPT
    run 0 "$1" "$REWIND" run -q --root "$root" --cwd /tmp -- sh -c "$2"
    "$REWIND" conflicts @ >"$work/out" 2>"$work/err"
}
meets_not() { # meets_not NAME PATTERN
    ! grep -E -e "$2" "$work/out"
    ok $? "$1"
}

# ---- Files ----

meet "files of one name in two directories" 'mkdir a b; (cd a; echo 1 >x) & (cd b; echo 2 >x) & wait'
meets_not "they are two" '^path .*x,'
meets_not "that names came to two directories is no meeting" '^path /tmp/[ab]/,'
meet "one file by other ways" 'mkdir a; ln -s a c; (echo 1 >c/y) & (cd a; echo 2 >./y) & (cd c; cat ../a/y) & wait'
has out "it is one" '^path /tmp/a/y, 3 tasks$'
meets_not "and no other" '^path .*c/y,'
meet "one that is renamed while it is open" 'exec 3>old; mv old new; (echo 1 >&3) & (cat new) & wait'
has out "it is what it is called then" '^path /tmp/new, [0-9]+ tasks$'
has out "who writes it" ' changes +[0-9]+  write$'
meet "a directory that is read, and a file that goes" 'mkdir d; echo 1 >d/x; (ls d) & (rm d/x) & wait'
has out "they meet on it" '^path /tmp/d/, [0-9]+ tasks$'
has out "who reads it" ' reads +[0-9]+  getdents64$'
has out "who changes it" ' changes +[0-9]+  unlink(at)?$'

# ---- Locks ----

meet "a lock" 'for i in 1 2; do (flock 9; echo $i >>log) 9>lock & done; wait'
has out "it is no part of its file" '^lock flock /tmp/lock, [0-9]+ tasks$'

# ---- Processes ----

meet "a process that is asked for" 'sleep 1 & sleep 0.1; cat /proc/$!/cmdline >seen; kill $!; wait'
has out "who looks and who executes a program" ' reads +[0-9]+  open(at)?$'
has out "meet on it" ' changes +[0-9]+  execve$'
meet "all processes" '(ls /proc >seen) & (cat /dev/null) & wait'
has out "their list" '^path /proc/, [0-9]+ tasks$'

# ---- Signals ----

meet "a signal" 'trap "echo got" USR1; (sleep 0.1; kill -USR1 $$) & wait; wait'
has out "its handler is a task of its own" '^  1!SIGUSR1 +'
has out "what is done about it meets who sends it" '^signal SIGUSR1 of process [0-9]+, 2 tasks$'
"$REWIND" conflicts --json @ >"$work/out"
has out "so it is called in JSON" '"task": ?"1!SIGUSR1"'
finish
