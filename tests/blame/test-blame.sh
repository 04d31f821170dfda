#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Who wrote a byte of a file, or of memory, last: by every way there is to write one.
. "$(dirname "$0")/../app/lib.sh"

blame() { # blame STATUS NAME ARGS...
    wanted=$1 name=$2
    shift 2
    run "$wanted" "$name" timeout 100 "$REWIND" blame "$@"
}

line_of() { # line_of NAME: the number of the line that says `by: NAME`
    grep -n "by: $1 \*/" "$SCRIBE/scribe.c" | head -n 1 | cut -d : -f 1
}

# written NAME FILE BY CALL: in both runs the first byte that differs is by that line, in that system call
written() {
    blame 0 "$2" left right "/src/$2"
    same "$2: in both runs by scribe.c:$(line_of "$3")" 2 "$(grep -c "^        [a-z_]* *scribe\.c:$(line_of "$3") " "$work/out")"
    same "$2: by $4" 2 "$(grep -c "\"scribe\" $4 " "$work/out")"
}

record() { "$REWIND" run -q --mem 256 --swap 0 --root "$work/root.tar" --cwd /src "$@" >"$work/out" 2>"$work/err"; }
digit_of() { "$REWIND" log "$1" | sed -n '1s/digit //p'; }
step_of() { "$REWIND" events -k output left | sed -n "s/^ *\([0-9]*\) .*\"$1.*/\1/p" | head -n 1; }

"$EXAMPLES/pack.sh" "$SCRIBE" -o "$work/root.tar" >"$work/out" 2>"$work/err"
ok $? "a program that writes in every way"
record --name left --seed 1 -- ./job.sh
left=$(digit_of left)
# The other one has another digit, and removes a file that the first one leaves, or the other way round.
seed=2
while record --name right --seed $seed -- ./job.sh && right=$(digit_of right) &&
    [ $seed -lt 20 ] && [ $(((left + right) % 2)) -eq 0 ]; do
    seed=$((seed + 1))
done
[ $(((left + right) % 2)) -eq 1 ]
ok $? "two runs that differ"
sums=$(find "$REWIND_HOME/runs" -type f -exec sha256sum {} + | sort | sha256sum)

# ---- Files ----

written plain plain.txt plain 'running in write(3) /src/plain.txt'
has out "which byte" '^/src/plain.txt differs from byte 6 on, line 1$'
has out "what it is" "^  byte 6 of /src/plain.txt, \"$left\", was written at [0-9]+\+[0-9]+, by a system call, of$"
has out "its variables" 'n = 8'
written again again.txt again 'running in pwrite64(3) /src/again.txt'
written renamed renamed.txt renamed 'running in write(3) /src/new.tmp'
same "both renames, in both" 4 "$(grep -c 'renamed /src/.*\.tmp to /src/' "$work/out")"
written vector vector.txt vector 'running in writev(3) /src/vector.txt'
written sent sent.txt sent 'running in sendfile(4)'
written copied copied.txt copied 'running in copy_file_range(3)'
written aligned aligned.bin aligned 'running in write(3) /src/aligned.bin'
blame 0 "mapped memory" left right /src/mapped.bin
same "by the line that stores" 2 "$(grep -c "write_mapped  scribe.c:$(line_of mapped) " "$work/out")"
same "as a store" 2 "$(grep -c 'by a store into the mapped file' "$work/out")"
blame 0 "a file that was cut" left right /src/truncated.txt
has out "where it ends is by ftruncate" 'the file ends at byte [0-9]+; that was set at .*, by a system call, of$'
same "by its line, in one run" 1 "$(grep -c "scribe.c:$(line_of truncated) " "$work/out")"
has out "in the other one the byte is by write" 'running in write\(3\) /src/truncated.txt'
blame 0 "a file that only one run left" left right /src/sometimes.txt
has out "the other has it not" '^  the file is not there$'
has out "who removed it" '^    [0-9]+ +24/24 removed it  \(\./scribe\)$'
blame 0 "what a child of the shell appends" left right /src/appended.txt
same "by that child" 2 "$(grep -c '"sh" running in write(1) /src/appended.txt  sh -c echo second' "$work/out")"
blame 0 "what came by a pipe" left right /src/sorted.txt
has out "from whom" '^    pipe:\[[0-9]+\]  written last by [0-9]+/[0-9]+ \(.*job\.sh\) at '
blame 0 "Python" left right /src/dump.json
line=$(grep -n 'with open' "$SCRIBE/dump.py" | cut -d : -f 1)
same "its own line" 2 "$(grep -c "^        dump  dump.py:$line   with open" "$work/out")"
blame 0 "a stripped program" left right /src/other/plain.txt
same "its name" 2 "$(grep -c '"stripped" running in write(3) /src/other/plain.txt  ../stripped' "$work/out")"
blame 0 "as JSON" left right /src/plain.txt --json
json_lines "objects"
python3 - "$work/out" "$(line_of plain)" <<'END'
import json, sys
sides = [json.loads(line) for line in open(sys.argv[1])]
good = [side["side"] for side in sides] == ["left", "right"]
for side in sides:
    write = side["writes"][0]
    lines = [frame.get("line") for frame in write["thread"]["frames"]]
    good &= write["how"] == "call" and int(sys.argv[2]) in lines and side["offset"] == 6 and not side["ends"]
sys.exit(not good)
END
ok $? "with the same in them"

# ---- Back over what only moved ----

blame 0 "a file that was copied, to the line that printed" left right /src/copied.txt --depth 4
same "first the copy, then the file it was copied from" "copied_plain_" \
    "$(sed -n '/^left/,/^right/s|.*by: \([a-z]*\) \*/$|\1|p' "$work/out" | uniq | sed 's/^ *//' | tr '\n' '_' | cut -c 1-13)"
has out "the line that printed the number" 'int n = snprintf\(text, sizeof text, "plain'
blame 0 "buffered output" left right /src/buffered.txt --depth 2
same "the line that printed it" 2 "$(grep -c "write_buffered  scribe.c:$(line_of printf) " "$work/out")"
blame 0 "through a pipe, from the shell to sort" left right /src/sorted.txt --depth 8
has out "what sort read" 'the byte came from the guest kernel.s memory, for pipe:\[[0-9]+\]$'
has out "what the shell wrote" 'running in write\(1\) pipe:\[[0-9]+\]'

# ---- What is not there ----

blame 1 "a file that is the same" left right /src/scribe
has err "says so" '/src/scribe: the same in both runs, [0-9]+ bytes'
one_line "in one line"
blame 3 "a file that is not there" left right /src/nothing
one_line "in one line"
blame 1 "a directory" left right /src/folder
has err "says so" '/src/folder: a directory'
blame 1 "a device" left right /dev/null
one_line "in one line"
end=$("$REWIND" show --json left | sed 's/.*"steps":"\{0,1\}\([0-9]*\).*/\1/')
blame 1 "a file of /proc" left "$end" /proc/version
has err "says so" 'not a regular file'
blame 0 "a hole" left "$end" /src/again.txt:10000
has out "nobody's" 'nobody has written there'
blame 0 "a file of the image" left "$end" /src/job.sh:3
has out "is as it was" 'nobody has written there: it is as the root image has it'
blame 0 "behind the end of a file" left "$end" /src/plain.txt:77777
has out "where that is" 'the file ends at byte 8; that was set at'
blame 0 "a link, and a relative path" left "$end" src/plain.txt:0
has out "says the byte" '^  byte 0 of src/plain.txt was written at'
record --name third -- ./scribe
blame 2 "runs of two jobs" left third /src/plain.txt
has err "says so" 'are not of one job: another command'
blame 1 "a step that is none" left 99999999 /src/plain.txt
blame 2 "a step before the job" left 1 /src/plain.txt

# ---- Memory ----

step=$(step_of parent) child=$(step_of child)
shared=$("$REWIND" log left | sed -n 's/parent \(0x[0-9a-f]*\) .*/\1/p')
untouched=$("$REWIND" log left | sed -n 's/parent 0x[0-9a-f]* \(0x[0-9a-f]*\)/\1/p')
memory() { # memory NAME WHAT BY PID/TID
    blame 0 "$1" left "$step" "$2" --pid 24
    has out "$1: by whom" "^    $4 +\"scribe\" running  ./scribe$"
    has out "$1: by which line" "scribe\.c:$(line_of "$3")  "
}
memory "a global variable" total total 24/26
memory "a local variable" local local 24/24
memory "a static variable" counted static 24/24
memory "memory that is shared with a child, by its address" "$shared" child 25/25
blame 0 "what a child has from before fork" left "$child" clerk --pid 25
has out "by its parent" "write_memory  scribe\.c:$(line_of 'before fork')  "
has out "who was another process" '^    24/24 '
blame 0 "memory that nobody touched" left "$step" "$untouched" --pid 24
has out "says so" "^  $untouched of process 24: nobody has written there since the job began$"
blame 0 "the program's code" left "$step" main --pid 24
has out "is of its file" 'nobody has written there: it is as the root image has it'
blame 1 "a variable in a register" left "$step" argument --pid 24
one_line "in one line"
blame 3 "no such variable" left "$step" no_such --pid 24
blame 3 "no such process" left "$step" total --pid 9999
blame 3 "memory that is not there" left "$step" 0x10 --pid 24
blame 2 "an address without a process" left "$step" 0x1000
has err "says what is missing" '--pid'
blame 2 "a process for two runs" left right /src/plain.txt --pid 24
blame 0 "a stripped program's variable, by the linker's name" left "$step" stdout --pid 24
has out "is somebody's" 'was written at'

same "the recordings are as they were" "$sums" "$(find "$REWIND_HOME/runs" -type f ! -path "*/$("$REWIND" ls --json | sed -n '1s/.*"id":"\([0-9a-f]*\)".*/\1/p')/*" -exec sha256sum {} + | sort | sha256sum)"
finish
