#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Runs from one store to another.
. "$(dirname "$0")/lib.sh"

first=$REWIND_HOME other=$work/other
there() { REWIND_HOME=$other "$REWIND" "$@"; }
listing() { (cd "$other" && find . ! -name '.pack-*' ! -path './lock' ! -path './runs/.lock' ! -path './store/lock' ! -path './store' | sort); }

# ---- What was seen ----

id=$("$MAKE_RUN" make bank)
"$REWIND" bookmark bank 12 "here" >/dev/null
cd "$work" || exit 1
run 0 "export" "$REWIND" export bank
has err "says what it wrote" "^rewind: wrote $id.rwd \([0-9.]+ kB\)\$"
cp "$id.rwd" bank.rwd
run 2 "once more" "$REWIND" export bank
one_line "is refused"
run 0 "unless forced" "$REWIND" export bank --force
cmp -s "$id.rwd" bank.rwd
ok $? "the same run gives the same bytes"
run 0 "as an object" "$REWIND" export bank -o object.rwd --json
json_lines "is JSON"
run 0 "import" there import bank.rwd
same "says what" "$id  exited:2            18 steps  bank" "$(cat "$work/out")"
run 0 "again" there import bank.rwd
has err "says that it is there" "^rewind: run $id was there already$"
run 0 "the log" there log bank
same "came along" 'job "0" done' "$(cat "$work/out")"
run 0 "and bookmarks" there bookmark bank
same "came along" '        12  here' "$(cat "$work/out")"
run 0 "exported again" there export bank -o again.rwd
cmp -s again.rwd bank.rwd
ok $? "it is the same file"
run 1 "a replay" there replay bank
one_line "is refused"
has err "with what to do" 'exported without what executing it needs: have it exported with --replayable$'
run 1 "no such file" there import nothing.rwd
one_line "is an error"
mkdir folder
run 1 "a folder" there import folder
one_line "is an error"
run 1 "into a folder that is not there" "$REWIND" export bank -o no/where.rwd
one_line "is an error"
same "nothing is left of failed exports" '' "$(find . -name '.*.rwd.*')"

# ---- What is refused ----

rm -r "$other"
there ls
listing >before
unchanged() {
    listing | diff before - >diff
    [ ! -s diff ] || sed 's/^/# /' diff
    [ ! -s diff ]
    ok $? "$1: nothing is left of it"
}
refused() { # refused NAME FILE PATTERN
    run 1 "$1" there import "$2"
    one_line "$1: one line"
    has err "$1: says why" "$3"
    unchanged "$1"
}
head -c 700 bank.rwd >cut.rwd
refused "cut short" cut.rwd 'cut.rwd: .*damaged'
echo "something else" >text.rwd
refused "something else" text.rwd 'text.rwd: not an exported run'
: >empty.rwd
refused "nothing" empty.rwd 'empty.rwd: '
mkdir x && zstd -qdc bank.rwd | tar -xf - -C x
pack() { tar --format=ustar -C x -cf - rewind.json manifest.json trace bookmarks.json "$@" | zstd -q; }
sed -i 's/"version" : 1/"version" : 7/' x/rewind.json
pack >newer.rwd
refused "a newer one" newer.rwd 'version 7 is newer'
sed -i 's/"version" : 7/"version" : 1/' x/rewind.json
pack >right.rwd
run 0 "packed by hand" there import right.rwd
there remove bank >/dev/null
pack rewind.json >more.rwd
refused "one member more" more.rwd 'more members than it says'
printf 'x' | dd of=x/trace bs=1 seek=100 conv=notrunc 2>/dev/null
pack >trace.rwd
refused "another trace" trace.rwd 'trace has another hash'

# ---- A run that is there and is another ----

REWIND_HOME=$other "$MAKE_RUN" make bank "0123456789abcdef" 5 'other words
' >/dev/null
listing >before
refused "another run of that id" bank.rwd "run $id is there already and is not the same: at step 1: "
echo '{' >"$other/runs/$id/manifest.json"
refused "a damaged one of that id" bank.rwd "is there already and is damaged: remove it first"

# ---- Small enough to be sent along ----

rm -rf "$other"
for example in "$EXAMPLES"/*/Makefile; do
    example=$(basename "$(dirname "$example")")
    "$EXAMPLES/pack.sh" "$example" -o example.tar >/dev/null 2>"$work/err" &&
        "$REWIND" run -q --no-keyframes --name "$example" --root example.tar --cwd /src -- make check >"$work/out" 2>"$work/err"
    "$REWIND" export "$example" --force -o example.rwd 2>"$work/err"
    size=$(wc -c <example.rwd)
    echo "# $example: $size bytes"
    [ "$size" -gt 0 ] && [ "$size" -lt 200000 ]
    ok $? "$example exported is under 200 kB"
    rm -f example.rwd
done

# ---- What can be executed ----

root=$work/root
mkdir -p "$root/bin"
cp /bin/busybox "$root/bin/"
for applet in sh echo cat sleep; do
    ln -s busybox "$root/bin/$applet"
done
rm -rf "$other"
if ! "$REWIND" run -q --name job --root "$root" -- sh -c 'echo one; sleep 1; echo two' 2>"$work/err"; then
    ok 1 "a recording"
    finish
fi
steps=$("$REWIND" show job --json | python3 -c 'import json,sys; print(json.load(sys.stdin)["end"]["steps"])')
run 0 "export to be replayed" "$REWIND" export job --replayable -o job.rwd
chmod 644 job.rwd
chmod 755 "$work"
cat >elsewhere.sh <<'END'
set -e
"$REWIND" import "$1"
"$REWIND" replay job
"$REWIND" replay job --from "$2"
"$REWIND" export job --replayable -o "$REWIND_HOME/again.rwd"
cmp "$REWIND_HOME/again.rwd" "$1"
END
user=
if [ "$(id -u)" -eq 0 ] && setpriv --reuid 65534 --regid 65534 --clear-groups test -x "$REWIND" 2>/dev/null; then
    user="setpriv --reuid 65534 --regid 65534 --clear-groups"
else
    echo "# this user only: another one cannot be had here"
fi
mkdir -m 777 "$work/theirs"
# No guest of its own: the one that came along is used.
run 0 "import and replay under another user" env REWIND="$REWIND" REWIND_HOME="$work/theirs/home" \
    REWIND_GUEST_DIR=/nowhere $user sh elsewhere.sh "$work/job.rwd" "$steps"
same "twice identical" 2 "$(grep -c '^identical: ' "$work/out")"
run 0 "only what was seen" "$REWIND" export job -o job-trace.rwd
run 0 "import it first" there import job-trace.rwd
run 1 "it cannot be replayed" env REWIND_HOME="$other" REWIND_GUEST_DIR=/nowhere "$REWIND" replay job
run 0 "then the whole" there import job.rwd
has err "the same run" 'was there already'
run 0 "now it can" env REWIND_HOME="$other" REWIND_GUEST_DIR=/nowhere "$REWIND" replay job
[ -f "$other/runs/$(ls "$other/runs")/keyframes" ]
ok $? "and has its keyframes"
rm -rf "$other"
there ls
listing >before
mkdir y && zstd -qdc job.rwd | tar -xf - -C y
repack() { # repack MEMBER: with its new size and hash
    python3 - "$1" <<'END'
import hashlib, json, sys
index = json.load(open("y/rewind.json"))
for member in index["members"]:
    if member["name"] == sys.argv[1]:
        data = open("y/" + member["name"], "rb").read()
        member.update(size=len(data), sha256=hashlib.sha256(data).hexdigest())
json.dump(index, open("y/rewind.json", "w"))
END
    python3 -c 'import json; print("\n".join(m["name"] for m in json.load(open("y/rewind.json"))["members"]))' >names
    tar --format=ustar -C y -cf - rewind.json $(cat names) | zstd -q >bad.rwd
}
spoil() { # spoil MEMBER AT PATTERN
    cp "y/$1" saved
    printf 'x' | dd of="y/$1" bs=1 seek="$2" conv=notrunc 2>/dev/null
    repack "$1"
    refused "another $1" bad.rwd "$3"
    mv saved "y/$1"
    repack "$1"
}
spoil guest/vmlinux 5000 'its guest is of another run'
spoil image.erofs 5000 'its image is of another run'
spoil keyframes 50 'bad.rwd: keyframes: damaged'
spoil pages 5000 'pages: an object is damaged'
spoil trace 50 'its manifest is of another trace'
spoil manifest.json 1 'damaged'
head -c 4000 y/pages >saved && mv saved y/pages
repack pages
refused "fewer pages" bad.rwd 'pages: '
finish
