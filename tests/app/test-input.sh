#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Standard input: given with -i, kept, exported; and left alone without.
. "$(dirname "$0")/lib.sh"

first=$REWIND_HOME other=$work/other
root=$work/root
mkdir -p "$root/bin"
cp /bin/busybox "$root/bin/"
for applet in sh cat head dd od sha256sum stat true wc; do ln -s busybox "$root/bin/$applet"; done
find "$root" -exec touch -h -d @1700000000 {} +

record() { "$REWIND" run --root "$root" "$@"; }
there() { REWIND_HOME=$other "$REWIND" "$@"; }
id_of() { sed -n 's/^rewind: run \([0-9a-f]*\) .*/\1/p' "$work/err"; }
# feed STATUS NAME TEXT COMMAND...: the same as run, with TEXT as its standard input.
feed() {
    printf %s "$3" >"$work/text"
    wanted=$1 name=$2
    shift 3
    run "$wanted" "$name" "$@" <"$work/text"
}

# ---- Given ----

feed 0 "an input" "one
two" record -i --name fed -- cat
same "is read" "one two" "$(tr '\n' ' ' <"$work/out")"
fed=$(id_of)
run 0 "the run" "$REWIND" replay fed
has out "replays" '^identical'
run 0 "from its middle" "$REWIND" replay fed --from 40
has out "too" '^identical'
feed 0 "another input" "three" record -i --name third -- cat
[ "$(id_of)" != "$fed" ]
ok $? "is another run"
feed 0 "the same again" "one
two" record -i -- cat
same "is the same run" "$fed" "$(id_of)"
feed 0 "an empty one" "" record -i -- cat
empty=$(id_of)
run 0 "none" record -- cat
[ "$(id_of)" != "$empty" ]
ok $? "is not an empty one"
feed 0 "what the job leaves" "one
two" record -i -- sh -c 'read a; echo "$a"; head -c 1'
same "is there for the next" "one t" "$(tr '\n' ' ' <"$work/out")"
feed 0 "opened again" "one
two" record -i --user 7 -- sh -c 'read a; cat /dev/stdin; head -c 1 /dev/stdin | wc -c'
same "goes on" "two0" "$(tr -d '\n ' <"$work/out")"
feed 0 "a script" 'echo script' record -i -- sh
same "is read by the shell" script "$(cat "$work/out")"
head -c 20000000 /dev/zero | tr '\0' x >"$work/large"
run 0 "a large one" record -i --name large -- sha256sum <"$work/large"
same "arrives whole" "$(sha256sum <"$work/large")" "$(cat "$work/out")"
steps=$(sed -n 's/.* after \([0-9]*\) steps.*/\1/p' "$work/err")
[ "$steps" -lt 20000 ]
ok $? "in pieces that are large ($steps steps)"
mkfifo "$work/pipe"
cat "$work/large" >"$work/pipe" &
run 0 "from a pipe" record -i -- sh -c 'dd bs=1M count=3 2>/dev/null | wc -c' <"$work/pipe"
same "as much as is asked for" 3145728 "$(cat "$work/out")"
feed 0 "check" "x" "$REWIND" check --root "$root" -i --schedules 3 -- sh -c 'cat | cat'
run 0 "every schedule" "$REWIND" replay @
has out "has it" '^identical'
feed 0 "a fork's parent" "one" record -i --name parent -- sh -c 'cat | cat; true'
run 0 "a fork" "$REWIND" fork parent 40 --schedule 3
same "has it" one "$(cat "$work/out")"

# ---- Left alone ----

printf 'a\nb\nc\n' >"$work/loop"
seen=
while read -r line; do
    record -q -- cat >/dev/null 2>&1
    seen=$seen$line
done <"$work/loop"
same "a loop keeps its input" abc "$seen"
feed 2 "with a terminal" "x" record -i -t -- cat
one_line "it is refused"
run 0 "a closed one" record -i -- cat <&-
same "is an empty one" "$empty" "$(id_of)"
run 0 "help" "$REWIND" run --help
has out "says so" 'without -i nothing is read'

# ---- Kept ----

run 0 "show" "$REWIND" show fed
has out "has its hash" "^  stdin  *$(printf 'one\ntwo' | sha256sum | cut -c 1-64)\$"
command=$(sed -n '1s/^rewind \(.*\)  # [0-9a-f]*$/\1/p' "$work/out")
eval "\"$REWIND\" $command" >"$work/out" 2>"$work/err"
ok $? "the command that show prints"
same "is the same run" "$fed" "$(id_of)"
cd "$work" || exit 1
run 0 "export" "$REWIND" export fed --replayable -o fed.rwd
run 0 "import" there import fed.rwd
run 0 "a replay there" there replay fed
has out "is identical" '^identical'
run 0 "what was seen alone" "$REWIND" export fed -o seen.rwd
run 0 "is imported" env REWIND_HOME="$work/third" "$REWIND" import seen.rwd
inputs() { ls "$REWIND_HOME/inputs" | wc -l; }
before=$(inputs)
run 0 "gc" "$REWIND" gc
same "keeps what runs need" "$before" "$(inputs)"
run 0 "without the run" "$REWIND" remove third
run 0 "gc" "$REWIND" gc
same "takes it away" $((before - 1)) "$(inputs)"
input=$first/inputs/$(sha256sum <"$work/large" | cut -c 1-64)
chmod 600 "$input"
printf y | dd of="$input" bs=1 seek=5000000 conv=notrunc 2>/dev/null
run 1 "a damaged one" "$REWIND" replay large
one_line "is an error"
has err "that says so" 'inputs/[0-9a-f]{64}: damaged'
rm -f "$input"
run 1 "one that is gone" "$REWIND" replay large
has err "too" "the run's standard input is gone"
run 0 "recorded again" record -i -- sha256sum <"$work/large"
run 0 "it is there again" "$REWIND" replay large

finish
