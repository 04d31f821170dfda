#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Commands that need no machine: help, errors of usage, and everything that looks at recorded runs.
. "$(dirname "$0")/lib.sh"

# ---- Help and usage ----

run 0 "version" "$REWIND" --version
has out "the version is printed" '^rewind [0-9]+\.[0-9]+'
run 0 "help" "$REWIND" help
for command in run check replay ls show log events ps threads bookmark export import remove prune gc doctor completions; do
    has out "help lists $command" "^  $command +[a-z]"
    "$REWIND" $command --help >"$work/own" 2>&1
    ok $? "$command --help"
    "$REWIND" help $command | cmp -s - "$work/own"
    ok $? "help $command is the same"
done
run 2 "no command" "$REWIND"
run 2 "unknown command" "$REWIND" frobnicate
one_line "one line"
run 2 "unknown option" "$REWIND" ls --frobnicate
one_line "one line"
run 2 "argument too many" "$REWIND" ls x
run 2 "argument missing" "$REWIND" show
run 2 "value missing" "$REWIND" events @ --from
run 2 "not a number" "$REWIND" events @ --from x
run 2 "number out of range" "$REWIND" run --root / --mem 1 -- true
has err "says which range" 'from 64 to 527360'
run 2 "not a choice" "$REWIND" run --root / --clock sundial -- true
run 2 "no root" "$REWIND" run -- true
run 2 "no command to run" "$REWIND" run --root /
run 2 "command without --" "$REWIND" run --root / true
has err "says so" 'written after --'
run 1 "no KVM here" "$REWIND" run --root / --accel kvm -- true
one_line "one line"
run 1 "no branch clock here" "$REWIND" check --root / --clock branches -- true
run 1 "no v3 here" "$REWIND" run --root / --cpu v3 -- true
run 2 "window inside out" "$REWIND" run --root / --schedule-from 5 --schedule-until 4 -- true
run 2 "not a variable" "$REWIND" run --root / -e PATH -- true
run 2 "cwd not absolute" "$REWIND" run --root / --cwd src -- true
run 2 "not a user" "$REWIND" run --root / --user me -- true
for shell in bash zsh fish; do
    run 0 "completions for $shell" "$REWIND" completions $shell
    has out "with the options of check" 'schedules'
done
"$REWIND" completions bash >"$work/complete" && bash -n "$work/complete"
ok $? "bash reads them"
run 2 "completions of another shell" "$REWIND" completions csh

# ---- An empty store ----

run 0 "ls of nothing" "$REWIND" ls
run 1 "no newest run" "$REWIND" show @
one_line "one line"

# ---- A run ----

id=$("$MAKE_RUN" make bank)
run 0 "ls" "$REWIND" ls
has out "lists the run" "^$id  exited:2 +18 steps  .* bank: make check$"
run 0 "show" "$REWIND" show bank
has out "prints the command" "^rewind run --root /nowhere/root.tar --swap 0 --epoch 1791331200 --clock instructions --cwd /src --name bank -- make check  # $id$"
has out "what failed first" '^  failed     ./t \(34\) was killed by SIGSEGV at step 10$'
has out "with which words" '^  last line  job "0" done   at step 9$'
run 0 "show --json" "$REWIND" show bank --json
has out "the same as an object" '"story":\{"passed":false,"failed":\{"program":"./t","pid":34,"how":"was killed by SIGSEGV","status":11,"step":10\},"last_line":\{"text":"job \\"0\\" done","own":true,"step":9\},"orders":1,"orders_failed":1\}'
run 0 "log" "$REWIND" log "$id"
same "log prints the output" 'job "0" done' "$(cat "$work/out")"
run 0 "log with steps" "$REWIND" log @ --steps
same "step and process" '         9    34  job "0" done' "$(cat "$work/out")"
run 0 "log up to a step" "$REWIND" log @ 8
same "before the output" '' "$(cat "$work/out")"
run 1 "log past the end" "$REWIND" log @ 19
one_line "one line"
run 2 "log of no step" "$REWIND" log @ x
run 0 "events" "$REWIND" events "$(echo "$id" | cut -c1-6)"
has out "a write" '^         9    34/35    write\(1, "job \\"0\\" done\\n"\)$'
has out "a signal" '^        10    34/35    SIGSEGV code=1 addr=0x108$'
has out "a thread" '^         8    34/34    clone\(CLONE_THREAD\) = 35$'
run 0 "events of a window" "$REWIND" events @ --from 9 --to 10
same "two of them" 2 "$(wc -l <"$work/out")"
run 0 "events of a kind" "$REWIND" events @ --kind fork,exit --pid 34
same "three of them" 3 "$(wc -l <"$work/out")"
run 2 "no such kind" "$REWIND" events @ --kind dance
run 1 "events past the end" "$REWIND" events @ --from 19
run 0 "ps" "$REWIND" ps @ 10
same "the tree" '     1 /init
    33   make check
    34     ./t
    35       (thread)' "$(cat "$work/out")"
"$REWIND" ps @ --at 10 | cmp -s - "$work/out"
ok $? "--at is the same"
run 0 "ps of all" "$REWIND" ps @ 18 --all
has out "with its ending" '^    34     ./t  \[6..12 killed:SIGSEGV\]$'
run 1 "ps past the end" "$REWIND" ps @ 99
for query in "ls" "show @" "log @" "events @ --all" "ps @" "threads @" "threads @ --total" "doctor"; do
    "$REWIND" $query --json >"$work/out" 2>"$work/err"
    json_lines "$query --json"
done
run 0 "a run by its directory" "$REWIND" show "$REWIND_HOME/runs/$id"

# ---- Which run ----

other=$("$MAKE_RUN" other)
run 0 "the newest" "$REWIND" show @
has out "is the other" "# $other"
run 0 "the one before" "$REWIND" show @2
has out "is the first" "# $id"
run 1 "unknown" "$REWIND" show 0123456789abcdef0
one_line "one line"
n=0
while [ $n -lt 20 ]; do
    "$MAKE_RUN" "many$n" >/dev/null
    n=$((n + 1))
done
letter=$(ls "$REWIND_HOME/runs" | cut -c1 | sort | uniq -d | head -n 1)
run 1 "ambiguous" "$REWIND" show "$letter"
one_line "one line"
has err "lists what it may be" "^rewind: $letter: ambiguous: it may be [0-9a-f]{16}, [0-9a-f]{16}"

# ---- open ----

run 1 "no such run" "$REWIND" open zzzz
one_line "one line"
run 1 "a step past the end" "$REWIND" open "$id" 100000
one_line "one line"
# The program that is copied elsewhere takes the app from PATH.
mkdir "$work/bin"
cp "$REWIND" "$work/bin/rewind"
mkdir "$work/path"
printf '#!/bin/sh\necho "$@"\n' >"$work/path/rewind-app"
chmod 755 "$work/path/rewind-app"
run 0 "a run and another" env PATH="$work/path:$PATH" "$work/bin/rewind" open "$id" 3 --compare "$other"
same "are what the app gets" "$REWIND_HOME/runs/$id --step 3 --compare $REWIND_HOME/runs/$other" "$(cat "$work/out")"
run 1 "no app" env PATH=/nowhere "$work/bin/rewind" open "$id"
one_line "one line"

# ---- Damage ----

sed -i 's/"version" : [0-9]*/"version" : 99/' "$REWIND_HOME/runs/$other/manifest.json"
run 1 "newer manifest" "$REWIND" show "$other"
one_line "one line"
has err "says that it is newer" 'version 99 is newer'
run 0 "ls goes on" "$REWIND" ls
has out "says newer" "^$other  newer "
has out "still lists the first" "^$id  exited:2"
printf '{' >"$REWIND_HOME/runs/$other/manifest.json"
run 0 "ls goes on with a damaged one" "$REWIND" ls
has out "says damaged" "^$other  damaged "
run 1 "a damaged one is not shown" "$REWIND" log "$other"
one_line "one line"
run 0 "but removed" "$REWIND" remove "$other"
[ ! -e "$REWIND_HOME/runs/$other" ]
ok $? "it is gone"
printf 'x' | dd of="$REWIND_HOME/runs/$id/trace" bs=1 seek=120 conv=notrunc 2>/dev/null
run 1 "a damaged trace" "$REWIND" events "$id"
one_line "one line"
has err "says damaged" 'trace: damaged: '

# ---- What a killed recorder leaves ----

part=0123456789abcdef.part-AbCdEf
mkdir "$REWIND_HOME/runs/$part"
run 0 "ls" "$REWIND" ls
has out "an interrupted run" "^$part  interrupted"
run 1 "nothing of it to show" "$REWIND" show 0123456789abcdef
one_line "one line"
cp "$REWIND_HOME/runs/$id/manifest.json" "$REWIND_HOME/runs/$part/"
run 1 "a manifest of another run" "$REWIND" show "$part"
one_line "one line"
run 0 "it is removed" "$REWIND" remove 01234567
[ ! -e "$REWIND_HOME/runs/$part" ]
ok $? "it is gone"

# ---- Removal ----

run 0 "a dry run" "$REWIND" remove "$id" --dry-run
has out "says what would go" "^would remove $id"
exec 9<"$REWIND_HOME/runs/$id/lock"
flock -s 9
run 1 "one that is in use" "$REWIND" remove "$id" 9<&-
one_line "one line"
exec 9<&-
run 1 "one that is not there, and one that is" "$REWIND" remove nope bank
run 1 "it is gone" "$REWIND" show bank
run 1 "a directory outside of the store" "$REWIND" remove /tmp
finish
