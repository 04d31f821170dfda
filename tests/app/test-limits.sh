#!/bin/sh
# SPDX-License-Identifier: MIT
#
# What a run may give to be recorded: its own ending, which replays, and forks with another limit.
. "$(dirname "$0")/lib.sh"

root=$work/root
mkdir -p "$root/bin" "$root/tmp"
cp /bin/busybox "$root/bin/"
for applet in sh echo cat yes head tail seq true; do
    ln -s busybox "$root/bin/$applet"
done
find "$root" -exec touch -h -d @1700000000 {} +

record() { "$REWIND" run --root "$root" --mem 96 --swap 0 "$@"; }
id_of() { sed -n 's/^rewind: run \([0-9a-f]\{16\}\) .*/\1/p' "$work/err"; }
version_of() { sed -n 's/^ *"version" *: *\([0-9]*\).*/\1/p' "$REWIND_HOME/runs/$1/manifest.json" | head -n 1; }

# ---- The ending ----

run 153 "output without an end" record -q --max-output 1 --name flood -- yes
flood=$(id_of)
has err "ends as itself" '^rewind: run [0-9a-f]{16} output-limit after [0-9]+ steps, .* \(output-limit\)$'
has err "says how much it was and what to do" \
    '^rewind: output-limit: the job printed, or else gave to be recorded, 10[0-9]{5} bytes; --max-output 1 '
[ "$(du -sk "$REWIND_HOME/runs/$flood" | cut -f 1)" -lt 2048 ]
ok $? "what is kept of it is no more than that"
run 0 "it replays" "$REWIND" replay "$flood"
has out "to the same end" '^identical: '
run 0 "its log" "$REWIND" log "$flood"
[ "$(wc -c <"$work/out")" -gt 1000000 ] && [ "$(wc -c <"$work/out")" -lt 1200000 ]
ok $? "has what was printed up to there"
step=$("$REWIND" show --json "$flood" | sed -n 's/.*"steps":\([0-9]*\).*/\1/p' | tail -n 1)
run 0 "its last step can be looked at" "$REWIND" cat "$flood" "$step" /proc/version
has out "as it was there" '^Linux version '
run 0 "the command that makes it again" "$REWIND" show "$flood"
has out "names the limit" ' --max-output 1 '
run 153 "a fast job that prints it in one go" record -q --max-output 1 -- sh -c 'head -c 3000000 /dev/zero'

# ---- What has names and nothing else ----

run 153 "paths without an end" record -q --max-output 1 -- sh -c \
    'long=$(seq 1000000 1000400 | head -c 3000); n=1; while :; do n=$((n + 1)); cat "/$n/$long"; done 2>/dev/null'
has err "count too" '^rewind: output-limit: '

# ---- The limit is an input ----

run 0 "less than the limit" record -q --max-output 2 -- sh -c 'seq 100000'
same "is in the manifest" 4 "$(version_of "$(id_of)")"
one=$(id_of)
run 0 "another limit" record -q --max-output 3 -- sh -c 'seq 100000'
[ "$(id_of)" != "$one" ]
ok $? "is another run"
run 0 "the usual limit" record -q -- sh -c 'seq 100000'
run 0 "the same, said" record -q --max-output 2048 -- sh -c 'seq 100000'
has err "is the same run" '^rewind: run '
same "there are three of them" 3 "$(grep -l '"seq 100000"' "$REWIND_HOME"/runs/*/manifest.json | wc -l)"

# ---- Much input, much memory ----

head -c 100000000 /dev/zero >"$work/input"
run 0 "a standard input of 100 MB" sh -c '"$@" <"$0"' "$work/input" \
    "$REWIND" run --root "$root" --mem 96 --swap 0 --no-keyframes -i -- sh -c 'cat | head -c 99999999 | tail -c 1 | cat -v; echo end'
same "arrives" '^@end' "$(cat "$work/out")"
rm "$work/input"
host=$(($(sed -n 's/^MemTotal: *\([0-9]*\) kB/\1/p' /proc/meminfo) / 1024))
if [ "$host" -gt 8400 ]; then
    run 0 "more memory than below 4 GiB" record --mem 8192 -- head -n 1 /proc/meminfo
    has out "is there" '^MemTotal: +8[0-9]{6} kB'
fi
run 2 "more memory than the host has" record --mem $((host + 4096)) -- true
has err "is refused with what there is" "^rewind: --mem $((host + 4096)): from 64 to [0-9]+ MiB; this host has [0-9]+ MiB\$"

# ---- Forks and check ----

run 153 "a fork" "$REWIND" fork "$flood" $((step / 2)) --seed 7 -q
run 0 "which can be replayed" "$REWIND" replay "$(id_of)"
run 153 "a fork with a higher limit" "$REWIND" fork "$flood" $((step / 2)) --seed 7 -q --max-output 2
has err "says that one" '; --max-output 2 '
fork=$(id_of)
run 0 "is the same from power-on" "$REWIND" replay "$fork"
run 153 "a fork of it, where it had more than the first limit" "$REWIND" fork "$fork" "$step" --seed 8 -q
run 2 "to a limit that is behind it" "$REWIND" fork "$fork" $((step + 100)) --seed 8 -q --max-output 1
has err "says so" '^rewind: --max-output 1: the run has [0-9]+ bytes of output before that step$'
run 0 "replay from the middle" "$REWIND" replay --from $((step + step / 2)) "$fork"
same "which its keyframes are good for" '' "$(cat "$work/err")"
[ "$(sed -n 's/.* over \([0-9]*\) steps$/\1/p' "$work/out")" -lt "$step" ]
ok $? "so that it starts at one"
run 3 "check of a flood" "$REWIND" check --root "$root" --mem 96 --swap 0 --schedules 2 --max-output 1 -- yes
has out "says how all end" 'output-limit'
run 0 "which can be said to be no failure" "$REWIND" check --root "$root" --mem 96 --swap 0 --schedules 2 \
    --max-output 1 --fails 'exit, signal' -- yes
run 3 "or the one" "$REWIND" check --root "$root" --mem 96 --swap 0 --schedules 2 \
    --max-output 1 --fails output-limit -- yes
run 2 "no output at all" record --max-output 0 -- true
for option in --max-output --swap; do
    run 2 "check of a run with $option" "$REWIND" check --run "$flood" "$option" 64
    has err "says whose it is" "^rewind: $option: with --run everything but the schedule is that run's\$"
done
finish
