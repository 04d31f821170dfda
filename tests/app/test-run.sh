#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Recording and replaying real machines: endings, inputs, errors, kills.
. "$(dirname "$0")/lib.sh"

# A root of busybox alone.
root=$work/root
mkdir -p "$root/bin" "$root/etc" "$root/src"
cp /bin/busybox "$root/bin/"
for applet in sh echo cat sleep env id pwd ls true false kill mkdir rm mv stty tty seq head sed sort date; do
    ln -s busybox "$root/bin/$applet"
done
# A program whose only instruction is a jump to itself: headers of ELF and of a segment at 0x400000, then it.
{
    printf '\177ELF\002\001\001\0\0\0\0\0\0\0\0\0\002\0\076\0\001\0\0\0'
    printf '\170\0\100\0\0\0\0\0\100\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0'
    printf '\0\0\0\0\100\0\070\0\001\0\0\0\0\0\0\0'
    printf '\001\0\0\0\005\0\0\0\0\0\0\0\0\0\0\0\0\0\100\0\0\0\0\0\0\0\100\0\0\0\0\0'
    printf '\172\0\0\0\0\0\0\0\172\0\0\0\0\0\0\0\0\020\0\0\0\0\0\0\353\376'
} >"$root/bin/spin"
chmod +x "$root/bin/spin"
find "$root" -exec touch -h -d @1700000000 {} +

runs() { ls "$REWIND_HOME/runs" 2>/dev/null | grep -c .; }
record() { "$REWIND" run --root "$root" "$@"; }

# ---- Endings ----

run 0 "hello" record --name hello -- echo hello
same "its output" hello "$(cat "$work/out")"
has err "the line at its end" '^rewind: run [0-9a-f]{16} exited:0 after [0-9]+ steps, [0-9]+\.[0-9]{3}s virtual, [0-9]+\.[0-9]{3}s wall \(poweroff\)$'
id=$(sed -n 's/^rewind: run \([0-9a-f]*\) .*/\1/p' "$work/err")
run 0 "replay" "$REWIND" replay "$id"
has out "is identical" '^identical: [0-9]+ events over [0-9]+ steps$'
run 0 "the same again" record --name hello -- echo hello
same "has the same id" "$id" "$(sed -n 's/^rewind: run \([0-9a-f]*\) .*/\1/p' "$work/err")"
same "and is one run" 1 "$(runs)"
run 7 "the job's own status" record -- sh -c 'echo out; echo err >&2; exit 7'
same "its stdout" out "$(cat "$work/out")"
has err "its stderr" '^err$'
run 139 "a job that is killed" record -- sh -c 'kill -SEGV $$'
has err "says by what" ' killed:SIGSEGV after '
run 0 "quiet" record -q -- echo hello
same "shows no output" '' "$(cat "$work/out")"
run 124 "a run that takes too long" record --timeout 2 -- sh -c 'while true; do :; done'
has err "says where it was" 'timed-out'
run 0 "which can be replayed as far as it went" "$REWIND" replay @
run 124 "one that is a single instruction" record --timeout 1 -- spin
has err "says so, too" 'timed-out'
run 3 "as an object" record --json -- sh -c 'exit 3'
json_lines "is JSON"

# ---- A stall ----

"$REWIND" run --root "$root" -- sh -c 'sleep infinity | cat' >"$work/out" 2>"$work/err"
has err "a run that stalled" '^rewind: run [0-9a-f]{16} stalled after '
has err "says who waits for what" '^ +[0-9]+/[0-9]+ +cat waits in read\(0\) pipe:\[[0-9]+\], pipe_read$'
grep ' waits in ' "$work/err" >"$work/waits"
run 0 "asked again" "$REWIND" ps @ --waits
cmp -s "$work/out" "$work/waits"
ok $? "the same"
run 0 "as an object" "$REWIND" ps @ --waits --json
has out "too" '"program":"cat","in":"read\(0\)","object":"pipe:\[[0-9]+\]","where":"pipe_read"'

# ---- Inputs ----

run 0 "environment" record -e A=1 -e HOME=/h -- env
has out "what was given" '^A=1$'
has out "instead of the default" '^HOME=/h$'
has out "a path" '^PATH=/usr/local/sbin:'
same "nothing of the host's" 3 "$(grep -c '=' "$work/out")"
run 0 "cwd" record --cwd /src -- pwd
same "is the one" /src "$(cat "$work/out")"
run 0 "user" record --user 7:8 -- id
has out "is the one" 'uid=7 gid=8'
run 0 "terminal" record -t -- sh -c 'tty && stty size'
has out "is one" '^/dev/'
has out "of 24 rows" '24 80'
run 0 "epoch" record --epoch 86400 -- sh -c 'date -u +%F; sed -n 1p /proc/uptime'
run 0 "no time passes for a sleep" record -- sleep 1000
has err "but the guest's" ' 10[0-9][0-9]\.[0-9]+s virtual'
run 0 "another seed" record --seed 1 -- sh -c 'head -c 16 /dev/urandom | cat'
cp "$work/out" "$work/one"
run 0 "and another" record --seed 2 -- sh -c 'head -c 16 /dev/urandom | cat'
! cmp -s "$work/out" "$work/one"
ok $? "differ"
run 0 "cores" record --cores 3 -- cat /proc/cpuinfo
same "are what programs are told of" 3 "$(grep -c '^processor' "$work/out")"
run 0 "the exits clock" record --clock exits -- echo hello
run 0 "replays" "$REWIND" replay @
run 0 "a schedule" record --schedule 3 -- sh -c 'echo a | cat | cat'
run 0 "replays" "$REWIND" replay @
run 0 "a schedule whose window is past the end" record --schedule 3 --schedule-from 1000000 -- sh -c 'echo a | cat | cat'
run 0 "and none" record -- sh -c 'echo a | cat | cat'
ids=$("$REWIND" ls --json | sed -n '1,2s/.*"id":"\([0-9a-f]*\)".*/\1/p' | tr '\n' ' ')
set -- $ids
cmp -s "$REWIND_HOME/runs/$1/trace" "$REWIND_HOME/runs/$2/trace" && [ "$1" != "$2" ]
ok $? "are the same, byte for byte, under two ids"
run 0 "a schedule again" record --schedule 3 -- sh -c 'echo a | cat | cat'
command=$("$REWIND" show @ | sed -n '1s/^rewind \(.*\)  # [0-9a-f]*$/\1/p')
before=$(runs)
eval "\"$REWIND\" $command" >"$work/out" 2>"$work/err"
ok $? "the command that show prints"
same "is the same run" "$before" "$(runs)"

# ---- Looking ----

run 0 "pipes and processes" record -- sh -c 'echo one; (echo two | cat); mkdir /tmp/d; echo x >/tmp/d/f; mv /tmp/d/f /tmp/d/g; rm -r /tmp/d'
run 0 "log" "$REWIND" log @
same "is the output" "one two" "$(tr '\n' ' ' <"$work/out" | sed 's/ $//')"
run 0 "events" "$REWIND" events @
has out "an exec" 'execve\("/bin/(busybox|sh)", \["sh", "-c"'
has out "a fork" ' v?fork\(\) = [0-9]+$'
has out "an output" 'write\(1, "one\\n"\)'
has out "a file made" 'open\("/tmp/d/f", O_WRONLY\|O_CREAT\|O_TRUNC'
has out "a rename" 'rename\("/tmp/d/f", "/tmp/d/g"\)'
has out "an unlink" 'unlink\("/tmp/d/g"\) = 0'
has out "an exit" 'exit_group\(0\)'
run 0 "all events" "$REWIND" events @ --all
has out "a file written" 'write to "/tmp/d/f" at 0 = 2'
has out "a switch" 'gives the CPU to [0-9]+/[0-9]+'
has out "between two steps" '^ +[0-9]+\+[0-9]+ +[0-9]+/[0-9]+ '
run 0 "ps" "$REWIND" ps @
has out "init" '^ +1 /init'
has out "the job" '^ +[0-9]+   sh -c echo one'

# ---- A recording that is not what is there already ----

run 0 "one" record -- echo one
run 0 "another" record -- echo two
one=$("$REWIND" ls --json | sed -n '2s/.*"id":"\([0-9a-f]*\)".*/\1/p')
other=$("$REWIND" ls --json | sed -n '1s/.*"id":"\([0-9a-f]*\)".*/\1/p')
cp "$REWIND_HOME/runs/$other/trace" "$REWIND_HOME/runs/$one/trace"
sum=$(sed -n '/trace_sha256/p' "$REWIND_HOME/runs/$other/manifest.json")
sed -i "s|.*\"trace_sha256\".*|$sum|" "$REWIND_HOME/runs/$one/manifest.json"
run 1 "a replay that differs" "$REWIND" replay "$one"
has out "says where" '^at step [0-9]+: recorded .*execve.*"two".*; now .*execve.*"one"'
run 1 "a recording that differs" record -- echo one
has err "says so" "^rewind: NOT DETERMINISTIC: run $one was recorded before and is not the same now: at step "
run 0 "both are kept" "$REWIND" ls
has out "the new one" "^$one\.differs  exited:0"
has out "the old one" "^$one  exited:0"
run 0 "the new one replays" "$REWIND" replay "$one.differs"
run 0 "and is removed by its name" "$REWIND" remove "$one.differs" "$one"

# ---- Errors leave nothing behind ----

before=$(runs)
run 1 "a root that is missing" "$REWIND" run --root "$work/nowhere" -- true
one_line "one line"
run 127 "a command that is not there" record -- frobnicate
one_line "one line"
has err "says so" 'frobnicate: not in the root'
printf '#!/bin/sh\n' >"$root/bin/plain"
touch -h -d @1700000000 "$root/bin/plain" "$root/bin"
run 126 "one that is not executable" record -- plain
one_line "one line"
has err "says so" '^rewind: /bin/plain: not executable$'
run 127 "one that is not there, by its path" record -- /opt/plain
one_line "one line"
run 126 "a directory" record -- /bin
one_line "one line"
has err "says so" '^rewind: /bin: a directory$'
rm "$root/bin/plain"
touch -h -d @1700000000 "$root/bin"
run 126 "a cwd that is not there" record --cwd /nowhere -- true
one_line "one line"
has err "says so" '^rewind: --cwd /nowhere: not in the root$'
run 126 "a cwd that is a file" record --cwd /bin/busybox -- true
one_line "one line"
head -c 100000 /dev/urandom >"$work/garbage.tar"
run 1 "a root that is nothing" "$REWIND" run --root "$work/garbage.tar" -- true
one_line "one line"
tar -cf "$work/root.tar" -C "$root" . && head -c 300000 "$work/root.tar" >"$work/cut.tar"
run 1 "a tarball cut short" "$REWIND" run --root "$work/cut.tar" -- true
one_line "one line"
REWIND_GUEST_DIR=$work/nowhere run 1 "no guest" record -- true
one_line "one line"
if [ "$(id -u)" -ne 0 ]; then
    mkdir "$work/closed" && chmod 0 "$work/closed"
    run 1 "a root that cannot be read" "$REWIND" run --root "$work/closed" -- true
    one_line "one line"
    chmod 700 "$work/closed"
fi
same "no run was made" "$before" "$(runs)"
same "nothing half-made in images" '' \
    "$(ls "$REWIND_HOME/images" | grep -Ev '^([0-9a-f]{64}\.(erofs|json)|tar-[0-9a-f]{64}\.json|stat-[0-9a-f]+-[0-9a-f]+\.json)$')"

if (ulimit -v 600000 && "$REWIND" --version) >/dev/null 2>&1; then
    (ulimit -v 600000; "$REWIND" run --root "$root" --mem 1024 -- true) >/dev/null 2>"$work/err"
    same "too little memory" 1 $?
    one_line "one line"
fi
same "no run was made" "$before" "$(runs)"

# ---- A full disk ----

cp -r "$root" "$work/fresh"
(ulimit -f 8; trap '' XFSZ; "$REWIND" run --root "$work/fresh" -- true) >/dev/null 2>"$work/err"
same "an image that cannot be written" 1 $?
one_line "one line"
same "leaves no run" "$before" "$(runs)"
if unshare -rm true 2>/dev/null; then
    cat >"$work/full.sh" <<'END'
mount -t tmpfs -o size=256k none "$REWIND_HOME/runs" || exit 99
"$REWIND" run -q --root "$1" -- sh -c 'seq 1 200000'
status=$?
ls "$REWIND_HOME/runs"
exit $status
END
    export REWIND
    run 1 "a trace that cannot be written" unshare -rm sh "$work/full.sh" "$root"
    one_line "one line"
    has err "says why" 'No space left'
    same "leaves no run" '' "$(cat "$work/out")"
fi

# ---- What is ignored stays ignored, as under nohup ----

env --ignore-signal=HUP "$REWIND" run -q --root "$root" -- sh -c 'i=0; while [ $i -lt 300000 ]; do i=$((i+1)); done' >"$work/out" 2>"$work/err" &
pid=$!
sleep 0.4
kill -HUP $pid 2>/dev/null
wait $pid
same "a hangup does not end it" 0 $?
before=$(runs)

# ---- Interruption ----

# A shell starts what it puts into the background with SIGINT ignored.
for signal in INT TERM; do
    env --default-signal=INT "$REWIND" run --root "$root" -- sh -c 'echo spin; exec spin' >"$work/out" 2>"$work/err" &
    pid=$!
    until grep -q spin "$work/out" || ! kill -0 $pid 2>/dev/null; do sleep 0.1; done
    kill -$signal $pid
    wait $pid
    same "a run interrupted by SIG$signal exits" 130 $?
    has err "says so" '^rewind: interrupted$'
    same "and leaves nothing" "$before" "$(runs)"
done

# One that cannot say a word, as nobody reads what it prints, is ended by a second signal.
mkfifo "$work/full"
exec 3<>"$work/full"
dd if=/dev/zero of="$work/full" oflag=nonblock 2>/dev/null
env --default-signal=INT "$REWIND" run --root "$root" -- sh -c 'seq 1 3000; sleep 1; seq 1 3000' >&3 2>&3 3>&- &
pid=$!
until ls "$REWIND_HOME/runs" | grep -q part || ! kill -0 $pid 2>/dev/null; do sleep 0.1; done
kill -INT $pid
kill -TERM $pid
wait $pid
same "two signals end what cannot stop" 143 $?
exec 3>&-

# Killed at any instant: the store stays usable and nothing that was there is lost.
n=0
while [ $n -lt "${KILLS:-50}" ]; do
    "$REWIND" run --root "$root" -- sh -c 'seq 1 3000; sleep 1; seq 1 3000' >/dev/null 2>&1 &
    pid=$!
    sleep "0.$(printf %03d $(((n * 137 + 250) % 900)))"
    kill -KILL $pid 2>/dev/null
    wait $pid 2>/dev/null
    "$REWIND" ls >"$work/list" 2>&1 || break
    grep -q damaged "$work/list" && break
    cat "$work/list" >>"$work/lists"
    n=$((n + 1))
done
same "ls after every kill" "${KILLS:-50}" $n
grep -Eq '^[0-9a-f]{16}\.part-[A-Za-z0-9]{6}  interrupted ' "$work/lists"
ok $? "an interrupted run is shown as one"
run 0 "the first run is as it was" "$REWIND" replay "$id"
run 0 "the killed one is recorded again" record -q -- sh -c 'seq 1 3000; sleep 1; seq 1 3000'
run 0 "ls" "$REWIND" ls
! grep -q interrupted "$work/out"
ok $? "nothing interrupted is left of it"
finish
