#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Where every thread of a run is, in the programs' own lines, with their variables.
. "$(dirname "$0")/../app/lib.sh"

# Each of the philosophers has one fork and waits for the other: a schedule of these does it.
"$EXAMPLES/pack.sh" philosophers -o "$work/table.tar" >/dev/null
found=
for schedule in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16; do
    "$REWIND" run -q --mem 128 --swap 0 --schedule $schedule --root "$work/table.tar" --cwd /src -- make check >/dev/null 2>&1
    [ $? -eq 2 ] && found=$schedule && break
done
[ -n "$found" ]
ok $? "a schedule with which they wait for each other"
line=$(grep -n 'pthread_mutex_lock(&forks\[\*ret_second\])' "$EXAMPLES/philosophers/philosophers.c" | cut -d : -f 1)
# The last step before the program is ended: its threads wait, and time goes on.
end=$("$REWIND" events -k signal @ | sed -n '1s/^ *\([0-9]*\) .*/\1/p')
run 0 "where they are" timeout 100 "$REWIND" where --all @ $((end - 1))
same "five of them at the line that takes the second fork" 5 "$(grep -cE "^        take_forks .*philosophers.c:$line  " "$work/out")"
same "in the system call that waits" 5 "$(grep -cE '"philosophers" sleeping in futex' "$work/out" | sed 's/^6$/5/')"
seats=$(grep -oE 'seat = [0-9]' "$work/out" | sort -u | wc -l)
[ "$seats" -ge 5 ]
ok $? "each with a seat of its own"
has out "the lines around" "^          >    $line      pthread_mutex_lock"
has out "libraries by name only" '^        \(.*pthread_mutex_lock.*\)$'
run 0 "as JSON" "$REWIND" where --all --json @ $((end - 1))
json_lines "objects"
python3 - "$work/out" "$line" <<'END'
import json, sys
at = 0
for text in open(sys.argv[1]):
    thread = json.loads(text)
    for frame in thread.get("frames", []):
        if frame.get("line") == int(sys.argv[2]):
            names = {v["name"] for v in frame["variables"]}
            at += "seat" in names and thread["state"] == "sleeping"
sys.exit(at != 5)
END
ok $? "with variables"
tid=$(sed -n 's/.*"tid":\([0-9]*\).*"philosophers".*take_forks.*/\1/p' "$work/out" | head -n 1)
run 0 "one thread, one function" "$REWIND" where --tid "$tid" --frames 1 --full @ $((end - 1))
same "is two lines" 2 "$(grep -cE '^ *[0-9]+/|^        [^ ]' "$work/out")"
run 3 "no such thread" "$REWIND" where --tid 9999 @ $((end - 1))
one_line "one line"
run 2 "addresses and threads" "$REWIND" where --all @ $((end - 1)) 1 1000
run 0 "threads by their names" "$REWIND" threads @
has out "who woke whom" 'waits in futex; woken by [0-9]+ at [0-9]+'
run 0 "what they do" "$REWIND" ps --states @ $((end - 1))
has out "a philosopher" '/[0-9]+ +"philosophers" sleeping in futex'
# Each of the five forks is one of the five's, as gdb reads it from the mutexes.
pid=$("$REWIND" where --all --json @ $((end - 1)) | sed -n 's/.*"pid":\([0-9]*\).*"philosophers".*take_forks.*/\1/p' | head -n 1)
"$REWIND" where --all --json @ $((end - 1)) | sed -n 's/.*"tid":\([0-9]*\).*"philosophers".*take_forks.*/\1/p' | sort >"$work/seated"
set --
for fork in 0 1 2 3 4; do
    set -- "$@" -ex "output forks[$fork].__data.__owner" -ex 'echo \n'
done
run 0 "who has which fork" timeout 300 "$REWIND" gdb --pid "$pid" @ $((end - 1)) -- -nx -batch "$@"
grep -E '^[0-9]+$' "$work/out" | sort >"$work/owners"
same "five forks" 5 "$(sort -u "$work/owners" | wc -l)"
cmp "$work/seated" "$work/owners"
ok $? "each is had by one of those who wait"

# Shells as Debian has them, without names of their own functions or with those that they offer: to the end of the stack.
"$EXAMPLES/pack.sh" pipefail -o "$work/shells.tar" >/dev/null
mkdir "$work/shells"
tar -C "$work/shells" -xf "$work/shells.tar"
cp /usr/bin/dash "$work/shells/usr/bin/"
cat >"$work/shells/src/wait.sh" <<'END'
f() { for i in 1 2; do sleep 0.1; done; }
f
dash -c 'g() { sleep 0.1; }; g; echo end'
END
run 0 "bash and dash" "$REWIND" run -q --root "$work/shells" --cwd /src -- bash wait.sh
step=$("$REWIND" events -k exec @ | sed -n 's/^ *\([0-9]*\) .*"sleep".*/\1/p' | tail -n 1)
run 0 "where they wait" timeout 100 "$REWIND" where --all --json @ $((step + 1))
python3 - "$work/out" <<'END'
import json, sys
found = {}
for text in open(sys.argv[1]):
    thread = json.loads(text)
    found[thread["name"]] = [frame.get("function") or frame["path"].rsplit("/", 1)[-1] for frame in thread["frames"]]
print("#", found)
bash, dash = found["bash"], found["dash"]
named = [name for name in ("wait_for", "execute_command_internal", "reader_loop", "main", "__libc_start_main") if name in bash]
sys.exit(not (len(named) == 5 and bash[-1] == "_start" and dash.count("dash") >= 5 and "__libc_start_main" in dash))
END
ok $? "bash by its functions, dash by its stack, to where they began"

# Python: its own functions and lines, of each thread.
"$EXAMPLES/pack.sh" thumbnails -o "$work/pictures.tar" >/dev/null 2>&1
if [ -s "$work/pictures.tar" ]; then
    "$REWIND" run -q --root "$work/pictures.tar" --cwd /src -- make check >/dev/null 2>&1
    step=$("$REWIND" events -k open @ | sed -n 's/^ *\([0-9+]*\) .*cache\/monday\/.*/\1/p' | head -n 1)
    run 0 "a Python program" timeout 200 "$REWIND" where --all @ "$step"
    line=$(grep -n 'with open(os.path.join(directory, picture)' "$EXAMPLES/thumbnails/thumbnails.py" | cut -d : -f 1)
    has out "the line that opens a file" "^        store  thumbnails.py:$line   with open"
    has out "its caller" '^        work  thumbnails.py:[0-9]+   store\(picture, PICTURES\[picture\]\)'
    has out "and the first thread's" '^        <module>  thumbnails.py:[0-9]+   thread.(start|join)\(\)'
else
    skip "a Python program" "needs python3"
fi
finish
