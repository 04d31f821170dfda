#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Both sides of what decides, in the words of the source: lines, who called, and what is left without them.
. "$(dirname "$0")/lib.sh"

# said_lines EXAMPLE: each "FILE:LINE   TEXT" of the two sides is what the source has there.
said_lines() {
    sed -n 's/^  \(held\|until\) .* \(before\|after\|began\|had passed\) \([a-z]*\.c\):\([0-9]*\)   \(.*\)$/\3 \4 \5/p' "$work/out" >"$work/said"
    while read -r file line text; do
        source=$(sed -n "${line}s/^ *//p" "$EXAMPLES/$1/$file")
        case $text in
        "$source" | "$source   ("*) ;;
        *) echo "# $file:$line is $source" && return 1 ;;
        esac
    done <"$work/said"
    [ "$(wc -l <"$work/said")" -eq "$2" ]
}
held() { sed -n 's/^  held .* [a-z]*\.c:\([0-9]*\) .*/\1/p' "$work/out"; }
lines_of() { grep -n "$1" "$EXAMPLES/$2" | cut -d : -f 1; }
among() { printf '%s\n' "$2" | grep -qx "$1"; }

run 0 "the bank is packed" "$EXAMPLES/pack.sh" bank -o "$work/bank.tar"
check() { "$REWIND" check --root "$1" --cwd /src -- make check; }

# ---- Lines ----

run 1 "a program with debug information" check "$work/bank.tar"
said_lines bank 2
ok $? "both sides are lines of it, with their text"
among "$(held)" "$(lines_of 'side: held' bank/bank.c)"
ok $? "who is held stands at a line that is marked so"
has out "by the name that was typed" '^  held +thread [23] of \./bank   before '
has out "what it called there, and from which function, put into another or not" '\(.*in pthread_mutex_(un)?lock, called by (read|book)_balance\)$'
passing=$(sed -n 's/^passing: run \([0-9a-f]*\),.*/\1/p' "$work/out")
failing=$(sed -n 's/^failing: run \([0-9a-f]*\),.*/\1/p' "$work/out")

# ---- The same of a run that is there ----

sides() { sed -n '/^  \(held\|until\|then\|fault\|it\) /p' "$1"; }
sides "$work/out" >"$work/checked"
hash=$(cat "$REWIND_HOME/runs/$failing"/* | sha256sum)
run 0 "the run that decides, with lines" "$REWIND" show --where "$failing"
sides "$work/out" >"$work/shown"
[ -s "$work/shown" ] && cmp -s "$work/checked" "$work/shown"
ok $? "says what check says"
same "and changes nothing of it" "$hash" "$(cat "$REWIND_HOME/runs/$failing"/* | sha256sum)"
late=$("$REWIND" run -q --json --root "$work/bank.tar" --cwd /src --hold '1.1.1:start until 80ms' -- make -s check 2>/dev/null | sed -n 's/.*"id":"\([0-9a-f]*\)".*/\1/p')
run 0 "it is sent without what executes it" "$REWIND" export "$failing" -o "$work/sent.rwd"
run 0 "and taken in elsewhere" env REWIND_HOME="$work/other" "$REWIND" import "$work/sent.rwd"
run 0 "where its lines are known all the same" env REWIND_HOME="$work/other" "$REWIND" show --where "$failing"
same "in the same words" "$(cat "$work/shown")" "$(sides "$work/out")"
run 0 "one that was late at its start" "$REWIND" show --where "$late"
has out "is said so" '^  thread 2 of \./bank was 80 ms late before its start$'
run 0 "also where the C library's lines may be known" env -u REWIND_DEBUG_FILE_DIRECTORY "$REWIND" show --where "$late"
has out "as everywhere" '^  thread 2 of \./bank was 80 ms late before its start$'
never=$("$REWIND" run -q --json --root "$work/bank.tar" --cwd /src --hold '1.9:start until idle' -- make -s check 2>/dev/null | sed -n 's/.*"id":"\([0-9a-f]*\)".*/\1/p')
run 0 "one whose hold nobody came to" "$REWIND" show --where "$never"
has out "says that" '^  1 of its holds and faults did not begin$'
run 0 "without lines" "$REWIND" show "$failing"
same "nothing is executed" '' "$(sides "$work/out")"
run 0 "a run without holds" "$REWIND" run -q --name plain --root "$work/bank.tar" -- sh -c :
run 0 "and its sides" "$REWIND" show --where --json plain
has out "are none" '"holds":\[\]'

# ---- Lines of events ----

writes=$(lines_of 'write(STDOUT_FILENO' bank/bank.c)
run 1 "where they part, with lines" "$REWIND" compare --where "$passing" "$failing"
has out "the line behind an event, and who called" "^ {33}ledger bank\.c:$writes, deposit bank\.c:[0-9]+, work bank\.c:[0-9]+   \(in write\)$"
run 1 "as an object" "$REWIND" compare --where --json "$passing" "$failing"
has out "with the place and its calls" '"where":\{.*"caller":\{[^}]*"function":"ledger",[^}]*"file":"/src/bank\.c"'
run 0 "events with lines" "$REWIND" events --where -k output "$failing"
same "as many lines as events of the bank" "$(grep -c ' write(1, "\(Anna\|Bert\|balance\)' "$work/out")" "$(grep -c "^ *ledger bank\.c:$writes, " "$work/out")"
has out "of a program without lines its function" '^ {23}write\+0x[0-9a-f]+ of libc\.so\.6   \(called by [a-z_]+\+0x[0-9a-f]+\)$'
run 0 "without --where" "$REWIND" events -k output "$failing"
! grep -q 'bank\.c' "$work/out"
ok $? "no lines"
run 0 "events before the job" "$REWIND" events --where --all --to 40 "$failing"

run 0 "what its threads meet on" "$REWIND" conflicts "$passing"
has out "a variable" '^memory 0x[0-9a-f]+, balance, 3 tasks$'
book=$(lines_of 'balance = after;' bank/bank.c) read=$(lines_of 'long now = balance;' bank/bank.c)
has out "where it is written" " changes +[0-9]+  bank\.c:$book   balance = after;"
has out "where it is read" " reads +[0-9]+  bank\.c:$read   long now = balance;"
has out "functions of libraries" ' [0-9]+  pthread_create\+0x[0-9a-f]+ of libc\.so\.6$'
run 0 "as an object" "$REWIND" conflicts --json "$passing"
has out "with both" "\"function\":\"balance\".*\"instruction\":[0-9]+,.*\"file\":\"/src/bank\.c\",\"line\":$book,"
"$REWIND" check --json --root "$work/bank.tar" --cwd /src -- make check >"$work/out" 2>"$work/err"
python3 - "$work/out" <<'END'
import json, sys
*_, last = open(sys.argv[1])
for side in (json.loads(last)["holds"][-1][name] for name in ("held", "until")):
    own = side if side["path"] == "/src/bank" else side["caller"]
    assert own["file"] == "/src/bank.c" and own["line"] > 0 and own["text"] and own["function"] == "work", own
    assert side["who"].endswith("of ./bank") and own["line"] in [call.get("line") for call in [side, *side["calls"]]], side
END
ok $? "as objects: file, line, text, function, and the calls"
failing=$(sed -n 's/.*"failing":"\([0-9a-f]*\)".*/\1/p' "$work/out" | tail -n 1)
mv "$work/out" "$work/checked"
run 0 "show, as an object" "$REWIND" show --where --json "$failing"
python3 - "$work/checked" "$work/out" <<'END'
import json, sys
checked, shown = (json.loads(open(path).read().splitlines()[-1])["holds"] for path in sys.argv[1:])
assert checked and checked == shown, (checked, shown)
END
ok $? "has the same sides"

# ---- Fewer names ----

mkdir "$work/root"
tar -C "$work/root" -xf "$work/bank.tar"
strip --strip-debug -p "$work/root/src/bank"
run 1 "without debug information" check "$work/root"
has out "functions" '^  held +thread [23] of \./bank   before [a-z_]+\+0x[0-9a-f]+ of (bank|libc\.so\.6)'
has out "and who called from the program" '\(.*called by work\+0x[0-9a-f]+\)$'
strip -p "$work/root/src/bank"
run 1 "without names" check "$work/root"
has out "what is left" '^  held +thread [23] of \./bank   before ([a-z_]+\+0x[0-9a-f]+ of libc\.so\.6|bank\+0x[0-9a-f]+)(   \([0-9]+(st|nd|rd|th) time\))?$'

# ---- System calls ----

run 0 "the rotation of logs is packed" "$EXAMPLES/pack.sh" rotate -o "$work/rotate.tar"
run 1 "processes" check "$work/rotate.tar"
said_lines rotate 2
ok $? "the lines that make the calls"
among "$(held)" "$(lines_of 'side: held' rotate/rotate.c)"
ok $? "who is held stands at a line that is marked so"
has out "the system call" '\((.*, )?(in )?[a-z]+\(\)( in [a-z_]+)?, called by [a-z_]+\)$'

run 0 "a script is packed" "$EXAMPLES/pack.sh" pipefail -o "$work/script.tar"
run 1 "a script" check "$work/script.tar"
has out "its name, its line, and the system call of its shell" '^  held +/bin/bash \./[a-z-]+\.sh \(1[0-9.]*\)   (before|after) [a-z-]+\.sh:[0-9]+   .*   \((.*, )?in [a-z0-9_]+\(\)\)'
has out "and whom it waits for" '^  until +[a-z/. -]+ \(1[0-9.]*\)   had '
run 0 "a waiter is packed" "$EXAMPLES/pack.sh" waiter -o "$work/waiter.tar"
run 1 "a signal" check "$work/waiter.tar"
has out "a process that has ended, and where" '^  until +\./waiter \(1[0-9.]*\)   had ended by waiter\.c:[0-9]+ '
finish
