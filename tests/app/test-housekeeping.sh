#!/bin/sh
# SPDX-License-Identifier: MIT
#
# What is kept with runs, and what goes away: made-up runs are enough.
. "$(dirname "$0")/lib.sh"

# ---- Bookmarks ----

id=$("$MAKE_RUN" make bank)
run 0 "no bookmarks" "$REWIND" bookmark bank
same "are none" '' "$(cat "$work/out")"
run 0 "a bookmark" "$REWIND" bookmark bank 12 "it breaks here"
run 0 "another" "$REWIND" bookmark @ 9
run 0 "a third" "$REWIND" bookmark "$id" 18 "the
end"
run 0 "the list" "$REWIND" bookmark bank
same "is in the order of steps" "         9  
        12  it breaks here
        18  the end" "$(cat "$work/out")"
run 0 "as objects" "$REWIND" bookmark bank --json
json_lines "is JSON"
has out "with the note as it is" '"note":"the\\nend"'
run 0 "instead of an old one" "$REWIND" bookmark bank 12 "no: here"
run 0 "one goes" "$REWIND" bookmark bank 9 --remove
same "says nothing" '' "$(cat "$work/out")"
"$REWIND" bookmark bank >"$work/out"
same "two are left" "        12  no: here
        18  the end" "$(cat "$work/out")"
run 1 "one that is not there" "$REWIND" bookmark bank 9 --remove
one_line "is an error"
run 1 "past the end" "$REWIND" bookmark bank 19 x
one_line "is an error"
run 2 "no step" "$REWIND" bookmark bank x y
run 2 "to remove what" "$REWIND" bookmark bank --remove
run 1 "of no run" "$REWIND" bookmark nothing
echo '{"format":"rewind-bookmarks","version":9,"bookmarks":[]}' >"$REWIND_HOME/runs/$id/bookmarks.json"
run 1 "of a newer version" "$REWIND" bookmark bank
has err "are not read" 'newer than this rewind knows'
run 0 "and do not hide the run" "$REWIND" log bank

# ---- Forks go with what they were forked from ----

child() { # child COMMAND PARENT STEP [WORDS]
    "$MAKE_RUN" "$1" "" "$2" "$3" ${4:+"$4"}
}
runs() { ls "$REWIND_HOME/runs" | grep -c .; }
a=$(child a "$id" 5)
aa=$(child aa "$a" 7 'other words
')
b=$(child b "$id" 9 'other words
')
other=$("$MAKE_RUN" stranger)
run 0 "ls" "$REWIND" ls
has out "says what is a fork" "^$aa .*  fork of $a\$"
run 0 "show" "$REWIND" show "$aa"
has out "says of which" "^  parent +$a, the same until step 7\$"
run 0 "a dry run" "$REWIND" remove "$id" --dry-run
same "says what would go" "$(printf 'would remove %s\n' "$id" "$a" "$aa" "$b" | sort)" "$(sort "$work/out")"
same "the run last" "would remove $id" "$(tail -n 1 "$work/out")"
same "and does nothing" 5 "$(runs)"
exec 9<"$REWIND_HOME/runs/$aa/lock"
flock -s 9
run 1 "a fork that is in use" "$REWIND" remove "$id" 9<&-
one_line "is an error"
has err "that names it" "run $aa: in use"
same "and nothing is removed" 5 "$(runs)"
exec 9<&-
run 0 "one with a fork" "$REWIND" remove "$a" "$aa"
same "both are gone" 3 "$(runs)"
run 0 "the rest" "$REWIND" remove "$id" --json
json_lines "is JSON"
same "and the stranger stays" "$other" "$(ls "$REWIND_HOME/runs")"

# ---- Forks that did nothing new ----

"$REWIND" remove "$other" >/dev/null
id=$("$MAKE_RUN" make bank)
same_as_run=$(child a "$id" 5)
first=$(child b "$id" 5 'other words
')
same_as_first=$(child c "$first" 9 'other words
')
kept=$(child d "$id" 5)
below=$(child e "$kept" 9 'third words
')
run 0 "a dry run" "$REWIND" prune bank --identical --dry-run
has out "names what ran as the run" "^would remove $same_as_run: ran as $id\$"
has out "and what ran as a fork" "^would remove $same_as_first: ran as $first\$"
same "and no more" 2 "$(wc -l <"$work/out")"
same "and does nothing" 6 "$(runs)"
exec 9<"$REWIND_HOME/runs/$same_as_first/lock"
flock -s 9
run 1 "one that is in use" "$REWIND" prune bank --identical 9<&-
one_line "is an error"
same "and nothing is removed" 6 "$(runs)"
exec 9<&-
run 0 "prune" "$REWIND" prune bank --identical --json
json_lines "is JSON"
same "what is left" "$(printf '%s\n' "$id" "$first" "$kept" "$below" | sort)" "$(ls "$REWIND_HOME/runs")"
run 0 "again" "$REWIND" prune bank --identical
same "there is nothing to do" '' "$(cat "$work/out")"
run 2 "which ones" "$REWIND" prune bank
printf 'x' | dd of="$REWIND_HOME/runs/$first/trace" bs=1 seek=120 conv=notrunc 2>/dev/null
extra=$(child f "$id" 5)
run 1 "a damaged trace" "$REWIND" prune bank --identical
one_line "is an error"
has err "that says so" "damaged"

# ---- What no run needs ----

rm -rf "$REWIND_HOME"
id=$("$MAKE_RUN" make bank)
images=$REWIND_HOME/images guests=$REWIND_HOME/guests
hash() { printf "%064d" 0 | tr 0 "$1"; }
head -c 5000 /dev/zero >"$images/$(hash b).erofs"
head -c 3000000 /dev/zero >"$images/$(hash c).erofs"
echo '{"version": 1, "size": 5000}' | tee "$images/$(hash b).json" >"$images/$(hash c).json"
for source in b c; do
    printf '{"version": 1, "writer": 2, "image": "%s"}' "$(hash $source)" >"$images/tar-$(hash $source).json"
    printf '{"version": 1, "sha256": "%s"}' "$(hash $source)" >"$images/stat-1-$source.json"
done
: >"$images/tmp-abcdef"
mkdir "$guests/$(hash a)" "$guests/$(hash d)"
head -c 70000 /dev/zero >"$guests/$(hash d)/vmlinux"
mkdir "$REWIND_HOME/runs/.gone-01234567" "$REWIND_HOME/runs/0123456789abcdef.part-AbCdEf"
: >"$REWIND_HOME/runs/$id/manifest.json.AbCdEf"
head -c 1000 /dev/zero >"$REWIND_HOME/cache/download-1"
mkdir "$work/outside"
: >"$work/outside/file"
ln -s "$work/outside" "$guests/$(hash e)"
all() { (cd "$REWIND_HOME" && find . ! -path './store*' ! -name lock ! -name .lock | sort); }
"$REWIND" gc --dry-run >/dev/null # makes the folder of pages
all >"$work/before"
for lock in lock store/lock; do
    exec 9<"$REWIND_HOME/$lock"
    flock -s 9
    run 1 "gc while somebody has $lock" "$REWIND" gc 9<&-
    one_line "is refused"
    exec 9<&-
    same "and nothing goes" "$(cat "$work/before")" "$(all)"
done
run 0 "a dry run" "$REWIND" gc --dry-run
same "does nothing" "$(cat "$work/before")" "$(all)"
has out "says what would go" "^would remove image c{25} \\(3.0 MB\\)\$"
has out "and how much" '^would free 3.1 MB$'
run 0 "as objects" "$REWIND" gc --dry-run --json
json_lines "is JSON"
run 0 "gc" "$REWIND" gc
has out "images" "^removed image c{25} "
has out "guests" "^removed guest d{25} \\(70.0 kB\\)"
has out "interrupted runs" "^removed interrupted run 0123456789abcdef.part-AbCdEf "
has out "remains" "^removed remains .gone-01234567 "
has out "downloads" "^removed download download-1 \\(1.0 kB\\)"
has out "in all" '^freed 3.1 MB$'
same "what is left" ".
./cache
./guests
./guests/$(hash a)
./images
./images/$(hash b).erofs
./images/$(hash b).json
./images/stat-1-b.json
./images/tar-$(hash b).json
./runs
./runs/$id
./runs/$id/manifest.json
./runs/$id/trace" "$(all)"
[ -f "$work/outside/file" ]
ok $? "no symbolic link is followed"
run 0 "again" "$REWIND" gc
same "there is nothing to do" 'freed 0 bytes' "$(cat "$work/out")"
other=$("$MAKE_RUN" other)
printf '{' >"$REWIND_HOME/runs/$other/manifest.json"
head -c 10 /dev/zero >"$images/$(hash c).erofs"
run 1 "with a run that cannot be read" "$REWIND" gc
one_line "gc is refused"
has err "with what to do" "run $other cannot be read, .*; remove it first: .* damaged"
[ -e "$images/$(hash c).erofs" ]
ok $? "and nothing goes"
run 0 "remove it" "$REWIND" remove "$other" "$id"
run 0 "gc" "$REWIND" gc
same "nothing is left" '' "$(ls "$images" "$guests" | grep -v ':$')"
finish
