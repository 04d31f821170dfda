#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Looking into a run: files and /proc at a step, through the guest's agent.
. "$(dirname "$0")/../app/lib.sh"

root=$work/root
mkdir -p "$root/bin" "$root/etc" "$root/opt/sub" "$root/jail/bin"
cp /bin/busybox "$root/bin/"
for applet in sh cat chroot echo kill ln mkdir mkfifo mount rm sleep umount unshare; do
    ln -s busybox "$root/bin/$applet"
done
cp "$root/bin/busybox" "$root/jail/bin/sh"
echo "of the image" >"$root/etc/motd"
echo "of the image" >"$root/etc/changed"
head -c 5000000 /dev/urandom >"$root/opt/big"
mkdir "$root/opt/many"
(cd "$root/opt/many" && seq 1 3000 | xargs touch)
find "$root" -exec touch -h -d @1700000000 {} +

record() { "$REWIND" run --root "$root" "$@"; }
look() { # look STATUS NAME cat|files STEP ...: into the newest run
    wanted=$1 name=$2 command=$3
    shift 3
    run "$wanted" "$name" timeout 60 "$REWIND" "$command" @ "$@"
}
# The step, and the process, of the job's mark.
mark() { "$REWIND" events -k mark @ | sed -n "s/^ *\([0-9]*\)  *[0-9/]* *mark \"$1\"$/\1/p"; }
marker() { "$REWIND" events -k mark @ | sed -n "s/^ *[0-9]*  *\([0-9]*\)\/.* mark \"$1\"$/\1/p"; }
last() { "$REWIND" ls --json | sed -n '1s/.*"steps":\([0-9]*\),.*/\1/p'; }

# ---- Files that change ----

run 0 "files that change" record --name changes -- sh -c 'echo one >/tmp/f; echo a >/dev/mark
    echo two >>/tmp/f; echo changed >/etc/changed; mkfifo /tmp/fifo; ln -s f /tmp/l; mkdir /tmp/d; echo b >/dev/mark
    rm /tmp/f /etc/motd; echo c >/dev/mark; echo three >/tmp/f; echo end >/tmp/d/end'
a=$(mark a) b=$(mark b) c=$(mark c)
id=$("$REWIND" ls --json | sed -n '1s/.*"id":"\([0-9a-f]*\)".*/\1/p')
before=$(cat "$REWIND_HOME/runs/$id/manifest.json" "$REWIND_HOME/runs/$id/trace" | sha256sum)
trace=$(sha256sum <"$REWIND_HOME/runs/$id/trace")
look 0 "at first" cat "$a" /tmp/f
same "one line" one "$(cat "$work/out")"
look 0 "then" cat "$b" /tmp/f
same "two lines" "one two" "$(tr '\n' ' ' <"$work/out" | sed 's/ $//')"
look 0 "the same again" cat "$b" /tmp/f
look 3 "removed" cat "$c" /tmp/f
one_line "one line"
has err "says when" '^rewind: /tmp/f: not there at this step$'
same "and nothing else" '' "$(cat "$work/out")"
look 3 "below a file" cat "$b" /tmp/f/g
look 0 "at the end" cat "$(last)" /tmp/f
same "as the job left it" three "$(cat "$work/out")"
look 0 "made in the last moment" cat "$(last)" /tmp/d/end
look 0 "changed in the overlay, before" cat "$a" /etc/changed
same "is the image's" "of the image" "$(cat "$work/out")"
look 0 "and after" cat "$b" /etc/changed
same "is the job's" changed "$(cat "$work/out")"
look 3 "removed from the overlay" cat "$c" /etc/motd
look 0 "a symbolic link" cat "$b" /tmp/l
same "is followed" one "$(head -n 1 "$work/out")"
look 0 "five megabytes" cat "$b" /opt/big
cmp -s "$work/out" "$root/opt/big"
ok $? "byte for byte"
for what in /tmp/d /tmp/fifo /dev/zero /dev/ttyRW0 /dev/mark /dev/mqueue; do
    look 1 "$what is refused" cat "$b" "$what"
    one_line "one line"
done

# ---- Directories ----

look 0 "a directory" files "$b" /tmp
has out "a file" '^-rw-r--r-- +1 +0 +0 +8 [0-9]{4}-[0-9]{2}-[0-9]{2} [0-9:]{8} f$'
has out "a link" '^lrwxrwxrwx .* l -> f$'
has out "a FIFO" '^prw'
same "sorted" "d f fifo l" "$(sed 's/ -> .*//; s/.* //' "$work/out" | tr '\n' ' ' | sed 's/ $//')"
look 0 "the root" files "$b"
has out "has a sticky /tmp" '^drwxrwxrwt .* tmp$'
look 0 "many files" files "$b" /opt/many
same "all of them" 3000 "$(wc -l <"$work/out")"
look 0 "as objects" files "$b" /dev --json
json_lines "JSON"
has out "a device" '"name":"null","type":"c","mode":438,.*"major":1,"minor":3'
look 1 "a file is no directory" files "$b" /etc/changed
has err "says so" 'not a directory$'
look 3 "none" files "$b" /nowhere
look 0 "/proc" files "$b" /proc
has out "the job" " $(marker b)$"
look 2 "before the job" cat 1 /tmp/f
has err "says where it starts" 'starts at step [0-9]+$'
look 1 "past the end" cat 1000000 /tmp/f
look 2 "no step" cat x /tmp/f
look 2 "a path that is too long" cat "$b" "$(printf '%5000s' | tr ' ' x)"
run 0 "the run is what it was" "$REWIND" replay @
same "to the last byte" "$before" "$(cat "$REWIND_HOME/runs/$id/manifest.json" "$REWIND_HOME/runs/$id/trace" | sha256sum)"
run 0 "recorded again" record -q -- sh -c 'echo one >/tmp/f; echo a >/dev/mark
    echo two >>/tmp/f; echo changed >/etc/changed; mkfifo /tmp/fifo; ln -s f /tmp/l; mkdir /tmp/d; echo b >/dev/mark
    rm /tmp/f /etc/motd; echo c >/dev/mark; echo three >/tmp/f; echo end >/tmp/d/end'
same "it is the same run" "$trace" "$(sha256sum <"$REWIND_HOME/runs/$id/trace")"

# ---- Processes ----

run 0 "a process" record -- sh -c 'exec 7<>/tmp/deleted; echo gone >&7; rm /tmp/deleted; cd /opt; echo p >/dev/mark; true'
p=$(mark p) pid=$(marker p)
look 0 "its directory" cat "$p" big --pid "$pid"
cmp -s "$work/out" "$root/opt/big"
ok $? "is where paths start"
look 0 "listed" files "$p" --pid "$pid"
has out "what is there" ' sub$'
look 0 "its own /proc" cat "$p" /proc/self/status --pid "$pid"
has out "name" '^Name:.sh$'
has out "number" "^Pid:.$pid\$"
look 0 "its thread's" cat "$p" /proc/thread-self/comm --pid "$pid"
same "name" sh "$(cat "$work/out")"
look 0 "its memory" cat "$p" /proc/self/maps --pid "$pid"
has out "maps" 'r-xp .* /bin/busybox$'
look 0 "by its number" cat "$p" "/proc/$pid/cmdline"
same "command" sh "$(tr '\0' ' ' <"$work/out" | cut -d ' ' -f 1)"
look 0 "without a process" cat "$p" /proc/self/status
has out "it is init's" '^Pid:.1$'
look 0 "the kernel's log" cat "$p" /proc/kmsg
has out "is not waited for" 'Linux version'
timeout 60 "$REWIND" cat @ "$p" "/proc/$pid/pagemap" 2>"$work/err" | head -c 100000 | cat >"$work/out"
same "a file without an end, as far as it is read" 100000 "$(wc -c <"$work/out")"
look 0 "a deleted file" cat "$p" /proc/self/fd/7 --pid "$pid"
same "is still open" gone "$(cat "$work/out")"
look 1 "its output" cat "$p" /proc/self/fd/1 --pid "$pid"
look 0 "what it has open" files "$p" /proc/self/fd --pid "$pid"
has out "with targets" '7 -> "?/tmp/deleted \(deleted\)'
look 3 "no such process" cat "$p" /etc/motd --pid 30000
has err "says so" 'the process is not there at this step$'
look 3 "a process that has ended" cat "$(last)" big --pid "$pid"

run 0 "another root" record -- sh -c 'exec 9>/dev/mark; chroot /jail /bin/sh -c "echo in >/inside; echo jail >&9; exit 0"; true'
look 0 "is the process's" cat "$(mark jail)" /inside --pid "$(marker jail)"
look 3 "and not the job's" cat "$(mark jail)" /inside
look 0 "which has it elsewhere" cat "$(mark jail)" /jail/inside
run 0 "other namespaces" record -- sh -c 'exec 9>/dev/mark; unshare -m -p -f sh -c "mount -t proc none /proc; mount -t tmpfs none /opt
    echo own >/opt/own; echo ns >&9; exit 0"; true'
look 0 "are the process's" cat "$(mark ns)" /opt/own --pid "$(marker ns)"
look 3 "and not the job's" cat "$(mark ns)" /opt/own
look 0 "its own number" cat "$(mark ns)" /proc/self/status --pid "$(marker ns)"
has out "in its namespace" '^NSpid:.1$'
run 0 "no /proc" record -- sh -c 'cd /opt; umount -l /proc; echo u >/dev/mark; exit 0'
look 3 "is none" cat "$(mark u)" /proc/self/status
look 0 "but processes are found" cat "$(mark u)" /etc/motd --pid "$(marker u)"

# ---- Whatever else happens ----

run 0 "killing all" record -- sh -c 'kill -9 -1; kill -15 -1; echo k >/tmp/k; echo k >/dev/mark; exit 0'
look 0 "spares the agent" cat "$(mark k)" /tmp/k
run 0 "a computation" record -- sh -c 'echo s >/tmp/s; echo s >/dev/mark; i=0; while [ $i -lt 30000 ]; do i=$((i+1)); done; sleep 9; exit 0'
look 0 "is interrupted" cat "$(($(mark s) + 2))" /tmp/s
look 0 "its time" cat "$(($(mark s) + 2))" "/proc/$(marker s)/status"
has out "it runs" '^State:.R'
run 1 "everything waits" record -- sh -c 'echo w >/tmp/w; mkfifo /tmp/p; cat /tmp/p'
look 0 "at its end" cat "$(last)" /tmp/w
look 0 "all processes" files "$(last)" /proc
run 124 "a run that takes too long" record --timeout 2 -- sh -c 'echo t >/tmp/t; while true; do :; done'
look 0 "up to there" cat "$(last)" /tmp/t
run 1 "a run that reboots" record -- /bin/busybox reboot -f
look 1 "cannot be asked at its end" cat "$(last)" /etc/motd
has err "says so" 'take an earlier step$'
look 0 "but before" cat "$(($(last) - 4))" /etc/motd
run 0 "the exits clock" record --clock exits -- sh -c 'echo e >/tmp/e; echo e >/dev/mark; exit 0'
look 0 "is the same" cat "$(mark e)" /tmp/e
run 0 "a schedule" record --schedule 3 -- sh -c 'echo x >/tmp/x; echo x >/dev/mark; cat /tmp/x | cat | cat; exit 0'
look 0 "is the same" cat "$(mark x)" /tmp/x
run 0 "and replays" "$REWIND" replay @

# ---- Random numbers from a step on ----

numbers() { record "$@" -- sh -c 'cat /proc/sys/kernel/random/uuid; echo r >/dev/mark; cat /proc/sys/kernel/random/uuid; echo q >/dev/mark'; }
run 0 "random numbers" numbers
cp "$work/out" "$work/plain"
r=$(mark r)
run 0 "reseeded" numbers --reseed "7@$r"
same "the same before" "$(sed -n 1p "$work/plain")" "$(sed -n 1p "$work/out")"
cp "$work/out" "$work/seven"
[ "$(sed -n 2p "$work/plain")" != "$(sed -n 2p "$work/out")" ]
ok $? "others after"
run 0 "and it replays" "$REWIND" replay @
run 0 "with another seed" numbers --reseed "8@$r"
[ "$(sed -n 2p "$work/seven")" != "$(sed -n 2p "$work/out")" ]
ok $? "others again"

# ---- What became of outputs ----

outputs() { record --output /out --output /empty --output /none --output /out/l --output /fifo "$@"; }
mkdir -p "$work/out-tree/d"
(cd "$work/out-tree" && printf hello >f && printf 12345678 >eight && chmod +x eight && ln -s f l && : >d/none &&
    printf x >d/B && printf y >d/a && cp "$root/opt/big" big)
run 3 "outputs" outputs -- sh -c 'mkdir -p /out/d /empty; cd /out; printf hello >f; printf 12345678 >eight
    /bin/busybox chmod +x eight; ln -s f l; : >d/none; printf x >d/B; printf y >d/a; cat /opt/big >big; mkfifo /fifo; exit 3'
run 0 "what became of them" "$REWIND" show @
has out "a tree" "^  output +/out $(python3 "$(dirname "$0")/nar.py" "$work/out-tree")\$"
has out "an empty directory, as Nix has it" \
    '^  output +/empty a50a5ab6d992f5598edd92105059fae9acfc192981e08bd88534c2167e92526a$'
has out "none" '^  output +/none absent$'
has out "a link is not followed" "^  output +/out/l $(python3 "$(dirname "$0")/nar.py" "$work/out-tree/l")\$"
has out "what cannot be said" '^  output +/fifo unreadable$'
run 0 "events" "$REWIND" events -k product @
same "one each" 5 "$(wc -l <"$work/out")"
run 0 "and it replays" "$REWIND" replay @
run 2 "a relative one" record --output out -- true
one_line "one line"

finish
